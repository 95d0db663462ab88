from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from skillmill.compute.pagerank import pagerank, transition

EXACT = {"tolerance": 1e-13, "max_steps": 2000}


def graph(n, *edges):
    rows, columns, weights = zip(*edges, strict=True) if edges else ((), (), ())
    return sparse.csr_array((np.array(weights, float), (rows, columns)), shape=(n, n))


CHAIN = graph(2, (0, 1, 5.0))
CYCLE = graph(2, (0, 1, 1.0), (1, 0, 1.0))


def test_mass_of_a_row_without_edges_returns_to_the_seeds():
    # a = 1/2 + b/2 and b = a/2
    result = pagerank(CHAIN, [1.0, 0.0], restart=0.5, **EXACT)
    assert result.scores == pytest.approx([2 / 3, 1 / 3])
    assert result.converged


def test_edges_share_by_weight():
    # b = .2 (a / 4), c = .2 (3 a / 4), a = .8 + .2 (b + c), so a = .8 / .96
    star = graph(3, (0, 1, 1.0), (0, 2, 3.0))
    result = pagerank(star, [2.0, 0.0, 0.0], restart=0.8, **EXACT)
    assert result.scores == pytest.approx([5 / 6, 1 / 24, 1 / 8])


def test_a_common_dependency_gets_its_share_and_no_more_u58():
    # ten skills need skill 10; two are seeds: s = r/2 + (1-r) a/2, a = (1-r) 2 s
    edges = [(skill, 10, 1.0) for skill in range(10)]
    result = pagerank(graph(11, *edges), [1, 1] + [0] * 9, restart=0.2, **EXACT)
    assert result.scores[[0, 1, 10]] == pytest.approx([0.5 / 1.8, 0.5 / 1.8, 0.8 / 1.8])
    assert result.scores[2:10].tolist() == [0] * 8
    assert result.scores.sum() == pytest.approx(1)


def test_always_restarting_gives_the_seeds():
    result = pagerank(CYCLE, [3.0, 1.0], restart=1)
    assert result.scores.tolist() == [0.75, 0.25]
    assert result.converged
    assert result.steps == 1


def test_never_restarting_on_a_cycle_swings_for_ever_and_says_so():
    result = pagerank(CYCLE, [1.0, 0.0], restart=0, max_steps=51)
    assert not result.converged
    assert result.residual == 2
    assert result.steps == 51
    assert result.scores.tolist() == [0, 1]


def test_never_restarting_forgets_the_seeds_where_a_walk_settles():
    # a keeps half its mass and gives half to b, b gives all to a: a = a/2 + b
    loop = graph(2, (0, 0, 1.0), (0, 1, 1.0), (1, 0, 1.0))
    for seeds in ([1.0, 0.0], [0.0, 1.0]):
        result = pagerank(loop, seeds, restart=0, **EXACT)
        assert result.scores == pytest.approx([2 / 3, 1 / 3])


def test_too_few_steps_are_reported():
    result = pagerank(CHAIN, [1.0, 0.0], restart=0.5, tolerance=1e-9, max_steps=3)
    assert not result.converged
    assert result.residual > 1e-9


def test_many_seed_columns_give_what_each_gives_alone():
    rng = np.random.default_rng(0)
    adjacency = sparse.random_array((40, 40), density=0.05, rng=rng, format="csr")
    seeds = rng.random((40, 6)) * (rng.random((40, 6)) < 0.3)
    together = pagerank(adjacency, seeds, restart=0.3)
    for column in range(6):
        alone = pagerank(adjacency, seeds[:, column], restart=0.3)
        assert together.scores[:, column] == pytest.approx(alone.scores, abs=1e-15)
    assert together.scores.sum(axis=0) == pytest.approx(np.ones(6))


def test_a_column_without_seeds_scores_zero_and_leaves_the_others_alone():
    result = pagerank(CHAIN, [[0.0, 1.0], [0.0, 0.0]], restart=0.5, **EXACT)
    assert result.scores[:, 0].tolist() == [0, 0]
    assert result.scores[:, 1] == pytest.approx([2 / 3, 1 / 3])
    assert result.converged


def test_a_graph_that_was_prepared_gives_the_same_walks():
    prepared = transition(CHAIN)
    assert prepared.dangling.tolist() == [1]
    assert prepared.step.toarray().tolist() == [[0, 0], [1, 0]]
    for seeds in ([1.0, 0.0], [1.0, 3.0]):
        one, other = pagerank(CHAIN, seeds, 0.5), pagerank(prepared, seeds, 0.5)
        assert one.scores.tolist() == other.scores.tolist()


def test_edges_that_go_both_ways_with_one_weight_need_half_the_steps():
    rng = np.random.default_rng(8)
    one_way = sparse.random_array((40, 90), density=0.05, rng=rng, format="csr")
    both = sparse.csr_array(sparse.block_array([[None, one_way], [one_way.T, None]]))
    prepared = transition(both)
    assert prepared.symmetric
    assert not transition(CHAIN).symmetric
    plain = replace(prepared, symmetric=False)
    fast, slow = (
        pagerank(prepared, np.eye(130)[0], 0.3),
        pagerank(plain, np.eye(130)[0], 0.3),
    )
    assert fast.converged
    assert slow.converged
    assert 2 * fast.steps < slow.steps
    assert fast.scores == pytest.approx(slow.scores, abs=1e-6)


def test_a_graph_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"square matrix of edges, got \(2, 3\)"):
        transition(sparse.csr_array((2, 3)))


def test_each_column_tells_whether_it_had_settled():
    seeds = np.array([[1.0, 0.5], [0.0, 0.5]])
    result = pagerank(CYCLE, seeds, restart=0, max_steps=9)
    assert result.settled.tolist() == [False, True]
    assert result.residuals.tolist() == [2, 0]


def test_an_empty_graph_has_empty_scores():
    result = pagerank(graph(0), np.zeros(0), restart=0.5)
    assert result.scores.shape == (0,)
    assert result.converged
    assert pagerank(graph(3), np.zeros((3, 0)), 0.5).scores.shape == (3, 0)


def test_inputs_are_left_alone():
    adjacency, seeds = graph(2, (0, 1, 5.0)), np.array([3.0, 1.0])
    pagerank(adjacency, seeds, restart=0.5)
    assert adjacency.data.tolist() == [5]
    assert seeds.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("adjacency", "seeds", "restart", "max_steps", "message"),
    [
        (CHAIN, [1.0], 0.5, 9, "do not fit"),
        (CHAIN, [[[1.0]], [[1.0]]], 0.5, 9, "do not fit"),
        (CHAIN, [-1.0, 1.0], 0.5, 9, "each seed"),
        (CHAIN, [np.nan, 1.0], 0.5, 9, "each seed"),
        (graph(2, (0, 1, -1.0)), [1.0, 0.0], 0.5, 9, "each edge weight"),
        (CHAIN, [1.0, 0.0], 1.5, 9, "restart in"),
        (CHAIN, [1.0, 0.0], 0.5, 0, "one step"),
    ],
)
def test_what_no_walk_can_be_made_of_is_refused(
    adjacency, seeds, restart, max_steps, message
):
    with pytest.raises(ValueError, match=message):
        pagerank(adjacency, seeds, restart, max_steps=max_steps)
