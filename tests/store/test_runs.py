"""The run log: appended to by many jobs, never changed."""

import sqlite3
from dataclasses import fields, replace

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.runs import JobRow, latest_run, log_job, read_jobs
from tests.store.examples import HEBREW, output_of, python, unprivileged

JOBS = [
    JobRow(
        run="r1",
        rule="vectors",
        study="tiny",
        part="3",
        state="failed",
        seconds=1.5,
        peak_mb=212.0,
        computed=4,
        reused=5,
        ok=6,
        empty=7,
        failed=8,
        skipped=9,
        first_cause=HEBREW,
    ),
    JobRow("r2", "edges", "", "", "ok", 0.0, 0.0),
    JobRow("r1", "report", "tiny", "", "ok", 2.0, 1.0, ok=1),
]


def test_jobs_come_back_in_the_order_they_ended(tmp_path):
    for job in JOBS:
        log_job(tmp_path / "records", job)
    assert read_jobs(tmp_path / "records") == JOBS
    assert read_jobs(tmp_path / "records", "r1") == [JOBS[0], JOBS[2]]
    assert read_jobs(tmp_path / "records", "r9") == []
    assert latest_run(tmp_path / "records") == "r1"


def test_the_example_gives_each_field_a_value_of_its_own():
    values = [getattr(JOBS[0], field.name) for field in fields(JobRow)]
    assert len(set(values)) == len(values)


def test_without_a_log_there_are_no_jobs(tmp_path):
    assert read_jobs(tmp_path) == []
    assert latest_run(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_is_just_being_made_is_empty(tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(b"")
    assert read_jobs(tmp_path) == []
    log_job(tmp_path, JOBS[0])
    assert read_jobs(tmp_path) == JOBS[:1]


def test_numpy_numbers_are_logged_as_numbers_u61(tmp_path):
    log_job(tmp_path, replace(JOBS[0], seconds=np.float32(0.5), ok=np.int64(3)))
    db = sqlite3.connect(tmp_path / "runs.sqlite")
    types = db.execute("select typeof(seconds), typeof(ok) from job").fetchone()
    db.close()
    assert types == ("real", "integer")
    assert read_jobs(tmp_path) == [replace(JOBS[0], seconds=0.5, ok=3)]


def test_eight_processes_log_at_once(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from skillmill.store.runs import JobRow, log_job
        for part in map(str, range(20)):
            log_job(Path(sys.argv[1]), JobRow(sys.argv[2], "x", "", part, "ok", 0, 0))
        """
    for process in [python(code, tmp_path, f"r{number}") for number in range(8)]:
        output_of(process)
    assert len(read_jobs(tmp_path)) == 160
    for number in range(8):
        parts = [job.part for job in read_jobs(tmp_path, f"r{number}")]
        assert parts == [str(part) for part in range(20)]
    db = sqlite3.connect(tmp_path / "runs.sqlite")
    assert db.execute("pragma journal_mode").fetchone() == ("delete",)
    db.close()


def test_a_broken_log_is_named(tmp_path):
    path = tmp_path / "runs.sqlite"
    path.write_bytes(b"?" * 500)
    message = r"runs\.sqlite: expected to {} the run log, got .*; move the file away"
    with pytest.raises(StoreError, match=message.format("read")):
        read_jobs(tmp_path)
    with pytest.raises(StoreError, match=message.format("write")):
        log_job(tmp_path, JOBS[0])
    assert path.read_bytes() == b"?" * 500


def test_a_log_of_another_version_is_refused_and_kept(tmp_path):
    log_job(tmp_path, JOBS[0])
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("pragma user_version = 99")
    for use in (read_jobs, latest_run, lambda folder: log_job(folder, JOBS[1])):
        with pytest.raises(StoreError, match="found version 99; move it away"):
            use(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(open_folder):
    open_folder.chmod(0o555)
    with (
        unprivileged(),
        pytest.raises(StoreError, match="expected to write the run log"),
    ):
        log_job(open_folder, JOBS[0])


def test_a_number_that_is_not_finite_is_refused(tmp_path):
    with pytest.raises(StoreError, match="table 'job', row 0"):
        log_job(tmp_path, replace(JOBS[0], seconds=float("nan")))
    assert read_jobs(tmp_path) == []
