"""Speed of retrieval programs, primitives and walks; see primitives.py."""

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import networkx as nx
import numpy as np
from primitive_study import PROGRAMS, Study, skill_of

from skillmill.compute.pagerank import pagerank, transition
from skillmill.memory.view import MemoryView
from skillmill.skills.batch import Known, execute_batch
from skillmill.skills.executor import execute
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import EvidenceState, QueryContext
from skillmill.types import RetrievalSkill

Groups = Sequence[tuple[MemoryView, tuple[QueryContext, ...]]]

#: One query in so many is run where queries run one by one.
SPARSE = 10


def median_seconds(work: Callable[[], object], times: int = 7) -> float:
    """Median wall time of some work, after one try that is not counted."""
    work()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def print_speed(study: Study) -> None:
    """Print rollouts a second, and the cost of each primitive for one query."""
    groups = [(study.views[h], mine) for h, mine in study.contexts.items()]
    count = sum(len(mine) for _, mine in groups)
    few = sum(len(mine[::SPARSE]) for _, mine in groups)
    print(f"\nrollouts a second, {count} questions, budget 10, one core")
    for name in ("fixed-best (D>L>T>N)", "fixed-best-late"):
        skill = skill_of(name, PROGRAMS[name])
        known = [Known(view, mine) for view, mine in groups]
        batched = median_seconds(partial(together, skill, known))
        listed = median_seconds(partial(as_rankings, skill, known))
        alone = median_seconds(partial(one_by_one, skill, groups), times=3)
        print(
            f"{name:24} batched, scores known {count / batched:9.0f}"
            f" (as rankings {count / listed:9.0f}); one by one {few / alone:7.0f}"
        )
    print("\nmilliseconds a query: one by one, many at once")
    for name in ("dense tuned", "dense late", "lexical tuned", "entity tuned"):
        alone = median_seconds(partial(search, name, groups), times=3)
        skill = skill_of(name, PROGRAMS[name])
        many = median_seconds(partial(unknown, skill, groups), times=3)
        print(f"{name:24} {1000 * alone / few:8.3f} {1000 * many / count:8.3f}")


def together(skill: RetrievalSkill, known: Sequence[Known]) -> list:
    """Run a program in a batch with what its searches find at hand."""
    return [execute_batch(skill, k.queries, k.view, 10, known=k) for k in known]


def as_rankings(skill: RetrievalSkill, known: Sequence[Known]) -> list:
    """Do the same and make the records that are stored."""
    return [done.rankings() for done in together(skill, known)]


def unknown(skill: RetrievalSkill, groups: Groups) -> list:
    """Run a program in a batch from query vectors."""
    return [execute_batch(skill, mine, view, 10) for view, mine in groups]


def one_by_one(skill: RetrievalSkill, groups: Groups) -> list:
    """Run a program query by query, from query vectors."""
    return [
        execute(skill, query, view, 10)
        for view, mine in groups
        for query in mine[::SPARSE]
    ]


def search(name: str, groups: Groups) -> list:
    """Run the only search of a program query by query, without merging."""
    (primitive, args, _), *_ = PROGRAMS[name]
    call = PRIMITIVES[primitive]
    full = call.complete(args)
    return [
        call.run(query, EvidenceState.empty(view), view, full)
        for view, mine in groups
        for query in mine[::SPARSE]
    ]


def print_pagerank(study: Study) -> None:
    """Print our walks beside networkx's over the largest graph of nouns."""
    view = max(study.views.values(), key=lambda v: len(v.atoms))
    graph = view.entities("noun")
    size = graph.adjacency.shape[0]
    rng = np.random.default_rng(0)
    seeds = rng.random((size, 150)) * (rng.random((size, 150)) < 20 / size)
    seeds[0] += 0.1
    prepared = transition(graph.adjacency)
    ours = median_seconds(lambda: pagerank(prepared, seeds, 0.3)) / 150
    drawn = nx.from_scipy_sparse_array(graph.adjacency)
    starts = [dict(enumerate(map(float, seeds[:, i]))) for i in range(15)]

    def theirs() -> list:
        return [
            nx.pagerank(
                drawn, alpha=0.7, personalization=s, dangling=s, tol=1e-6 / size
            )
            for s in starts
        ]

    other = median_seconds(theirs, times=3) / len(starts)
    mine = pagerank(prepared, seeds, 0.3).scores
    apart = max(
        abs(ranks[node] - mine[node, i])
        for i, ranks in enumerate(theirs())
        for node in range(size)
    )
    print(
        f"\nPageRank, {size} nodes, {graph.adjacency.nnz} edges, same stopping rule:"
        f" ours {1e6 * ours:.0f} us a query, networkx {1e6 * other:.0f} us,"
        f" {other / ours:.0f} times; largest difference {apart:.1e}"
    )
