import itertools
import time

import networkx as nx
import numpy as np
import pytest

from skillmill.compute.matching import assign, best_columns


def best_by_trying(weights):
    """The best sum over every way to give rows columns of their own."""
    q, n = weights.shape
    wide = np.hstack([weights, np.zeros((q, q))])
    return max(
        sum(wide[row, column] for row, column in enumerate(columns))
        for columns in itertools.permutations(range(n + q), q)
    )


def test_two_rows_that_want_one_column_get_the_pair_worth_most():
    # Each row's best is column 0; .9 + .3 is less than .8 + .7.
    found = assign([[0.9, 0.7], [0.8, 0.3]])
    assert found.columns.tolist() == [1, 0]
    assert found.weights.tolist() == [0.7, 0.8]
    assert found.total == pytest.approx(1.5)
    assert found.unmatched == ()


def test_argmax_lets_rows_share_a_column():
    found = best_columns([[0.9, 0.7], [0.8, 0.3], [0.0, -1.0]])
    assert found.columns.tolist() == [0, 0]
    assert found.unmatched == (2,)


def test_more_rows_than_columns_leaves_the_least_worth_unmatched():
    found = assign([[0.5], [0.9], [0.7]])
    assert found.rows.tolist() == [1]
    assert found.unmatched == (0, 2)


def test_a_pair_at_the_floor_is_none_and_one_above_is():
    found = assign([[0.3, 0.0], [0.0, 0.300001]], floor=0.3)
    assert found.rows.tolist() == [1]
    assert found.unmatched == (0,)


def test_negative_weights_are_never_matched():
    assert assign([[-0.1, -0.5]]).unmatched == (0,)


def test_of_equal_sums_columns_on_the_left_are_taken():
    found = assign(np.full((2, 5), 0.5))
    assert sorted(found.columns.tolist()) == [0, 1]
    rng = np.random.default_rng(1)
    tied = rng.integers(0, 3, (4, 400)) / 2
    once, twice = assign(tied), assign(tied[:, :])
    assert once.columns.tolist() == twice.columns.tolist()


def test_the_last_bits_of_a_weight_decide_nothing():
    weights = np.array([[0.5, 0.5 + 1e-9, 0.2]])
    assert assign(weights).columns.tolist() == [0]
    assert best_columns(weights).columns.tolist() == [0]


@pytest.mark.parametrize(("q", "n"), [(0, 3), (3, 0), (0, 0)])
def test_nothing_to_match_leaves_every_row_unmatched(q, n):
    assert assign(np.empty((q, n))).unmatched == tuple(range(q))
    assert best_columns(np.empty((q, n))).unmatched == tuple(range(q))


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_equals_that_of_trying_everything(seed):
    rng = np.random.default_rng(seed)
    weights = np.round(rng.normal(0.2, 0.5, (3, int(rng.integers(1, 6)))), 6)
    assert assign(weights).total == pytest.approx(best_by_trying(weights))


@pytest.mark.parametrize(("q", "n"), [(6, 400), (12, 5_000), (3, 130)])
def test_pruning_columns_keeps_the_optimum_of_networkx(q, n):
    rng = np.random.default_rng(q)
    # Few directions and whole tenths: rows share their favourites, and ties abound.
    weights = np.round(rng.normal(size=(q, 2)) @ rng.normal(size=(2, n)), 1)
    graph = nx.Graph()
    for row in range(q):
        near = np.argsort(-weights[row], kind="stable")[: 3 * q]
        graph.add_weighted_edges_from(
            (("row", row), int(column), weights[row, column])
            for column in near.tolist()
            if weights[row, column] > 0
        )
    pairs = nx.max_weight_matching(graph)
    best = sum(graph.edges[pair]["weight"] for pair in pairs)
    found = assign(weights)
    assert found.total == pytest.approx(best)
    assert len(set(found.columns.tolist())) == len(found.columns)


@pytest.mark.parametrize(
    ("weights", "floor"), [([0.1, 0.2], 0.0), ([[np.nan]], 0.0), ([[0.5]], -0.1)]
)
def test_what_no_assignment_can_be_made_of_is_refused(weights, floor):
    with pytest.raises(ValueError, match="weight"):
        assign(weights, floor)


def test_ten_rows_and_many_columns_take_milliseconds():
    rng = np.random.default_rng(0)
    weights = rng.random((10, 80_000)).astype(np.float32)
    assign(weights)
    took = []
    for _ in range(5):
        start = time.process_time()
        assign(weights)
        took.append(time.process_time() - start)
    # 5 ms is the aim (benchmarks/trace.py measures it); a busy machine gets slack.
    assert min(took) < 0.05
