import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.compute.fusion import (
    minmax,
    reciprocal_rank,
    top,
    top_rows,
    weighted_sum,
)


def test_scores_are_stretched_between_worst_and_best():
    assert minmax([2.0, 6.0, 3.0]).tolist() == [0, 1, 0.25]


def test_only_the_best_are_stretched_and_the_rest_is_zero():
    assert minmax([5.0, 9.0, 7.0, 1.0], depth=3).tolist() == [0, 1, 0.5, 0]


def test_of_equal_scores_at_the_depth_the_earlier_is_in():
    assert minmax([1.0, 3.0, 2.0, 2.0, 1.0], depth=4).tolist() == [0, 1, 0.5, 0.5, 0]
    assert minmax([2.0, 2.0, 2.0], depth=2).tolist() == [1, 1, 0]


@pytest.mark.parametrize(("value", "stretched"), [(0.3, 1), (0.0, 0), (-0.2, 0)])
def test_equal_scores_are_a_match_only_if_positive(value, stretched):
    assert minmax([value, value]).tolist() == [stretched, stretched]
    assert minmax([value]).tolist() == [stretched]


def test_no_scores_stay_no_scores():
    assert minmax([]).tolist() == []
    assert top([], [], 3).tolist() == []
    assert reciprocal_rank([], 60) == {}


@pytest.mark.parametrize("bad", [[np.nan, 1], [np.inf, 1], [[1.0]]])
def test_scores_that_are_no_numbers_are_refused_u59(bad):
    with pytest.raises(ValueError, match="finite"):
        minmax(bad)
    with pytest.raises(ValueError, match="finite"):
        top(bad, ["a", "b"], 1)


def test_a_depth_of_zero_is_refused():
    with pytest.raises(ValueError, match="depth"):
        minmax([1.0], depth=0)


def test_parts_are_summed_by_weight():
    assert weighted_sum([[1.0, 0.0], [0.5, 1.0]], [0.25, 0.5]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(("parts", "weights"), [([], []), ([[1.0]], [1, 2])])
def test_each_part_needs_a_weight(parts, weights):
    with pytest.raises(ValueError, match="weight a part"):
        weighted_sum(parts, weights)


def test_reciprocal_ranks_add_up_over_the_rankings():
    fused = reciprocal_rank([["a", "b"], ["b", "c", "a"]], k=60)
    assert fused == pytest.approx(
        {"a": 1 / 61 + 1 / 63, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    )


def test_a_negative_k_is_refused():
    with pytest.raises(ValueError, match="k must"):
        reciprocal_rank([["a"]], -1)


def test_the_best_come_first_and_ties_go_by_id():
    assert top([0.1, 0.5, 0.5, 0.9], ["a", "c", "b", "d"], 3).tolist() == [3, 2, 1]


def test_scores_that_agree_in_six_decimals_are_tied():
    assert top([0.5 + 4e-7, 0.5], ["b", "a"], 1).tolist() == [1]
    assert top([0.5 + 2e-6, 0.5], ["b", "a"], 1).tolist() == [0]


def test_the_floor_itself_is_out():
    assert top([0.0, 1e-9, -1.0], ["a", "b", "c"], 5, floor=0).tolist() == [1]


@pytest.mark.parametrize(("k", "rows"), [(0, []), (1, [0]), (2, [0, 1]), (9, [0, 1])])
def test_k_is_clipped_to_what_is_there_u56(k, rows):
    assert top([2.0, 1.0], ["a", "b"], k).tolist() == rows


@pytest.mark.parametrize(("ids", "k"), [(["a"], 1), (["a", "b"], -1)])
def test_ids_and_k_must_fit(ids, k):
    with pytest.raises(ValueError, match="2 scores"):
        top([2.0, 1.0], ids, k)


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, -1.0]), max_size=12),
    st.integers(0, 14),
    st.sampled_from([None, 0.0, 0.25]),
)
def test_the_top_is_the_start_of_the_full_order(scores, k, floor):
    ids = [f"id{(7 * row) % 13}" for row in range(len(scores))]
    rows = [row for row in range(len(ids)) if floor is None or scores[row] > floor]
    expected = sorted(rows, key=lambda row: (-scores[row], ids[row]))[:k]
    assert top(scores, ids, k, floor).tolist() == expected


def test_rows_of_many_queries_are_ordered_by_score_then_by_place():
    scores = np.array([[0.5, 0.9, 0.5], [0.0, -1.0, 2.0]])
    assert top_rows(scores, np.array([2, 1, 0]), 3).tolist() == [[1, 2, 0], [2, 0, 1]]
    assert top_rows(scores, np.array([0, 1, 2]), 2).tolist() == [[1, 0], [2, 0]]


def test_rows_that_may_not_be_taken_leave_places_empty():
    among = np.array([[True, False, True], [False, False, False]])
    scores = np.array([[0.5, 0.9, 0.7], [1.0, 1.0, 1.0]])
    found = top_rows(scores, np.arange(3), 5, among)
    assert found.tolist() == [[2, 0, -1], [-1, -1, -1]]


def test_no_rows_no_queries_and_no_places_are_no_fault():
    assert top_rows(np.zeros((2, 0)), np.arange(0), 4).shape == (2, 0)
    assert top_rows(np.zeros((0, 3)), np.arange(3), 2).shape == (0, 2)
    assert top_rows(np.zeros((2, 3)), np.arange(3), 0).shape == (2, 0)


@given(
    st.integers(1, 40),
    st.integers(0, 45),
    st.sampled_from([1e-7, 0.3, 1.0, 1e9, 1e300]),
    st.integers(0, 10**6),
)
def test_many_queries_are_ordered_as_each_alone(n, k, scale, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-3, 6, (4, n)) * scale
    among = rng.random((4, n)) < 0.7
    ids = [f"{name:02d}" for name in rng.permutation(n)]
    place = np.argsort(np.argsort(ids))
    found = top_rows(scores, place, k, among)
    for query in range(4):
        rows = np.flatnonzero(among[query])
        best = top(scores[query, rows], [ids[row] for row in rows], k)
        expected = rows[best].tolist()
        assert found[query].tolist() == expected + [-1] * (min(k, n) - len(expected))
