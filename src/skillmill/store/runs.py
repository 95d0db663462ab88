"""The run log: one row for each job, appended when it ends and never changed."""

import sqlite3
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Literal

from skillmill.store.connect import connect_shared
from skillmill.store.logs import log_refused, log_version
from skillmill.store.rows import insert
from skillmill.store.schema import create_records

FILE = "runs.sqlite"


@dataclass(frozen=True, slots=True)
class JobRow:
    """What one job did; `state` is how it ended.

    `seconds` is wall time, `peak_mb` peak resident memory in 10^6 bytes. `computed`
    and `reused` count rows of models; `ok` to `skipped` count items, and
    `first_cause` is the first failure, None if there was none.
    """

    run: str
    rule: str
    study: str
    part: str
    state: Literal["ok", "failed"]
    seconds: float
    peak_mb: float
    computed: int = 0
    reused: int = 0
    ok: int = 0
    empty: int = 0
    failed: int = 0
    skipped: int = 0
    first_cause: str | None = None


def log_job(folder: Path, row: JobRow) -> None:
    """Append a job to `<folder>/runs.sqlite`; safe with many jobs at once.

    Raises
    ------
    StoreError
        If the log cannot be written.
    """
    path = Path(folder) / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(connect_shared(path, "rwc")) as db, db:
            db.execute("begin immediate")
            if log_version(db, path, "run log") == 0:
                create_records(db, "run-log")
            insert(db, "job", [(None, *astuple(row))])
    except (sqlite3.Error, OSError) as error:
        raise log_refused(path, "to write the run log", error) from error


def read_jobs(folder: Path, run: str | None = None) -> list[JobRow]:
    """Read the jobs of one run, or all, in the order they ended; [] if no log.

    Raises
    ------
    StoreError
        If the log cannot be read.
    """
    rows = _select(
        Path(folder) / FILE,
        "select run, rule, study, part, state, seconds, peak_mb, computed, reused, ok,"
        " empty, failed, skipped, first_cause from job where ?1 is null or run = ?1"
        " order by id",
        run,
    )
    return [JobRow(*row) for row in rows]


def latest_run(folder: Path) -> str | None:
    """Name the run of the job that ended last; None if there is no log.

    Raises
    ------
    StoreError
        If the log cannot be read.
    """
    rows = _select(
        Path(folder) / FILE,
        "select run from job where ?1 is null order by id desc limit 1",
        None,
    )
    return rows[0][0] if rows else None


def _select(path: Path, statement: str, run: str | None) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    try:
        with closing(connect_shared(path)) as db:
            version = log_version(db, path, "run log")
            return db.execute(statement, (run,)).fetchall() if version else []
    except sqlite3.Error as error:
        raise log_refused(path, "to read the run log", error) from error
