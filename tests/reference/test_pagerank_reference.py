"""Personalised PageRank against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from skillmill.compute.pagerank import pagerank, transition


@given(
    st.integers(1, 25),
    st.floats(0.02, 0.5),
    st.sampled_from([0.1, 0.2, 0.5, 0.85]),
    st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_random_graphs_score_as_in_networkx(n, density, restart, seed):
    rng = np.random.default_rng(seed)
    weights = rng.random((n, n)) * (rng.random((n, n)) < density)
    seeds = rng.random((n, 3)) * (rng.random((n, 3)) < 0.4)
    seeds[0] += 0.1
    result = pagerank(
        sparse.csr_array(weights), seeds, restart, tolerance=1e-13, max_steps=1000
    )
    graph = nx.from_numpy_array(weights, create_using=nx.DiGraph)
    for column in range(3):
        start = dict(enumerate(seeds[:, column]))
        expected = nx.pagerank(
            graph,
            alpha=1 - restart,
            personalization=start,
            dangling=start,
            tol=1e-14,
            max_iter=1000,
        )
        found = dict(enumerate(result.scores[:, column]))
        assert found == pytest.approx(expected, abs=1e-8)
    assert result.converged


def test_many_walks_over_a_prepared_graph_are_networkx_s_to_a_millionth():
    """At the tolerance that is used: 1e-6 in L1, which is networkx's times n."""
    rng = np.random.default_rng(5)
    n, queries = 200, 12
    mentions = (rng.random((n, n)) < 0.02).astype(float)
    weights = mentions + mentions.T
    seeds = rng.random((n, queries)) * (rng.random((n, queries)) < 0.05)
    seeds[0] += 0.1
    found = pagerank(transition(sparse.csr_array(weights)), seeds, 0.3)
    graph = nx.from_numpy_array(weights)
    for column in range(queries):
        start = dict(enumerate(seeds[:, column]))
        expected = nx.pagerank(
            graph, alpha=0.7, personalization=start, dangling=start, tol=1e-6 / n
        )
        assert dict(enumerate(found.scores[:, column])) == pytest.approx(
            expected, abs=1e-6
        )


@given(
    st.integers(1, 25),
    st.floats(0.0, 0.4),
    st.sampled_from([0.02, 0.1, 0.3, 0.85, 1.0]),
    st.integers(0, 10**6),
)
@settings(max_examples=80, deadline=None)
def test_walks_that_go_both_ways_settle_faster_on_networkx_s_scores(
    n, density, restart, seed
):
    """Loops and nodes without edges included."""
    rng = np.random.default_rng(seed)
    half = rng.random((n, n)) * (rng.random((n, n)) < density)
    weights = half + half.T
    seeds = rng.random((n, 3)) * (rng.random((n, 3)) < 0.4)
    seeds[0] += 0.1
    prepared = transition(sparse.csr_array(weights))
    assert prepared.symmetric
    result = pagerank(prepared, seeds, restart, tolerance=1e-13, max_steps=1000)
    assert result.converged
    assert (result.scores >= 0).all()
    graph = nx.from_numpy_array(weights)
    for column in range(3):
        start = dict(enumerate(seeds[:, column]))
        expected = nx.pagerank(
            graph,
            alpha=1 - restart,
            personalization=start,
            dangling=start,
            tol=1e-14,
            max_iter=3000,
        )
        found = dict(enumerate(result.scores[:, column]))
        assert found == pytest.approx(expected, abs=1e-8)
