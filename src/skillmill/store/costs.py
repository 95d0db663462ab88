"""The cost log: what each job spent on language models, by role and stage.

It depends on what was recorded before, so it lies beside the run log and in no
artifact.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path

from skillmill.store.connect import connect_shared
from skillmill.store.logs import log_refused, log_version
from skillmill.store.rows import insert
from skillmill.store.schema import create_records

FILE = "costs.sqlite"


@dataclass(frozen=True, slots=True)
class CostRow:
    """What one job spent for one role in one stage.

    `recorded` questions cost nothing, `calls` HTTP requests were sent for the others.
    Tokens of `estimated` replies are a guess; `usd` is None if a reply had no price.
    """

    run: str
    rule: str
    study: str
    part: str
    role: str
    stage: str
    model: str
    questions: int
    recorded: int
    failed: int
    calls: int
    replies: int
    estimated: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None


def log_costs(folder: Path, rows: Iterable[CostRow]) -> None:
    """Append rows to `<folder>/costs.sqlite`; safe with many jobs at once.

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
            if log_version(db, path, "cost log") == 0:
                create_records(db, "cost-log")
            insert(db, "cost_of_job", [(None, *astuple(row)) for row in rows])
    except (sqlite3.Error, OSError) as error:
        raise log_refused(path, "to write the cost log", error) from error


def read_costs(folder: Path, run: str | None = None) -> list[CostRow]:
    """Read the rows of one run, or all, in the order they were written; [] if no log.

    Raises
    ------
    StoreError
        If the log cannot be read.
    """
    path = Path(folder) / FILE
    if not path.exists():
        return []
    try:
        with closing(connect_shared(path)) as db:
            if log_version(db, path, "cost log") == 0:
                return []
            found = db.execute(
                "select run, rule, study, part, role, stage, model, questions,"
                " recorded, failed, calls, replies, estimated, prompt_tokens,"
                " completion_tokens, usd from cost_of_job"
                " where ?1 is null or run = ?1 order by id",
                (run,),
            ).fetchall()
    except sqlite3.Error as error:
        raise log_refused(path, "to read the cost log", error) from error
    return [CostRow(*row) for row in found]
