from dataclasses import replace

from skillmill.report.caveats import (
    failures,
    heuristic_arms,
    outcome_rows,
    problem_list,
    state_counts,
)
from skillmill.report.inputs import ReportInputs
from skillmill.types import LoadReport, Problem
from tests.report.test_tables import FOUND

OUTCOMES = [
    ("rank", "ok", "", 5),
    ("rank", "failed", "no vector", 2),
    ("embed", "ok", "", 9),
    ("rank", "skipped", "not asked", 1),
]


def problem(file, line, severity):
    return Problem(file, line, None, severity, "code", "message")


def test_failures_come_first_and_the_rest_is_counted_by_severity():
    problems = (
        problem("a", 1, "info"),
        problem("a", 2, "warning"),
        problem("b", 9, "failed"),
        problem("b", None, "failed"),
        problem("c", 1, "warning"),
    )
    report = LoadReport("skills", 5, 0, 3, 2, problems)
    listed = problem_list(report, 3)
    assert [(p.file, p.line) for p in listed.shown] == [("b", None), ("b", 9), ("a", 2)]
    assert listed.left_out == (("warning", 1), ("info", 1))
    assert listed.left_out_count == 2


def test_nothing_is_left_out_within_the_limit():
    report = LoadReport("skills", 1, 0, 1, 0, (problem("a", 1, "warning"),))
    assert problem_list(report, 1).left_out == ()
    assert problem_list(LoadReport("skills", 0, 0, 0, 0), 1).shown == ()


def test_outcomes_are_ordered_by_stage_failures_first():
    assert [row[:2] for row in outcome_rows(OUTCOMES)] == [
        ("embed", "ok"),
        ("rank", "failed"),
        ("rank", "skipped"),
        ("rank", "ok"),
    ]


def test_failed_and_empty_are_counted_apart_u32():
    assert state_counts(OUTCOMES) == {"failed": 2, "skipped": 1, "empty": 0, "ok": 14}


def test_everything_that_failed_is_said_in_a_sentence():
    inputs = ReportInputs(
        study="s",
        title="t",
        outcomes=OUTCOMES,
        load_reports=[LoadReport("skills", 25, 24, 0, 1), LoadReport("x", 1, 1, 0, 0)],
        scores=[
            replace(FOUND, n=0, value=None),
            replace(FOUND, k=1, n=0, value=None),
            replace(FOUND, category="direct", n=0, value=None),
        ],
    )
    assert failures(inputs) == [
        "rank: 2 failed (no vector)",
        "rank: 1 skipped (not asked)",
        "skills: 1 of 25 items could not be read",
        "library, all split, keyword: no value for recall@1, recall@5",
    ]


def test_a_clean_study_has_no_failures_and_no_stand_ins():
    inputs = ReportInputs(study="s", title="t", scores=[FOUND])
    assert failures(inputs) == []
    assert heuristic_arms(inputs) == {}


def test_arms_with_a_heuristic_figure_are_named_by_track():
    scores = [
        replace(FOUND, arm="b", heuristic=True),
        replace(FOUND, arm="a", heuristic=True),
        replace(FOUND, arm="a", k=1, heuristic=True),
        FOUND,
    ]
    inputs = ReportInputs(study="s", title="t", scores=scores)
    assert heuristic_arms(inputs) == {"library": ["a", "b"]}
