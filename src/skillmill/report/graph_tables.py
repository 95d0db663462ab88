"""The typed graph and what is measured on it, as tables of text."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillmill.library.vocabulary import PRIORITY, RANK
from skillmill.report.tables import interval, percent
from skillmill.store import graph
from skillmill.types import Edge

#: Layers of structure that a page shows; those by origin are in the store.
_LAYERS = ("typed", "similar", "all")


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of text: the first column names the row, the others are figures."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class MeasuredGraph:
    """What the stores of a study say of its typed graph."""

    edges: list[Edge] = field(default_factory=list)
    flags: list[graph.EdgeFlag] = field(default_factory=list)
    dropped: list[graph.DroppedEdge] = field(default_factory=list)
    measured: dict[type[Any], list[Any]] = field(default_factory=dict)


def graph_tables(found: MeasuredGraph) -> list[PlainTable]:
    """Tables in the order to read; those without rows are left out."""
    tables = [_relations(found.edges), _state(found.flags, found.dropped)]
    for kind, make in _TABLES.items():
        tables.append(make(found.measured.get(kind, [])))
    return [table for table in tables if table.rows]


def _relations(edges: Iterable[Edge]) -> PlainTable:
    counts = Counter((edge.relation, edge.provenance) for edge in edges)
    known = {provenance for _, provenance in counts}
    columns = sorted(known, key=lambda name: -RANK[name])
    rows = [
        (
            relation,
            *(f"{counts[relation, provenance]:,}" for provenance in columns),
            f"{sum(n for (name, _), n in counts.items() if name == relation):,}",
        )
        for relation in sorted({r for r, _ in counts}, key=lambda r: PRIORITY[r])
    ]
    note = "Where each edge comes from, the most trusted first; one pair and relation"
    return PlainTable(
        "Typed edges by relation and provenance",
        f"{note} has one edge.",
        ("relation", *columns, "all"),
        tuple(rows),
    )


def _state(
    flags: Iterable[graph.EdgeFlag], dropped: Iterable[graph.DroppedEdge]
) -> PlainTable:
    counts = Counter(f"in the graph, {flag.flag}" for flag in flags)
    counts.update(f"dropped: {row.cause}" for row in dropped)
    return PlainTable(
        "Flagged and dropped edges",
        "Confirmed: the far end says the same. Stale: the far end has changed since.",
        ("edges that are", "n"),
        tuple((name, f"{n:,}") for name, n in sorted(counts.items())),
    )


def _census(rows: Sequence[graph.Census]) -> PlainTable:
    return PlainTable(
        "Direction census",
        "Distinct pairs, edges that were dropped for contradicting others included.",
        ("pairs", "n", "% of all"),
        tuple(
            (f"{row.kind} {row.name}".strip(), f"{row.pairs:,}", percent(row.share))
            for row in rows
        ),
    )


def _bound(rows: Sequence[graph.Bound]) -> PlainTable:
    return PlainTable(
        "Topology bound",
        "Pairs that similar_to joins, too. 100 % is no finding where all candidates "
        "came from the embedding. Wilson's interval.",
        ("pairs of", "n", "inside", "%", "interval"),
        tuple(
            (
                f"{row.grouping} {row.name}".strip(),
                f"{row.pairs:,}",
                f"{row.inside:,}",
                percent(row.share),
                interval(row.low, row.high),
            )
            for row in rows
        ),
    )


def _structure(rows: Sequence[graph.Structure]) -> PlainTable:
    shown = sorted(
        (row for row in rows if row.layer in _LAYERS),
        key=lambda row: (_LAYERS.index(row.layer), row.control),
    )
    return PlainTable(
        "Structure by layer",
        "Each with as many random pairs beside it: reach alone proves little.",
        ("layer", "pairs", "wired", "components", "largest", "reach in 3 hops"),
        tuple(
            (
                f"{row.layer}, {row.control}" if row.control else row.layer,
                f"{row.pairs:,}",
                *(f"{x:,.0f}" for x in (row.wired, row.components, row.largest)),
                "n/a" if row.reach_3 is None else f"{row.reach_3:,.1f}",
            )
            for row in shown
        ),
    )


def _comparison(rows: Sequence[graph.Comparison]) -> PlainTable:
    return PlainTable(
        "Search and graph on the same tasks",
        "Difference of hit@k in points, Newcombe's paired interval and McNemar's exact "
        "test; nothing is adjusted for the number of comparisons.",
        ("first − second, tasks", "k", "n", "points", "interval", "p"),
        tuple(
            (
                f"{row.first} − {row.second}, {row.category}",
                str(row.k),
                str(row.n),
                percent(row.difference),
                interval(row.low, row.high),
                f"{row.p:.3g}",
            )
            for row in sorted(rows, key=lambda row: row.category != "all")
        ),
    )


def _entry(rows: Sequence[graph.Entry]) -> PlainTable:
    return PlainTable(
        "Hits by whether the first result is right",
        "Equal budgets; Wilson's interval.",
        ("arm, first result", "k", "n", "%", "interval"),
        tuple(
            (
                f"{row.arm}, {row.entry}",
                str(row.k),
                str(row.n),
                percent(row.share),
                interval(row.low, row.high),
            )
            for row in rows
        ),
    )


def _miss(rows: Sequence[graph.Miss]) -> PlainTable:
    return PlainTable(
        "Hops from the results to what they missed",
        "Candidates: what no choice among them can go beyond; random: as many pairs.",
        ("missed, layer, from", "hops", "n", "%"),
        tuple(
            (
                f"{row.unit}, {row.layer}, {row.start}",
                str(row.hops) if row.hops else "out of reach",
                f"{row.n:g}",
                percent(row.share),
            )
            for row in rows
        ),
    )


def _cost(rows: Sequence[graph.Cost]) -> PlainTable:
    return PlainTable(
        "What an agent reads for a task",
        "Tokens are characters / 4: a rule of thumb, no tokeniser was asked.",
        ("regime", "tasks", "listings", "tokens"),
        tuple(
            (row.regime, str(row.tasks), f"{row.rows:,.1f}", f"{row.tokens:,.0f}")
            for row in rows
        ),
    )


def _audit(rows: Sequence[graph.Audit]) -> PlainTable:
    return PlainTable(
        "Precision that a person judged",
        "Strict counts `correct`, loose `plausible`, too; Wilson's intervals. The "
        "pooled row is the share of the sample, not of the graph.",
        ("relation", "n", "strict %", "interval", "loose %", "interval"),
        tuple(
            (
                row.relation,
                str(row.n),
                percent(row.strict_share),
                interval(row.strict_low, row.strict_high),
                percent(row.loose_share),
                interval(row.loose_low, row.loose_high),
            )
            for row in rows
        ),
    )


def _ordering(rows: Sequence[graph.Ordering]) -> PlainTable:
    return PlainTable(
        "What comes next",
        "Following edges beats asking again if q is above p. Wilson's interval.",
        ("figure", "n", "%", "interval", "what is counted"),
        tuple(
            (
                row.name,
                str(row.n),
                percent(row.share),
                interval(row.low, row.high),
                row.note,
            )
            for row in rows
        ),
    )


def _inflation(rows: Sequence[graph.Inflation]) -> PlainTable:
    return PlainTable(
        "What an echo adds",
        "Hits on tasks that hold the name of their skill, against the others; in "
        "points, Newcombe's interval.",
        ("arm", "k", "echo %", "n", "other %", "n", "points", "interval"),
        tuple(
            (
                row.arm,
                str(row.k),
                percent(row.echo),
                str(row.n_echo),
                percent(row.plain),
                str(row.n_plain),
                percent(row.difference),
                interval(row.low, row.high),
            )
            for row in rows
        ),
    )


_TABLES: Mapping[type[Any], Callable[[Sequence[Any]], PlainTable]] = {
    graph.Structure: _structure,
    graph.Bound: _bound,
    graph.Census: _census,
    graph.Comparison: _comparison,
    graph.Entry: _entry,
    graph.Miss: _miss,
    graph.Cost: _cost,
    graph.Inflation: _inflation,
    graph.Audit: _audit,
    graph.Ordering: _ordering,
}
