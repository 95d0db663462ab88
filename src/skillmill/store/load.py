"""Load reports and outcomes: what came in, and what became of it."""

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from skillmill.store.rows import insert
from skillmill.types import LoadReport, Problem, State


class Outcome(NamedTuple):
    """How many items of a stage ended in a state, and why; `reason` may be ''."""

    stage: str
    state: str
    reason: str
    n: int


def save_report(db: sqlite3.Connection, report: LoadReport) -> None:
    """Write one loader's report; each source once.

    Raises
    ------
    StoreError
        If the counts do not add up, or the source has a report already.
    """
    insert(
        db,
        "load_count",
        [(report.source, report.found, report.loaded, report.warned, report.failed)],
    )
    insert(
        db,
        "load_problem",
        (
            (report.source, at, p.file, p.line, p.record, p.severity, p.code, p.message)
            for at, p in enumerate(report.problems)
        ),
    )


def load_report(db: sqlite3.Connection) -> list[LoadReport]:
    """Read the report of each source, sorted by source."""
    problems: dict[str, list[Problem]] = {}
    for source, *rest in db.execute(
        "select source, file, line, record, severity, code, message"
        " from load_problem order by source, position"
    ):
        problems.setdefault(source, []).append(Problem(*rest))
    counts = db.execute(
        "select source, found, loaded, warned, failed from load_count order by source"
    )
    return [LoadReport(*(*row, tuple(problems.get(row[0], ())))) for row in counts]


def count_rows(db: sqlite3.Connection, table: str) -> int:
    """Count the rows of a table of this package's own schema."""
    # The table's name comes from this package, never from data.
    (rows,) = db.execute(f"select count(*) from {table}").fetchone()  # noqa: S608
    return int(rows)


def save_outcomes(
    db: sqlite3.Connection,
    stage: str,
    counts: Mapping[State, int] | Mapping[tuple[State, str], int],
) -> None:
    """Write how many items of a stage ended in each state.

    A key of `counts` is a state, or a state with its reason.

    Raises
    ------
    StoreError
        If a state is none of ok, empty, failed, skipped.
    """
    rows = [
        (stage, *((key, "") if isinstance(key, str) else key), n)
        for key, n in counts.items()
    ]
    insert(db, "outcome", sorted(rows))


def load_outcomes(db: sqlite3.Connection) -> list[Outcome]:
    """Read all outcomes, sorted by stage, state and reason."""
    rows = db.execute(
        "select stage, state, reason, n from outcome order by stage, state, reason"
    )
    return [Outcome(*row) for row in rows]
