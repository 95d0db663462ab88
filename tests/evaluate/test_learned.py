"""Weights that are learned: from a start, towards what leads to relevant items."""

import numpy as np
import pytest

from skillmill.evaluate.learned import (
    LearningSettings,
    cross_validated,
    fit_weights,
)
from skillmill.types import Ranking

SETTINGS = LearningSettings(folds=3, repeats=2, penalty=0.1)


def test_one_list_of_two_items_has_the_weight_of_its_formula():
    """min w²/2 + log(1 + exp(-w)): w = 1 / (1 + exp(w)), so w = 0.40105814."""
    rows, good = np.array([[1.0], [0.0]]), np.array([True, False])
    found = fit_weights([(rows, good)], np.zeros(1), 1.0)
    assert found == pytest.approx([0.40105814], abs=1e-5)


def test_lists_that_say_nothing_leave_the_start():
    rows, start = np.ones((2, 2)), np.array([1.0, 2.0])
    none, both = np.zeros(2, dtype=bool), np.ones(2, dtype=bool)
    assert fit_weights([(rows, none), (rows, both)], start, 1.0) is start
    assert fit_weights([], start, 1.0) is start


def ranking(query, items):
    scores = tuple(1.0 - 0.1 * place for place in range(len(items)))
    return Ranking("hybrid", query, tuple(items), scores, "ok", None)


def study(helpful):
    """Nine queries whose relevant item is second by the sum, first by `helpful`."""
    rankings, parts, relevant = [], {}, {}
    for number in range(9):
        query = f"q{number}"
        rankings.append(ranking(query, ["b", "a"]))
        values = {"b": {"keyword": 0.5, "semantic": 0.4}, "a": {"keyword": 0.1}}
        values["a"] |= {"semantic": 0.5}
        values["a" if helpful else "b"]["sentence"] = 1.0
        parts[query], relevant[query] = values, ["a"]
    return rankings, parts, relevant


def value(rows, arm, query="q0", metric="hit", k=1):
    key = (arm, query, metric, k)
    (found,) = [r.value for r in rows if (r.arm, r.query, r.metric, r.k) == key]
    return found


def test_a_reranker_learns_what_the_sum_of_the_parts_misses():
    rows = cross_validated(*study(helpful=True), [1, 5], SETTINGS)
    assert value(rows, "hybrid") == 0
    assert value(rows, "hybrid+rerank") == 1
    assert value(rows, "hybrid+rerank - hybrid", metric="hit_difference") == 1
    assert value(rows, "hybrid", metric="recall", k=5) == 1


def test_a_query_is_scored_by_what_the_others_teach_alone():
    """The one query that wants b is held out, so nothing that it says helps it."""
    rankings, parts, relevant = study(helpful=True)
    relevant["q0"] = ["b"]
    rows = cross_validated(rankings, parts, relevant, [1], SETTINGS)
    assert value(rows, "hybrid") == 1
    assert value(rows, "hybrid+rerank") == 0


def test_fewer_queries_than_folds_teach_nothing():
    rankings, parts, relevant = study(helpful=True)
    assert cross_validated(rankings[:2], parts, relevant, [1], SETTINGS) == []
    assert cross_validated(rankings, parts, {}, [1], SETTINGS) == []


def test_an_empty_ranking_scores_zero_and_counts():
    rankings, parts, relevant = study(helpful=True)
    rankings[0] = Ranking("hybrid", "q0", (), (), "empty", "nothing fits")
    rows = cross_validated(rankings, parts, relevant, [1], SETTINGS)
    assert value(rows, "hybrid+rerank") == 0
    assert value(rows, "hybrid+rerank", "q1") == 1
