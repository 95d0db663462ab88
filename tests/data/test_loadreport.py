"""Load reports: every item is counted once, problems come sorted."""

from pathlib import Path

import pytest

from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of, source_name
from skillmill.types import Problem


def problem(file="a", line=None, record=None, severity="warning", code="odd"):
    return Problem(file, line, record, severity, code, "something is odd")


def test_a_report_counts_each_outcome():
    report = ReportBuilder("library")
    report.found(4)
    for outcome in ("ok", "warned", "failed", "ok"):
        report.item(outcome)
    built = report.build()
    assert (built.found, built.loaded, built.warned, built.failed) == (4, 2, 1, 1)
    assert built.usable == 3
    assert built.source == "library"


def test_an_empty_report_is_all_zeros():
    built = ReportBuilder("library").build()
    assert (built.found, built.loaded, built.warned, built.failed) == (0, 0, 0, 0)
    assert built.problems == ()


def test_problems_are_sorted_by_file_line_record_code_and_exact_repeats_go():
    given = [
        problem("b", 1),
        problem("a", 10),
        problem("a", 2, code="y"),
        problem("a", 2, code="x"),
        problem("a", 2, "r", code="a"),
        problem("a", None),
        problem("b", 1),
    ]
    report = ReportBuilder("library")
    for each in given:
        report.add(each)
    assert report.build().problems == (
        problem("a", None),
        problem("a", 2, code="x"),
        problem("a", 2, code="y"),
        problem("a", 2, "r", code="a"),
        problem("a", 10),
        problem("b", 1),
    )


def test_a_problem_alone_counts_no_item():
    report = ReportBuilder("library")
    report.problem("a", 1, None, "warning", "odd", "something is odd")
    assert report.build().found == 0


def test_an_item_without_a_fate_is_refused():
    report = ReportBuilder("library")
    report.found(2)
    report.item("ok")
    with pytest.raises(ValueError, match="2 items were found but the fate of 1"):
        report.build()


def test_an_unknown_outcome_is_refused():
    with pytest.raises(ValueError, match="'loaded'; expected one of ok"):
        ReportBuilder("library").item("loaded")


@pytest.mark.parametrize(
    ("severities", "outcome"),
    [
        ([], "ok"),
        (["info"], "ok"),
        (["info", "warning"], "warned"),
        (["warning", "failed", "info"], "failed"),
    ],
)
def test_the_worst_severity_decides_and_info_does_not_count(severities, outcome):
    assert outcome_of([problem(severity=x) for x in severities]) == outcome


def test_a_remark_is_placed_in_a_file():
    placed = Remark(3, "odd", "something is odd").at("a", "r")
    assert placed == problem("a", 3, "r")


def test_a_source_below_the_working_directory_is_named_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert source_name(tmp_path / "data" / "skills") == "data/skills"
    assert source_name(Path("data/../skills")) == "skills"


def test_a_source_elsewhere_is_named_by_its_last_part(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert source_name(tmp_path / "skills") == "skills"
    assert source_name(Path("..")) == tmp_path.name
    assert source_name(Path(".")) == "here"
