"""The trial log: attempts of agents, kept as they end, outside every artifact.

They cost money and hours, and hold times: no two runs give the same.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from skillmill.errors import StoreError
from skillmill.store.connect import connect_shared
from skillmill.store.logs import log_refused, log_version
from skillmill.store.rows import insert
from skillmill.store.schema import create_records
from skillmill.types import Trial

FILE = "trials.sqlite"

_AGAIN = "import again"
_WAY = "name another folder with --records"

_KEY = "study, benchmark, task, method, backbone, attempt"
_FIELDS = (
    "benchmark, task, method, backbone, attempt, state, reward, reason, stratum,"
    " domain, leaves, steps, prompt_tokens, completion_tokens, seconds, usd"
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of trials: added, there already, or put in place of another."""

    added: int
    known: int
    replaced: int


def keep_trials(
    folder: Path, study: str, trials: Iterable[Trial], *, replace: bool = False
) -> Kept:
    """Add trials to `<folder>/trials.sqlite`, all or none.

    One that is there already, equal in every field, is known. `replace` puts trials in
    the place of others with their key.

    Raises
    ------
    StoreError
        If the log cannot be written, a value does not fit, or a trial differs from one
        that is there under its key and `replace` is not asked for.
    """
    path = Path(folder) / FILE
    counts = {"added": 0, "known": 0, "replaced": 0}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(connect_shared(path, "rwc")) as db, db:
            db.execute("begin immediate")
            if log_version(db, path, "trial log", _AGAIN) == 0:
                create_records(db, "trial-log")
            for trial in trials:
                counts[_keep(db, study, trial, replace=replace)] += 1
    except (sqlite3.Error, OSError) as error:
        raise log_refused(path, "to write the trial log", error, _WAY) from error
    return Kept(**counts)


def load_trials(folder: Path, study: str) -> list[Trial]:
    """Read the trials of a study, sorted by their key; [] if there is no log.

    Raises
    ------
    StoreError
        If the log cannot be read.
    """
    path = Path(folder) / FILE
    found = _read(
        path,
        f"select {_FIELDS} from trial where study = ?1 order by {_KEY}",  # noqa: S608
        (study,),
    )
    return [Trial(*row) for row in found]


def studies_with_trials(folder: Path) -> list[str]:
    """Names of the studies that have trials, sorted."""
    path = Path(folder) / FILE
    query = "select distinct study from trial order by study"
    return [str(name) for (name,) in _read(path, query, ())]


def _read(path: Path, query: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
    if not path.exists():
        return []
    try:
        with closing(connect_shared(path)) as db:
            if log_version(db, path, "trial log", _AGAIN) == 0:
                return []
            return db.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise log_refused(path, "to read the trial log", error, _WAY) from error


def _keep(db: sqlite3.Connection, study: str, trial: Trial, *, replace: bool) -> str:
    """Add one trial; what became of it, as `Kept` names it."""
    key = (
        study,
        trial.benchmark,
        trial.task,
        trial.method,
        trial.backbone,
        trial.attempt,
    )
    where = " and ".join(f"{column} = ?" for column in _KEY.split(", "))
    there = db.execute(f"select {_FIELDS} from trial where {where}", key).fetchone()  # noqa: S608
    if there is not None and Trial(*there) == trial:
        return "known"
    if there is not None and not replace:
        raise StoreError(
            f"study {study!r} has another trial of task {trial.task!r}, method"
            f" {trial.method!r}, backbone {trial.backbone!r}, attempt {trial.attempt}:"
            f" {Trial(*there).state} there, {trial.state} now; name another study, or"
            " replace what is there with --replace",
            record=trial.task,
        )
    if there is not None:
        db.execute(f"delete from trial where {where}", key)  # noqa: S608
    insert(db, "trial", [(study, *astuple(trial))])
    return "added" if there is None else "replaced"
