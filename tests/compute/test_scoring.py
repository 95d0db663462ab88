import math

import pytest

from skillmill.compute import scoring

RANKED = ["a", "b", "c", "d"]
WITH_K = [
    scoring.hit,
    scoring.recall,
    scoring.precision,
    scoring.full_coverage,
    scoring.ndcg_standard,
    scoring.ndcg_longmemeval,
    scoring.recall_any,
    scoring.recall_all,
    scoring.reciprocal_rank,
]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (scoring.hit, 1),
        (scoring.recall, 0.5),
        (scoring.precision, 1 / 3),
        (scoring.full_coverage, 0),
        (scoring.reciprocal_rank, 0.5),
    ],
)
def test_one_of_two_relevant_items_at_rank_two(measure, expected):
    assert measure(RANKED, {"b", "d"}, 3) == pytest.approx(expected)


@pytest.mark.parametrize("measure", WITH_K)
def test_nothing_relevant_gives_none_not_zero_u28(measure):
    assert measure(RANKED, (), 3) is None


@pytest.mark.parametrize("measure", WITH_K)
def test_a_miss_scores_zero(measure):
    assert measure(RANKED, {"z"}, 3) == 0
    assert measure([], {"z"}, 3) == 0


@pytest.mark.parametrize("measure", WITH_K)
def test_a_perfect_ranking_scores_one(measure):
    assert measure(["b", "a"], ["a", "b"], 2) == 1


@pytest.mark.parametrize("measure", WITH_K)
def test_k_starts_at_one(measure):
    with pytest.raises(ValueError, match="k must be at least 1"):
        measure(RANKED, {"a"}, 0)


def test_one_of_two_evidence_sessions_is_any_but_not_all_u28():
    assert scoring.recall_any(["s1", "s3"], {"s1", "s2"}, 5) == 1
    assert scoring.recall_all(["s1", "s3"], {"s1", "s2"}, 5) == 0


def test_both_forms_of_ndcg_at_rank_two_u29():
    ranked, relevant = ["x", "a", "y"], {"a"}
    assert scoring.ndcg_standard(ranked, relevant, 3) == pytest.approx(0.6309, abs=5e-5)
    assert scoring.ndcg_longmemeval(ranked, relevant, 3) == 1


def test_both_forms_of_ndcg_with_two_relevant_items_u29():
    ranked, relevant = ["a", "x", "b"], {"a", "b"}
    standard = (1 + 1 / 2) / (1 + 1 / math.log2(3))
    variant = (1 + 1 / math.log2(3)) / (1 + 1)
    assert scoring.ndcg_standard(ranked, relevant, 3) == pytest.approx(standard)
    assert scoring.ndcg_longmemeval(ranked, relevant, 3) == pytest.approx(variant)


def test_the_ideal_ranking_is_cut_at_k_too():
    assert scoring.ndcg_standard(["a", "x"], {"a", "b", "c"}, 1) == 1


def test_recall_at_one_of_three_relevant_items_is_a_third():
    assert scoring.recall(["a", "b"], {"a", "b", "c"}, 1) == pytest.approx(1 / 3)


def test_a_short_ranking_still_has_k_places():
    assert scoring.precision(["a"], {"a"}, 4) == 0.25


def test_an_item_named_twice_counts_once():
    ranked, relevant = ["a", "a", "b"], {"a", "b"}
    assert scoring.recall(ranked, relevant, 2) == 0.5
    assert scoring.precision(ranked, relevant, 3) == pytest.approx(2 / 3)
    assert scoring.ndcg_standard(ranked, relevant, 2) < 1
    assert scoring.recall(["a"], ["a", "a"], 1) == 1


def test_the_reciprocal_rank_looks_at_the_whole_ranking_unless_cut():
    assert scoring.reciprocal_rank(RANKED, {"d"}) == 0.25
    assert scoring.reciprocal_rank(RANKED, {"d"}, 3) == 0
    assert scoring.reciprocal_rank([], {"d"}) == 0
    assert scoring.reciprocal_rank([], ()) is None
