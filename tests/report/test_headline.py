from dataclasses import replace

from skillmill.report.headline import headline
from tests.report.test_tables import FOUND

WANTED = ("recall", 5)


def test_arms_come_best_first_and_those_without_a_value_last():
    scores = [
        replace(FOUND, arm="c", value=None),
        replace(FOUND, arm="b", value=0.25),
        replace(FOUND, arm="a", value=0.5),
        replace(FOUND, arm="d", value=0.75),
        replace(FOUND, arm="e", value=0.9, category="direct"),
    ]
    found = headline(scores, "library", WANTED)
    assert [cell.score.arm for cell in found.cells] == ["d", "a", "b", "c"]
    assert (found.best.value, found.column, found.wanted) == ("75.0", "recall@5", True)


def test_values_equal_to_six_decimals_are_ordered_by_name():
    scores = [
        replace(FOUND, arm="b", value=0.5000001),
        replace(FOUND, arm="a", value=0.5),
    ]
    found = headline(scores, "library", WANTED)
    assert [cell.score.arm for cell in found.cells] == ["a", "b"]


def test_the_test_split_comes_before_the_others():
    scores = [
        replace(FOUND, split="val", value=0.9),
        replace(FOUND, split="test", value=0.4),
    ]
    found = headline(scores, "library", WANTED)
    assert (found.split, found.best.value) == ("test", "40.0")


def test_another_metric_stands_in_where_the_wanted_one_is_missing_and_says_so():
    scores = [replace(FOUND, metric="mrr", k=None), replace(FOUND, metric="hit", k=1)]
    found = headline(scores, "library", WANTED)
    assert (found.column, found.wanted) == ("hit@1", False)


def test_a_track_without_pooled_scores_has_no_headline():
    assert headline([], "library", WANTED) is None
    assert headline([FOUND], "memory", WANTED) is None
    assert headline([replace(FOUND, category="direct")], "library", WANTED) is None


def test_the_arm_that_is_used_sums_up_not_the_best_of_many():
    scores = [
        replace(FOUND, arm="lucky", value=0.9),
        replace(FOUND, arm="hybrid", value=0.8),
    ]
    assert headline(scores, "library", WANTED).used.score.arm == "hybrid"
    assert headline(scores[:1], "library", WANTED).used.score.arm == "lucky"
