import numpy as np
import pytest

from skillmill.skills.merging import MERGES, cut, found_by, normalised
from skillmill.types import Node
from tests.memory.records import garden_view

VIEW = garden_view()


def evidence(*scores):
    """One query's scores over the four atoms of the garden; None is not held."""
    held = np.array([[score is not None for score in scores]])
    return np.array([[score or 0.0 for score in scores]]), held


BEFORE = evidence(1.0, 0.5, 0.0, None)
FOUND = evidence(None, 1.0, 0.25, 0.5)


def merged(rule, weight=1.0, before=BEFORE, found=FOUND):
    scores, held = MERGES[rule](before, found, weight, VIEW)
    return [
        round(float(score), 6) if own else None
        for score, own in zip(scores[0], held[0], strict=True)
    ]


def test_replace_keeps_the_step_alone():
    assert merged("replace", weight=0.5) == [None, 0.5, 0.125, 0.25]


def test_sum_adds_the_weighted_scores_of_both():
    assert merged("sum", weight=0.5) == [1.0, 1.0, 0.125, 0.25]


def test_rrf_adds_what_the_ranks_are_worth_with_k_of_five():
    # Before: ranks 1, 2, 3, -. Found: -, 1, 3, 2. Rank r is worth 6 / (5 + r).
    assert merged("rrf") == [1.0, round(6 / 7 + 1, 6), 1.5, round(6 / 7, 6)]


def test_rrf_weighs_the_step():
    assert merged("rrf", weight=0.5) == [
        1.0,
        round(6 / 7 + 0.5, 6),
        round(6 / 8 + 0.5 * 6 / 8, 6),
        round(0.5 * 6 / 7, 6),
    ]


def test_rrf_breaks_ties_by_id():
    equal = evidence(0.5, 0.5, None, None)
    scores = merged("rrf", before=equal, found=evidence(None, None, None, None))
    assert scores == [1.0, round(6 / 7, 6), None, None]


def test_intersect_holds_what_both_hold():
    assert merged("intersect") == [None, 1.5, 0.25, None]


def test_intersect_of_strangers_holds_nothing():
    assert merged("intersect", found=evidence(None, None, None, 1.0)) == [None] * 4


def test_rerank_holds_the_same_atoms_those_found_first():
    assert merged("rerank") == [round(1 / 3, 6), 1.0, round(2 / 3, 6), None]


def test_rerank_keeps_the_old_order_of_what_the_step_did_not_find():
    before = evidence(0.1, 0.9, 0.5, None)
    found = evidence(None, None, None, 1.0)
    assert merged("rerank", before=before, found=found) == [
        round(1 / 3, 6),
        1.0,
        round(2 / 3, 6),
        None,
    ]


def test_merging_nothing_with_nothing_is_nothing():
    nothing = evidence(None, None, None, None)
    for rule in MERGES:
        assert merged(rule, before=nothing, found=nothing) == [None] * 4


def test_the_default_merge_of_a_node_is_one_of_the_rules():
    assert Node("n", "dense_search").merge in MERGES


@pytest.mark.parametrize(
    ("scores", "depth", "expected"),
    [
        ([2.0, 4.0, 3.0, 1.0], 3, [0.0, 1.0, 0.5, None]),
        ([2.0, 4.0, 3.0, 1.0], 4, [1 / 3, 1.0, 2 / 3, 0.0]),
        ([0.0, 4.0, 3.0, 0.0], 4, [None, 1.0, 0.75, None]),
        ([0.0, 4.0, 3.0, 0.0], 2, [None, 1.0, 0.0, None]),
        ([1.0, 1.0, 1.0, 1.0], 2, [1.0, 1.0, None, None]),
        ([0.0, 0.0, 0.0, 0.0], 2, [None, None, None, None]),
    ],
)
def test_normalising_stretches_the_deepest_to_zero_unless_fewer_were_found(
    scores, depth, expected
):
    values, held = normalised(np.array([scores]), depth, VIEW)
    assert [
        pytest.approx(float(value)) if own else None
        for value, own in zip(values[0], held[0], strict=True)
    ] == expected
    assert (values[~held] == 0).all()


def test_a_rule_works_on_each_query_as_if_it_were_alone():
    rng = np.random.default_rng(7)
    for rule in MERGES.values():
        sides = []
        for _ in range(2):
            held = rng.random((40, 4)) < 0.6
            sides.append((np.where(held, rng.integers(0, 4, (40, 4)) / 2, 0.0), held))
        scores, held = rule(*sides, 0.5, VIEW)
        for row in range(40):
            alone = rule(
                *[(a[row : row + 1], b[row : row + 1]) for a, b in sides], 0.5, VIEW
            )
            assert (alone[0][0] == scores[row]).all()
            assert (alone[1][0] == held[row]).all()


def test_a_depth_for_each_query_is_that_query_s_own():
    scores = np.array([[4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 2.0, 1.0]])
    values, held = normalised(scores, np.array([2, 3]), VIEW)
    assert values.tolist() == [[1, 0, 0, 0], [1, 0.5, 0, 0]]
    assert held.sum(axis=1).tolist() == [2, 3]


def test_a_step_that_reranks_is_asked_about_the_atoms_held_alone():
    node = Node("n", "x", merge="rerank")
    held = np.array([[False, True, True, False]])
    scores = np.array([[9.0, 1.0, 2.0, 9.0]])
    values, found = found_by(scores, held, node, VIEW, budget=1)
    assert found.tolist() == [[False, True, True, False]]
    assert values.tolist() == [[0, 0.5, 1, 0]]


def test_a_cut_keeps_the_best_and_of_equals_the_lower_id():
    scores, held = cut(evidence(0.5, 0.5, None, 0.9), 2, VIEW)
    assert held.tolist() == [[True, False, False, True]]
    assert scores.tolist() == [[0.5, 0, 0, 0.9]]
