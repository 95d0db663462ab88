"""The walk along dependencies against networkx and the paper's own equation."""

import networkx as nx
import numpy as np
import pytest

from skillmill.library.prerequisites import DependencyGraph
from tests.library.planted import edges


def random_graph(seed):
    """Dependencies of twelve skills, of which some have none, and weighted seeds."""
    rng = np.random.default_rng(seed)
    ids = [f"s{n:02d}" for n in range(12)]
    pairs = {tuple(rng.choice(10, 2, replace=False).tolist()) for _ in range(14)}
    found = [
        edge
        for a, b in sorted(pairs)
        for edge in edges((ids[a], ids[b]), weight=float(rng.uniform(0.6, 1)))
    ]
    seeds = {ids[n]: float(rng.uniform(0.1, 1)) for n in (0, 3, 11)}
    return ids, found, seeds


@pytest.mark.parametrize("seed", range(8))
def test_relevance_is_networkx_pagerank_of_edges_both_ways(seed):
    ids, found, seeds = random_graph(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(ids)
    for edge in found:
        for a, b in ((edge.producer, edge.consumer), (edge.consumer, edge.producer)):
            weight = graph.get_edge_data(a, b, {"weight": 0.0})["weight"]
            graph.add_edge(a, b, weight=weight + edge.weight)
    start = {one: seeds.get(one, 0.0) for one in ids}
    expected = nx.pagerank(
        graph,
        alpha=0.8,
        personalization=start,
        dangling=start,
        tol=1e-14,
        max_iter=1_000,
    )
    walked = DependencyGraph(ids, found).relevance(
        seeds, restart=0.2, tolerance=1e-13, max_steps=1_000
    )
    scores = dict(zip(ids, walked.scores.tolist(), strict=True))
    assert scores == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_relevance_solves_the_papers_equation_8(seed):
    ids, found, seeds = random_graph(seed)
    row = {one: number for number, one in enumerate(ids)}
    both = np.zeros((12, 12))
    for edge in found:
        both[row[edge.producer], row[edge.consumer]] += edge.weight
    both = both + both.T
    out = both.sum(axis=1, keepdims=True)
    start = np.array([seeds.get(one, 0.0) for one in ids])
    start /= start.sum()
    # Rows without edges return their mass to the seeds.
    step = np.where(out > 0, both / np.where(out > 0, out, 1), start)
    alpha = 0.2
    exact = np.linalg.solve(np.eye(12) - (1 - alpha) * step.T, alpha * start)
    walked = DependencyGraph(ids, found).relevance(
        seeds, restart=alpha, tolerance=1e-13, max_steps=1_000
    )
    assert walked.scores == pytest.approx(exact, abs=1e-9)
    assert exact.sum() == pytest.approx(1)
