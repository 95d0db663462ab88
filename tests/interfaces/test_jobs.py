"""What jobs took, of both logs, as rows and as a page."""

from dataclasses import replace

import pytest

from skillmill.interfaces.jobs import job_rows, latest, write_jobs_page
from skillmill.store.costs import CostRow, log_costs
from skillmill.store.runs import JobRow, log_job
from tests.report.test_page import Page

ATOMS = JobRow("r1", "atoms", "s", "0", "ok", 1.25, 80.0, ok=7)
EDGES = JobRow("r1", "edges", "s", "", "ok", 4.0, 120.4, computed=3, reused=2)
SPENT = CostRow(
    "r1", "edges", "s", "", "emit_edges", "emit_edges", "tiny", 5, 2, 0, 4, 3, 0, 90,
    9, None,
)  # fmt: skip


@pytest.fixture
def records(tmp_path):
    """Two jobs, one that asked a model in two stages; one made again, one failed."""
    folder = tmp_path / "records"
    for job in (ATOMS, EDGES, replace(ATOMS, run="r2", seconds=0.5, state="ok")):
        log_job(folder, job)
    log_job(folder, replace(EDGES, run="r2", state="failed", first_cause="x: broken"))
    log_job(folder, replace(ATOMS, run="r2", study="other"))
    log_costs(folder, [SPENT, replace(SPENT, stage="mend", calls=1, recorded=0)])
    return folder


def test_requests_of_all_stages_are_those_of_their_job(records):
    rows = job_rows(records, "r1")
    assert [(row["rule"], row["calls"], row["recorded"]) for row in rows] == [
        ("atoms", 0, 0),
        ("edges", 5, 2),
    ]
    assert list(rows[0])[-3:] == ["calls", "recorded", "first_cause"]
    assert [row["first_cause"] for row in job_rows(records, "r2")] == [
        None, "x: broken", None,
    ]  # fmt: skip


def test_of_each_store_the_last_job_that_made_it_counts(records):
    found = latest(job_rows(records), "s")
    assert [(row["rule"], row["run"], row["seconds"]) for row in found] == [
        ("edges", "r1", 4.0),
        ("atoms", "r2", 0.5),
    ]


def test_the_page_has_a_row_a_job_and_their_sum(records, tmp_path):
    (tmp_path / "results" / "s").mkdir(parents=True)
    page = write_jobs_page(records, tmp_path / "results", "s")
    assert page == tmp_path / "results" / "s" / "jobs.html"
    text = Page(page.read_text(encoding="utf-8")).text("jobs")
    assert text.endswith(
        "edges r1 4.00 120 3 2 5 2 atoms 0 r2 0.50 80 0 0 0 0"
        " all 2 jobs 4.50 120 3 2 5 2"
    )


def test_a_study_without_jobs_has_an_empty_page(tmp_path):
    (tmp_path / "s").mkdir()
    page = write_jobs_page(tmp_path / "records", tmp_path, "s")
    assert "0 jobs" in Page(page.read_text(encoding="utf-8")).text("jobs")
