"""What every script shares: counts, limits, one-line errors, the run log."""

import logging
from types import SimpleNamespace

import pytest

from skillmill.errors import InputError, LimitError
from skillmill.interfaces.job import Counts, count_report, job
from skillmill.store.runs import read_jobs
from skillmill.types import LoadReport, Problem


class Params(dict):
    """Params as Snakemake hands them over: by key and by attribute."""

    __getattr__ = dict.__getitem__


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    monkeypatch.setenv("SKILLMILL_RUN", "run-1")
    return SimpleNamespace(
        log=[str(tmp_path / "job.log")],
        rule="catalogue",
        wildcards=Params(study="s"),
        params=Params(code="c0de", seed=3, root="/x"),
        config={
            "records": str(tmp_path / "records"),
            "limits": {"failed_share": 0.2},
            "data_root": str(tmp_path / "data"),
        },
        input=Params(skills=["a", "b"], one="c"),
    )


def test_a_job_leaves_a_row_with_its_counts(snakemake, tmp_path):
    with job(snakemake) as this:
        this.counts.add("ok", 3)
        this.counts.add("empty", 1, "nothing fits")
        this.counts.computed = 2
    (row,) = read_jobs(tmp_path / "records")
    assert (row.run, row.rule, row.study, row.state) == (
        "run-1",
        "catalogue",
        "s",
        "ok",
    )
    assert (row.ok, row.empty, row.failed, row.computed) == (3, 1, 0, 2)


def test_requests_write_no_line_each_into_the_log(snakemake):
    with job(snakemake):
        assert not logging.getLogger("httpx2").isEnabledFor(logging.INFO)
        assert logging.getLogger("httpx2").isEnabledFor(logging.WARNING)


def test_an_interrupt_prints_no_traceback(snakemake, capsys):
    with pytest.raises(SystemExit) as ended, job(snakemake):
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr().err == ""


def test_an_error_is_one_line_and_an_exit_code(snakemake, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended, job(snakemake):
        raise InputError("x.json: expected a list, got a dict; mend the file")
    assert ended.value.code == InputError.exit_code == 3
    said = capsys.readouterr().err
    assert said == "error: x.json: expected a list, got a dict; mend the file\n"
    (row,) = read_jobs(tmp_path / "records")
    assert (row.state, row.first_cause) == (
        "failed",
        "x.json: expected a list, got a dict; mend the file",
    )


def test_a_fault_of_our_own_is_not_hidden(snakemake):
    with pytest.raises(ZeroDivisionError), job(snakemake):
        raise ZeroDivisionError


def test_provenance_leaves_out_where_a_job_ran(snakemake):
    with job(snakemake) as this:
        made = this.provenance("catalogue", without=["root"])
    assert made.params == {"seed": 3}
    assert made.inputs == {"skills": ["a", "b"], "one": ["c"]}
    assert (made.kind, made.study, made.code) == ("catalogue", "s", "c0de")


@pytest.mark.parametrize(("failed", "stops"), [(2, False), (3, True)])
def test_a_stage_stops_past_the_limit_and_names_the_first_cause(failed, stops):
    counts = Counts()
    counts.add("ok", 10 - failed)
    counts.add("failed", 1, "a.md:3: no name")
    counts.add("failed", failed - 1, "b.md: unreadable")
    if not stops:
        counts.check("loading", 0.2)
        return
    with pytest.raises(LimitError) as caught:
        counts.check("loading", 0.2)
    assert "3 of 10 records failed" in str(caught.value)
    assert "a.md:3: no name" in str(caught.value)


def test_nothing_counted_stops_nothing():
    Counts().check("loading", 0.0)


def test_a_load_report_is_counted_with_its_first_failure():
    problems = (
        Problem("a.md", 1, None, "warning", "w", "odd"),
        Problem("b.md", None, None, "failed", "f", "not UTF-8"),
    )
    counts = Counts()
    count_report(counts, LoadReport("lib", 10, 8, 1, 1, problems), 0.2)
    assert (counts.total("ok"), counts.total("failed")) == (9, 1)
    assert counts.first_cause == "b.md: not UTF-8"


def test_a_run_log_that_cannot_be_written_is_a_warning(snakemake, tmp_path, capsys):
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "runs.sqlite").write_bytes(b"no database" * 50)
    with job(snakemake) as this:
        this.counts.add("ok")
    assert capsys.readouterr().err.startswith("warning: ")


def test_trouble_of_the_machine_is_one_line_too(snakemake, capsys):
    with pytest.raises(SystemExit), job(snakemake):
        raise OSError(28, "No space left on device", "page.html")
    assert "No space left on device: 'page.html'" in capsys.readouterr().err
