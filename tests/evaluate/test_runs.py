"""Two runs on questions of which some are not the same."""

from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.runs import (
    RunQuestion,
    RunValues,
    compare_runs,
    missing_measures,
)
from skillmill.types import QueryScore

FEW = Resampling(200, 0.95, 0)
BOTH = ("all", "direct")


def question(text="when?", wanted=("a",), groups=BOTH):
    return RunQuestion(text, wanted, groups)


def run(values, arm="hybrid", **questions):
    asked = {query: question() for query in values} | questions
    return RunValues(
        asked, [QueryScore(arm, q, "recall", 5, v) for q, v in values.items()]
    )


def pooled(*runs):
    return next(r for r in compare_runs(*runs, FEW) if r.category == "all")


def test_means_difference_and_counts_are_over_the_common_questions():
    first = run({"q1": 1.0, "q2": 0.5, "q3": 0.0, "q4": 1.0})
    second = run({"q1": 0.5, "q2": 0.5, "q3": 1.0, "q4": 0.0})
    row = pooled(first, second)
    assert row[:8] == ("hybrid", "recall", 5, "all", 4, 0.625, 0.5, 0.125)
    assert row.low < 0.125 < row.high
    assert (row.higher, row.lower, row.left_out) == (2, 1, 0)


def test_what_is_left_out_is_counted_by_its_cause():
    first = run({"q1": 1.0, "q2": 1.0, "q3": None, "q4": 1.0, "q5": 1.0, "here": 0.0})
    second = run(
        {
            "q1": 0.5,
            "q2": 0.0,
            "q3": 0.0,
            "q4": 0.0,
            "q5": None,
            "there": 1.0,
            "x": 0.0,
        },
        q2=question("asked otherwise"),
        q4=question(wanted=("b",)),
    )
    row = pooled(first, second)
    assert (row.n, row.first, row.second) == (1, 1.0, 0.5)
    assert (row.only_first, row.only_second, row.changed, row.unscored) == (1, 2, 2, 2)
    # Eight questions are in either run.
    assert row.n + row.left_out == 8


def test_each_group_of_questions_has_a_row_pooled_first():
    first = run({"q1": 1.0, "q2": 0.0}, q2=question(groups=("adversarial",)))
    rows = compare_runs(first, first, FEW)
    assert [(r.category, r.n, r.first) for r in rows] == [
        ("all", 1, 1.0), ("adversarial", 1, 0.0), ("direct", 1, 1.0),
    ]  # fmt: skip


def test_runs_without_a_common_question_or_measure_have_no_difference():
    first, second = run({"q1": 1.0}), run({"q2": 1.0})
    row = pooled(first, second)
    assert (row.n, row.first, row.difference, row.low) == (0, None, None, None)
    assert (row.only_first, row.only_second) == (1, 1)
    other = run({"q1": 1.0}, arm="keyword")
    assert compare_runs(first, other, FEW) == []
    assert missing_measures(first, other) == [("hybrid", "recall", 5)]


def test_noise_of_the_seventh_decimal_is_no_change():
    row = pooled(run({"q1": 0.3333333333}), run({"q1": 0.3333333}))
    assert (row.higher, row.lower, row.difference) == (0, 0, 0.0)


def test_a_run_against_itself_changes_nothing():
    same = run({f"q{n}": n / 10 for n in range(11)})
    row = pooled(same, same)
    assert (row.difference, row.low, row.high) == (0.0, 0.0, 0.0)
    assert (row.n, row.higher, row.lower, row.left_out) == (11, 0, 0, 0)
