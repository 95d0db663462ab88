"""Means with intervals and the n they stand on."""

import pytest

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.types import QueryScore

RESAMPLING = Resampling(samples=500, level=0.95, seed=7)
GROUPS = {
    "q1": [("all", "all"), ("all", "direct")],
    "q2": [("all", "all")],
    "q3": [("all", "all")],
}


def rows(values, metric="recall", k=5, arm="one"):
    return [QueryScore(arm, query, metric, k, v) for query, v in values.items()]


def table(scores):
    return summarise(scores, GROUPS, track="library", study="s", resampling=RESAMPLING)


def test_the_mean_and_n_of_each_group_are_given():
    found = {r.category: r for r in table(rows({"q1": 1.0, "q2": 0.0, "q3": 0.5}))}
    assert (found["all"].value, found["all"].n) == (0.5, 3)
    assert (found["direct"].value, found["direct"].n) == (1.0, 1)
    assert found["all"].low <= 0.5 <= found["all"].high
    assert (found["direct"].low, found["direct"].high) == (1.0, 1.0)


def test_a_query_without_value_leaves_the_mean_and_n():
    (row,) = [r for r in table(rows({"q2": 1.0, "q3": None}))]
    assert (row.value, row.n) == (1.0, 1)


def test_nothing_computable_is_null_and_not_zero():
    (row,) = table(rows({"q2": None}))
    assert (row.value, row.low, row.high, row.n) == (None, None, None, 0)


def test_a_row_does_not_depend_on_the_other_rows():
    alone = table(rows({"q1": 1.0, "q2": 0.0, "q3": 0.3}))
    beside = table(
        rows({"q1": 1.0, "q2": 0.0, "q3": 0.3})
        + rows({"q1": 0.1, "q2": 0.2, "q3": 0.9}, arm="two")
    )
    assert [r for r in beside if r.arm == "one"] == alone


def test_arms_with_equal_values_have_equal_intervals():
    values = {"q1": 1.0, "q2": 0.0, "q3": 0.3}
    found = table(rows(values) + rows(values, arm="two"))
    one, two = ([r for r in found if r.arm == arm] for arm in ("one", "two"))
    assert [(r.low, r.high) for r in one] == [(r.low, r.high) for r in two]


def test_rows_are_sorted_and_an_unknown_query_is_refused():
    found = table(rows({"q1": 1.0}) + rows({"q1": 1.0}, k=1) + rows({"q1": 0.0}, "hit"))
    keys = [(r.arm, r.split, r.category, r.metric, r.k) for r in found]
    assert keys == sorted(keys)
    with pytest.raises(KeyError):
        table(rows({"nobody": 1.0}))
