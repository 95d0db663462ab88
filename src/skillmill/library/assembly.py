"""From proposed edges to a graph: whom to believe, what contradicts, what is cyclic."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from skillmill.compute.digraph import drop_back_edges
from skillmill.library.vocabulary import ACYCLIC, RANK, disagree, ends_of, pair_of
from skillmill.store.graph import DroppedEdge, EdgeFlag
from skillmill.types import Edge

#: What is done with two edges of a pair that cannot both hold.
Contradicted = Literal["drop", "flag"]

#: Source, target and relation: what an edge of the graph is known by.
Key = tuple[str, str, str]

#: Notes an edge that is dropped, the cause and a detail.
Drop = Callable[[Edge, str, str], None]


@dataclass(frozen=True, slots=True)
class Assembled:
    """A graph: one edge for each source, target and relation.

    `edges` are sorted; `dropped` are the proposals that are not in it, with the cause;
    `flags` belong to edges that are.
    """

    edges: tuple[Edge, ...]
    dropped: tuple[DroppedEdge, ...]
    flags: tuple[EdgeFlag, ...]


def key_of(edge: Edge) -> Key:
    """Source, target and relation."""
    return edge.source, edge.target, edge.relation


def assemble(
    proposals: Iterable[Edge],
    *,
    vetoes: Collection[tuple[str, str]] = (),
    reversed_by_far_end: Collection[Key] = (),
    contradicted: Contradicted = "drop",
) -> Assembled:
    """Bring proposals of every provenance together.

    Parameters
    ----------
    proposals : iterable of Edge
        In any order; repeats count once. No edge joins a skill to itself.
    vetoes : collection of pairs in id order
        Nothing but a curated edge may join them.
    reversed_by_far_end : collection of keys
        Edges whose far end was asked, too, and sees it the other way round.
    contradicted : str
        `drop`: of two edges that disagree on the direction the less trusted goes, and
        both if neither is; so does one that its far end reverses. `flag`: they stay
        and say so.

    Returns
    -------
    Assembled
        In this order: vetoed edges go; of each pair and relation only the most trusted
        provenance stays, whichever way it points; contradictions are dealt with; then
        cycles of each acyclic relation lose their least trusted edge.

    Notes
    -----
    Comparative paper, sections 2.1 (override), 2.2 (cycles) and 6.3 (contradictions).
    """
    dropped: list[DroppedEdge] = []

    def drop(edge: Edge, cause: str, detail: str) -> None:
        row = DroppedEdge(*key_of(edge), edge.provenance, cause, detail)
        dropped.append(row)

    pool = sorted({_canonical(edge) for edge in proposals}, key=_order)
    pool = _unvetoed(pool, vetoes, drop)
    pool = _most_trusted(pool, drop)
    doubts = _doubts(pool, reversed_by_far_end)
    kept, flags = [], []
    for edge in pool:
        found = doubts.get(key_of(edge), [])
        lost = [text for rank, text in found if rank >= RANK[edge.provenance]]
        if lost and contradicted == "drop" and edge.provenance != "curated":
            drop(edge, "contradicted", "; ".join(lost))
            continue
        kept.append(edge)
        said = lost if contradicted == "drop" else [text for _, text in found]
        flags += [EdgeFlag(*key_of(edge), "contradicted", text) for text in said]
    kept = _acyclic(kept, drop)
    keys = {key_of(edge) for edge in kept}
    return Assembled(
        edges=tuple(kept),
        dropped=tuple(sorted({*dropped})),
        flags=tuple(sorted(flag for flag in flags if flag[:3] in keys)),
    )


def _canonical(edge: Edge) -> Edge:
    """The edge as it is stored."""
    ends = ends_of(edge.source, edge.target, edge.relation)
    return replace(edge, source=ends[0], target=ends[1])


def _order(edge: Edge) -> tuple[Key, int, float]:
    """By key, the most trusted first, then the heaviest."""
    return key_of(edge), -RANK[edge.provenance], -(edge.weight or 0.0)


def _unvetoed(
    pool: Iterable[Edge], vetoes: Collection[tuple[str, str]], drop: Drop
) -> list[Edge]:
    kept = []
    for edge in pool:
        if edge.provenance != "curated" and pair_of(edge.source, edge.target) in vetoes:
            drop(edge, "vetoed", "curated: nothing joins these two")
        else:
            kept.append(edge)
    return kept


def _most_trusted(pool: Iterable[Edge], drop: Drop) -> list[Edge]:
    """Of each pair and relation the edges of the highest provenance, each once."""
    groups: dict[Key, list[Edge]] = defaultdict(list)
    for edge in pool:
        groups[*pair_of(edge.source, edge.target), edge.relation].append(edge)
    kept: dict[Key, Edge] = {}
    for group in groups.values():
        best = max(group, key=lambda edge: RANK[edge.provenance]).provenance
        for edge in group:
            if edge.provenance == best:
                kept.setdefault(key_of(edge), edge)
            else:
                drop(edge, "overridden", best)
    return sorted(kept.values(), key=_order)


def _doubts(
    pool: Iterable[Edge], reversed_by_far_end: Collection[Key]
) -> dict[Key, list[tuple[int, str]]]:
    """What speaks against each edge: how far it is trusted, and in words."""
    by_pair: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in pool:
        by_pair[pair_of(edge.source, edge.target)].append(edge)
    found: dict[Key, list[tuple[int, str]]] = defaultdict(list)
    for edges in by_pair.values():
        for one, other in combinations(edges, 2):
            if disagree(one, other):
                found[key_of(one)].append((RANK[other.provenance], _words(other)))
                found[key_of(other)].append((RANK[one.provenance], _words(one)))
        for edge in edges:
            if edge.provenance == "llm" and key_of(edge) in reversed_by_far_end:
                text = "its far end says the reverse"
                found[key_of(edge)].append((RANK["llm"], text))
    return {key: sorted({*reasons}) for key, reasons in found.items()}


def _words(edge: Edge) -> str:
    return f"{edge.provenance}: {edge.source} {edge.relation} {edge.target}"


def _acyclic(pool: Sequence[Edge], drop: Drop) -> list[Edge]:
    """The edges without those that close a cycle of a relation that may hold none."""
    cyclic: set[Key] = set()
    for relation in ACYCLIC:
        trust = {
            (edge.source, edge.target): RANK[edge.provenance]
            for edge in pool
            if edge.relation == relation
        }
        _, back = drop_back_edges(trust, trust)
        cyclic |= {(*arc, relation) for arc in back}
    for edge in pool:
        if key_of(edge) in cyclic:
            drop(edge, "cycle", "")
    return [edge for edge in pool if key_of(edge) not in cyclic]
