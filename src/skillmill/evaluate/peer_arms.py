"""Other ways to use a graph for a task, with controls, in the manner of `trace_arms`.

Graph-of-Skills and SkillDAG are written after what SkillTrace says of them as baselines
(section 4.1, appendix), not after their own code: hence `-style`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from skillmill.compute.digraph import drop_back_edges
from skillmill.compute.fusion import DECIMALS, top
from skillmill.evaluate.arms import CEILING
from skillmill.evaluate.control_graphs import (
    dependencies_of,
    permuted,
    permuted_edges,
    random_edges,
    shuffled_names,
)
from skillmill.library.cousage import CoUsage
from skillmill.library.dependencies import Dependency
from skillmill.library.prerequisites import DependencyGraph
from skillmill.library.trace import trace
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings
from skillmill.types import Edge, Ranking

#: A way to choose skills for a task with a budget.
PeerArm = Callable[[TraceLibrary, TraceQuery, int], Ranking]

#: Relation -> the class that Graph-of-Skills weighs it by.
CLASSES: Mapping[str, str] = {
    "requires": "dependency",
    "feeds_into": "workflow",
    "precedes": "workflow",
    "routes_to": "workflow",
    "verifies": "workflow",
    "similar_to": "semantic",
    "specializes": "semantic",
    "complements": "semantic",
    "part_of": "semantic",
    "alternative_to": "alternative",
}


def _weights() -> dict[str, float]:
    return {"dependency": 1.0, "workflow": 0.5, "semantic": 0.2, "alternative": 0.1}


@dataclass(frozen=True, slots=True)
class PeerSettings:
    """Knobs of the arms.

    Attributes
    ----------
    seeds : int
        Skills that the GoS-style walk starts at (4 on SkillsBench, 5 on ALFWorld).
    relation_weights : mapping
        What an edge of each class counts (SkillTrace, appendix).
    prerequisites : int
        The most direct prerequisites that one skill brings along, SkillDAG-style.
    shared : int
        Places of the budget that co-usage fills.
    seed : int
        Of the control graphs.
    """

    seeds: int = 4
    relation_weights: Mapping[str, float] = field(default_factory=_weights)
    prerequisites: int = 2
    shared: int = 2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PeerData:
    """What the arms are made of, beside the dependency graph of the library.

    `needed` are the skills that each task needs: co-usage learns from other tasks, and
    the ceiling from all.
    """

    typed: Sequence[Edge] = ()
    similar: Sequence[Edge] = ()
    needed: Mapping[str, Sequence[str]] = field(default_factory=dict)


def peer_arms(
    library: TraceLibrary,
    data: PeerData,
    settings: PeerSettings,
    tracing: TraceSettings,
) -> dict[str, PeerArm]:
    """Arms by name; `tracing` is how the paper's rule traces.

    `gos-style`: a walk from the entry ranker's first skills over all relations,
    weighted by class, then the best of it. `skilldag-style`: the entry ranker's skills
    in order, each with its direct prerequisites in the acyclic graph. `co-usage`: the
    entry ranker's first, and what other tasks use beside them.

    Controls: `... permuted` (the same graph with its skills exchanged), `...
    random-edges` (as many edges, drawn), `co-usage label-space` (in place of the
    neighbours the next results that any other task needs). `ceiling:co-usage` learns
    from the task itself, too: it leaks the answer and bounds the others.
    """
    rng = np.random.default_rng(settings.seed)
    names = shuffled_names(library.ids, rng)
    real = dependencies_of(library.graph)
    mixed = permuted(real, names)
    drawn = random_edges(real, library.ids, rng)
    other = replace(
        data,
        typed=permuted_edges(data.typed, names),
        similar=permuted_edges(data.similar, names),
    )
    usage = CoUsage(data.needed)
    exchanged = CoUsage(
        {task: [names[skill] for skill in own] for task, own in data.needed.items()}
    )
    arms: dict[str, PeerArm] = {
        "gos-style": _gos(library, real, data, settings, tracing),
        "gos-style permuted": _gos(library, mixed, other, settings, tracing),
        "skilldag-style": _skilldag(real, settings),
        "skilldag-style permuted": _skilldag(mixed, settings),
        "skilldag-style random-edges": _skilldag(drawn, settings),
    }
    for name, edges in (("permuted", mixed), ("random-edges", drawn)):
        graph = DependencyGraph(library.ids, edges)
        arms[f"skilltrace {name}"] = partial(_traced_on, graph, tracing)
    if data.needed:
        arms["co-usage"] = partial(_shared, usage, settings, leaks=False)
        arms["co-usage permuted"] = partial(_shared, exchanged, settings, leaks=False)
        arms["co-usage label-space"] = partial(_label_space, usage, settings)
        arms[f"{CEILING}co-usage"] = partial(_shared, usage, settings, leaks=True)
    return arms


def _gos(
    library: TraceLibrary,
    dependencies: Sequence[Dependency],
    data: PeerData,
    settings: PeerSettings,
    tracing: TraceSettings,
) -> PeerArm:
    """The GoS-style arm over its own graph, made once."""
    layers: dict[str, list[Edge]] = {name: [] for name in settings.relation_weights}
    for edge in (*data.typed, *data.similar):
        layers[CLASSES[edge.relation]].append(edge)
    # ASSUME: an edge counts its class's weight in both directions; SkillTrace names
    # the weights for the reverse one and says nothing of the forward one.
    graph = DependencyGraph(
        library.ids, dependencies, layers, settings.relation_weights
    )

    def arm(_library: TraceLibrary, query: TraceQuery, budget: int) -> Ranking:
        ranking = query.ranking
        seeds = dict(
            list(zip(ranking.items, ranking.scores, strict=True))[: settings.seeds]
        )
        if not seeds:
            return _answer(query, ())
        walked = graph.relevance(
            seeds,
            restart=tracing.restart,
            tolerance=tracing.tolerance,
            max_steps=tracing.max_steps,
        )
        rows = top(np.round(walked.scores, DECIMALS), graph.ids, budget, 0.0)
        return _answer(query, [graph.ids[row] for row in rows.tolist()])

    return arm


def _skilldag(
    dependencies: Sequence[Dependency], settings: PeerSettings
) -> PeerArm:  # fmt: skip
    """The SkillDAG-style arm; of each cycle the lightest dependency is given up."""
    strength = {
        (edge.producer, edge.consumer): round(edge.weight * 10**DECIMALS)
        for edge in dependencies
    }
    kept, _ = drop_back_edges(strength, strength)
    before: dict[str, list[str]] = {}
    for producer, consumer in sorted(kept, key=lambda arc: (-strength[arc], arc)):
        before.setdefault(consumer, []).append(producer)

    def arm(_library: TraceLibrary, query: TraceQuery, budget: int) -> Ranking:
        chosen: dict[str, None] = {}
        for skill in query.ranking.items:
            if len(chosen) >= budget:
                break
            chosen[skill] = None
            for producer in before.get(skill, ())[: settings.prerequisites]:
                chosen[producer] = None
        return _answer(query, list(chosen)[:budget])

    return arm


def _traced_on(
    graph: DependencyGraph,
    tracing: TraceSettings,
    library: TraceLibrary,
    query: TraceQuery,
    budget: int,
) -> Ranking:
    """The paper's rule over another graph."""
    bundle = trace(
        replace(library, graph=graph), query, replace(tracing, budget=budget)
    )
    items = tuple(member.skill for member in bundle.ranked())
    return replace(
        _answer(query, items), state=bundle.state, reason=_why(bundle.reason)
    )


def _shared(
    usage: CoUsage,
    settings: PeerSettings,
    _library: TraceLibrary,
    query: TraceQuery,
    budget: int,
    *,
    leaks: bool,
) -> Ranking:
    """The first results, and what tasks use beside them; the rest are results again."""
    known = usage if leaks else usage.without(query.id)
    near = known.neighbours()
    first = _first(query, settings, budget)
    votes: dict[str, float] = {}
    for skill in first:
        for other, tasks in near.get(skill, ()):
            votes[other] = votes.get(other, 0.0) + tasks
    others = sorted(votes, key=lambda skill: (-votes[skill], skill))
    return _filled(query, first, others, settings, budget)


def _label_space(
    usage: CoUsage,
    settings: PeerSettings,
    _library: TraceLibrary,
    query: TraceQuery,
    budget: int,
) -> Ranking:
    """The first results, and the next ones that any other task needs."""
    known = usage.without(query.id).skills()
    first = _first(query, settings, budget)
    others = [skill for skill in query.ranking.items if skill in known]
    return _filled(query, first, others, settings, budget)


def _first(query: TraceQuery, settings: PeerSettings, budget: int) -> list[str]:
    """Results whose places are not given to others; at least one."""
    return list(query.ranking.items[: max(1, budget - settings.shared)])


def _filled(
    query: TraceQuery,
    first: Sequence[str],
    others: Sequence[str],
    settings: PeerSettings,
    budget: int,
) -> Ranking:
    """The first, up to so many others, and further results where places are left."""
    new = [skill for skill in others if skill not in first][: settings.shared]
    chosen = list(dict.fromkeys([*first, *new, *query.ranking.items]))
    return _answer(query, chosen[:budget])


def _answer(query: TraceQuery, items: Sequence[str]) -> Ranking:
    """A ranking of these; without any it is what became of the entry ranker."""
    made = replace(
        query.ranking,
        items=tuple(items),
        scores=tuple(round(1 / place, DECIMALS) for place in range(1, len(items) + 1)),
    )
    if items:
        return replace(made, state="ok", reason=None)
    if query.ranking.state == "failed":
        return made
    return replace(made, state="empty", reason=_why(query.ranking.reason))


def _why(reason: str | None) -> str | None:
    return reason or None
