"""Ways to use the graph for retrieval, each at the budget of plain search."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import sparse

from skillmill.compute.digraph import distances
from skillmill.compute.fusion import DECIMALS
from skillmill.library.cousage import CoUsage, LearningSettings
from skillmill.library.vocabulary import PRIORITY, RANK
from skillmill.types import Edge, Ranking

Layer = Literal["typed", "similar", "both"]
LAYERS: tuple[Layer, ...] = ("typed", "similar", "both")

#: Neighbours of each skill, whichever way the edges go, the best first.
Neighbours = Mapping[str, Sequence[str]]

NO_ENTRY = "the entry ranker found nothing"


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """Knobs of the arms.

    `entry` is the ranker that every arm but `graph` starts from; `budget` the most
    skills that a compared arm may return, `hops` how far neighbours are looked for.
    Spreading activation goes `spread_hops` hops, each `decay` as strong as the last,
    and counts `boost` times. `seed` draws the neighbours of the random control.
    """

    entry: str = "hybrid"
    budget: int = 6
    more: int = 10
    hops: int = 3
    spread_hops: int = 2
    decay: float = 0.5
    boost: float = 0.3
    seed: int = 0


def neighbours_of(
    layer: Layer, typed: Iterable[Edge], similar: Iterable[Edge]
) -> Neighbours:
    """The neighbours of each skill in a layer, best first.

    Typed ones by the priority of their relation, then by trust, then by id; similar
    ones by cosine, then by id; in `both`, the typed ones first.
    """
    order: dict[str, dict[str, tuple[float, ...]]] = defaultdict(dict)
    if layer in ("typed", "both"):
        for edge in typed:
            rank = (0.0, PRIORITY[edge.relation], -RANK[edge.provenance])
            _join(order, edge, rank)
    if layer in ("similar", "both"):
        for edge in similar:
            _join(order, edge, (1.0, -(edge.weight or 0.0)))
    return {
        skill: sorted(others, key=lambda other: (others[other], other))
        for skill, others in sorted(order.items())
    }


def rank_with_graph(
    entries: Sequence[Ranking],
    ids: Sequence[str],
    typed: Sequence[Edge],
    similar: Sequence[Edge],
    settings: ArmSettings,
    usage: CoUsage | None = None,
    learning: LearningSettings = LearningSettings(),  # noqa: B008 frozen
) -> list[Ranking]:
    """Rank with every way of using the graph.

    Parameters
    ----------
    entries : sequence of Ranking
        Of the entry ranker, one a query.
    ids : sequence of str
        All skills.
    typed, similar : sequences of Edge
    settings : ArmSettings
    usage, learning
        What `learned` edges were made of. A query that is a task of that log is ranked
        without what its own calls taught.

    Returns
    -------
    list of Ranking
        For each query and layer L: `hybrid@1`, `hybrid@6`, `hybrid@10` (the entry
        ranker alone), `hybrid@1+L` (its first and neighbours), `boost:L` (its results
        and spreading activation), `graph:L` (no ranker: the skills with most
        neighbours); `hybrid@1+random` (its first and skills drawn at random); with a
        log `hybrid@6 logged` (its results that occur in the log: what a gain by use
        must beat). Names are those of the settings.

    Notes
    -----
    Comparative paper, section 5.4 and table 3 (budget 6).
    """
    whole = {layer: _Graph(layer, typed, similar) for layer in LAYERS}
    logged = usage.skills() if usage else set()
    found = []
    for entry in entries:
        graphs = whole
        if usage and entry.query in usage.used:
            held = _without_own(typed, usage.without(entry.query), learning)
            graphs = {layer: _Graph(layer, held, similar) for layer in LAYERS}
        found += _arms(entry, ids, graphs, logged, settings)
    return found


class _Graph:
    """A layer, ready for walks from several queries."""

    def __init__(
        self, layer: Layer, typed: Iterable[Edge], similar: Iterable[Edge]
    ) -> None:
        self.neighbours = neighbours_of(layer, typed, similar)
        self.hubs = sorted(self.neighbours, key=lambda s: (-len(self.neighbours[s]), s))
        self._skills = tuple(self.neighbours)
        self._place = {skill: row for row, skill in enumerate(self._skills)}
        ends = [
            (self._place[one], self._place[other])
            for one, others in self.neighbours.items()
            for other in others
        ]
        degree = np.array([len(others) for others in self.neighbours.values()])
        rows, columns = np.array(ends, dtype=np.intp).reshape(-1, 2).T
        # Scaled by both ends: what many skills lead to is not above what was asked for.
        weights = 1 / np.sqrt(degree[rows] * degree[columns]) if len(rows) else []
        n = len(self.neighbours)
        self._step = sparse.csr_array((weights, (rows, columns)), shape=(n, n))

    def around(self, start: str, hops: int) -> list[str]:
        """Skills within some hops of one, the nearest first; without it."""
        return [*distances(self.neighbours, [start], hops)][1:]

    def spread(
        self, scores: Mapping[str, float], settings: ArmSettings
    ) -> dict[str, float]:
        """What activation of skills adds to each skill that it reaches."""
        now, total = np.zeros((2, len(self.neighbours)))
        for skill, score in scores.items():
            if skill in self._place:
                now[self._place[skill]] = score
        for _ in range(settings.spread_hops):
            now = settings.decay * (self._step @ now)
            total += now
        reached = np.flatnonzero(total > 0).tolist()
        return {self._skills[row]: float(total[row]) for row in reached}


def _join(
    order: dict[str, dict[str, tuple[float, ...]]],
    edge: Edge,
    rank: tuple[float, ...],
) -> None:
    """Note an edge at both ends, where it is the best between them."""
    for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
        held = order[one].get(other)
        if held is None or rank < held:
            order[one][other] = rank


def _without_own(
    typed: Iterable[Edge], others: CoUsage, learning: LearningSettings
) -> list[Edge]:
    """The edges without those that other tasks alone do not teach."""
    taught = {(e.source, e.target, e.relation) for e in others.edges(learning)}
    return [
        edge
        for edge in typed
        if edge.provenance != "learned"
        or (edge.source, edge.target, edge.relation) in taught
    ]


def _arms(
    entry: Ranking,
    ids: Sequence[str],
    graphs: Mapping[Layer, _Graph],
    logged: set[str],
    settings: ArmSettings,
) -> list[Ranking]:
    """Every arm for one query."""
    name, budget = settings.entry, settings.budget
    made: dict[str, Sequence[str]] = {
        f"graph:{layer}": graph.hubs[:budget] for layer, graph in graphs.items()
    }
    items = entry.items
    for n in dict.fromkeys((1, budget, settings.more)):
        made[f"{name}@{n}"] = items[:n]
    first = items[:1]
    for layer, graph in graphs.items():
        near = graph.around(first[0], settings.hops) if first else []
        made[f"{name}@1+{layer}"] = [*first, *near][:budget]
    drawn = _drawn(ids, entry.query, settings.seed, budget)
    others = [skill for skill in drawn if skill not in first]
    made[f"{name}@1+random"] = [*first, *others][:budget] if first else ()
    if logged:
        made[f"{name}@{budget} logged"] = [s for s in items if s in logged][:budget]
    rankings = [
        _ranking(entry, arm, found, [1 / rank for rank in range(1, len(found) + 1)])
        for arm, found in made.items()
    ]
    return rankings + [
        _boosted(entry, f"boost:{layer}", graph, settings)
        for layer, graph in graphs.items()
    ]


def _boosted(entry: Ranking, arm: str, graph: _Graph, settings: ArmSettings) -> Ranking:
    """The entry's results, each lifted by activation that reaches it, and what else."""
    best = max(entry.scores, default=0.0)
    if best <= 0:
        return _ranking(entry, arm, (), ())
    scores = {
        item: max(score, 0.0) / best
        for item, score in zip(entry.items, entry.scores, strict=True)
    }
    total = dict(scores)
    for skill, added in graph.spread(scores, settings).items():
        total[skill] = total.get(skill, 0.0) + settings.boost * added
    rounded = {skill: round(score, DECIMALS) for skill, score in total.items()}
    order = sorted(rounded, key=lambda skill: (-rounded[skill], skill))
    kept = order[: max(len(entry.items), settings.budget)]
    return _ranking(entry, arm, kept, [rounded[skill] for skill in kept])


def _ranking(
    entry: Ranking, arm: str, items: Sequence[str], scores: Sequence[float]
) -> Ranking:
    """A ranking of an arm; where it needs the entry and that failed, it failed."""
    made = replace(
        entry,
        arm=arm,
        items=tuple(items),
        scores=tuple(round(score, DECIMALS) for score in scores),
    )
    if items:
        return replace(made, state="ok", reason=None)
    if entry.state == "failed":
        return made
    return replace(made, state="empty", reason=entry.reason or NO_ENTRY)


def _drawn(ids: Sequence[str], query: str, seed: int, budget: int) -> list[str]:
    """Skills drawn at random, the same for the same query and seed."""
    text = f"{seed}\0{query}".encode()
    number = int.from_bytes(hashlib.sha256(text).digest()[:8], "little")
    rng = np.random.default_rng(number)
    size = min(budget, len(ids))
    return [ids[row] for row in rng.choice(len(ids), size=size, replace=False).tolist()]
