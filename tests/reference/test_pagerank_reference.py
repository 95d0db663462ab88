"""Personalised PageRank against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from skillmill.compute.pagerank import pagerank


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
