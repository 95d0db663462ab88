"""Choices and intervals that keep conversations whole, worked by hand."""

from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.folds import (
    BEST_SINGLE,
    by_conversation,
    conversation_groups,
    leave_one_out,
    planned_pairs,
)
from skillmill.types import QueryScore

FIGURE = ("recall", 10)
HOMES = {"x/q0": "x", "x/q1": "x", "y/q0": "y", "z/q0": "z"}
RESAMPLING = Resampling(200, 0.95, 0)


def values(**by_arm):
    """Recall@10 by arm, in the order of HOMES."""
    return [
        QueryScore(arm, query, *FIGURE, value)
        for arm, row in by_arm.items()
        for query, value in zip(HOMES, row, strict=True)
    ]


def chosen(rows, arms=("a", "b")):
    return leave_one_out(rows, HOMES, FIGURE, arms)


def test_each_conversation_gets_what_is_best_on_the_others():
    # Without x: a .5, b .5, so the first name; without y: a 1/3, b 2/3; without z:
    # a 2/3, b 1/3.
    rows = values(a=(0.0, 1.0, 1.0, 0.0), b=(1.0, 0.0, 0.0, 1.0))
    found, by = chosen(rows)
    assert by == {"x": "a", "y": "b", "z": "a"}
    assert [(v.query, v.value) for v in found] == [
        ("x/q0", 0.0), ("x/q1", 1.0), ("y/q0", 0.0), ("z/q0", 0.0),
    ]  # fmt: skip
    assert {v.arm for v in found} == {BEST_SINGLE}


def test_the_held_out_conversation_has_no_say():
    rows = values(a=(1.0, 1.0, 0.0, 0.0), b=(0.0, 0.0, 0.4, 0.4))
    assert chosen(rows)[1]["x"] == "b"


def test_only_the_arms_offered_are_chosen_and_questions_without_value_do_not_count():
    rows = values(a=(None, None, None, 0.1), b=(0.0, 0.0, 0.0, 0.0), c=(1.0,) * 4)
    assert chosen(rows)[1] == {"x": "a", "y": "a", "z": "b"}


def test_one_conversation_leaves_nothing_to_choose_on():
    rows = [QueryScore("a", "x/q0", *FIGURE, 1.0)]
    assert leave_one_out(rows, {"x/q0": "x"}, FIGURE, ["a"]) == ([], {})
    assert leave_one_out([], {}, FIGURE, []) == ([], {})


def test_other_metrics_follow_the_choice():
    rows = [
        *values(a=(1.0,) * 4, b=(0.0,) * 4),
        QueryScore("a", "x/q0", "mrr", None, 0.5),
    ]
    found, _ = chosen(rows)
    assert [v.value for v in found if v.metric == "mrr"] == [0.5]


def test_whole_conversations_are_redrawn():
    rows = values(a=(1.0, 1.0, 0.0, 0.0))
    groups = {query: [("all", "all")] for query in HOMES}
    (row,) = by_conversation(rows, groups, HOMES, study="s", resampling=RESAMPLING)
    assert (row.metric, row.k, row.n, row.value) == (
        "recall_by_conversation",
        10,
        4,
        0.5,
    )
    # Drawing x three times gives 1, never drawing it 0.
    assert (row.low, row.high) == (0.0, 1.0)


def test_one_conversation_tells_nothing_of_the_spread():
    rows = values(a=(1.0, 0.0, None, None))
    groups = {query: [("all", "all")] for query in HOMES}
    (row,) = by_conversation(rows, groups, HOMES, study="s", resampling=RESAMPLING)
    assert (row.low, row.value, row.high, row.n) == (0.5, 0.5, 0.5, 2)


def test_small_conversations_get_no_row_of_their_own():
    groups = conversation_groups(HOMES, least=2)
    assert groups["x/q0"] == [("all", "conversation:x")]
    assert groups["y/q0"] == []
    assert conversation_groups({}) == {}


def test_the_best_is_compared_with_each_other_and_tuned_with_literal():
    rows = values(a=(1.0,) * 4, b=(0.5,) * 4, **{"b-literal": (0.0,) * 4})
    assert planned_pairs(rows, HOMES, FIGURE) == [
        ("a", "b"), ("a", "b-literal"), ("b", "b-literal"),
    ]  # fmt: skip
    assert planned_pairs([], HOMES, FIGURE) == []
