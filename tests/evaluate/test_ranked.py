"""Scores of rankings, by hand."""

import pytest

from skillmill.evaluate.ranked import (
    library_metrics,
    memory_metrics,
    score_rankings,
)
from skillmill.types import Ranking

RELEVANT = {"t1": ("a", "b"), "t2": ("c",), "t3": ()}


def value(rows, arm, query, metric, k):
    (row,) = [
        r for r in rows if (r.arm, r.query, r.metric, r.k) == (arm, query, metric, k)
    ]
    return row.value


def scored(*rankings, arms=("one",)):
    return score_rankings(rankings, RELEVANT, library_metrics([1, 2]), arms)


def test_a_ranking_is_scored_at_each_cutoff():
    rows = scored(Ranking("one", "t1", ("b", "x", "a"), (3.0, 2.0, 1.0)))
    assert value(rows, "one", "t1", "hit", 1) == 1.0
    assert value(rows, "one", "t1", "recall", 1) == 0.5
    assert value(rows, "one", "t1", "recall", 2) == 0.5
    assert value(rows, "one", "t1", "full_coverage", 2) == 0.0
    assert value(rows, "one", "t1", "mrr", None) == 1.0
    # Gains 1, 0 against the ideal 1, 1: 1 / (1 + 1 / log2(3)).
    assert value(rows, "one", "t1", "ndcg_standard", 2) == pytest.approx(0.613147)


def test_a_missing_and_a_failed_ranking_score_zero_and_count():
    rows = scored(Ranking("one", "t1", ("a",), (1.0,), "failed", "endpoint down"))
    assert value(rows, "one", "t1", "recall", 2) == 0.0
    assert value(rows, "one", "t2", "recall", 2) == 0.0
    assert value(rows, "one", "t2", "mrr", None) == 0.0


def test_a_query_without_anything_relevant_has_no_value():
    rows = scored(Ranking("one", "t3", ("a",), (1.0,)))
    assert {r.value for r in rows if r.query == "t3"} == {None}


def test_every_arm_has_a_row_for_every_query_and_metric():
    rows = scored(arms=("two", "one"))
    assert len(rows) == 2 * 3 * len(library_metrics([1, 2]))
    assert [r.arm for r in rows] == sorted(r.arm for r in rows)


def test_memory_metrics_name_full_evidence():
    assert set(memory_metrics([10, 5, 10])) == {
        ("recall", 5),
        ("recall", 10),
        ("full_evidence", 5),
        ("full_evidence", 10),
        ("mrr", None),
    }
