"""Whether this SQLite and a folder will do for stores."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from skillmill.errors import StoreError
from skillmill.store import filesystem
from skillmill.store.connect import code_of

#: STRICT tables need it.
LEAST_SQLITE = (3, 37, 0)

_TABLE = "create table t (x integer primary key) strict"


def sqlite_version() -> tuple[int, int, int]:
    """Version of the SQLite library that Python uses."""
    major, minor, patch = sqlite3.sqlite_version_info
    return major, minor, patch


def require_locks(folder: Path) -> None:
    """Refuse a folder of records on a network file system that has no locks.

    Raises
    ------
    StoreError
        Naming the file system and the setting.
    """
    place = next(
        p for p in (folder.absolute(), *folder.absolute().parents) if p.exists()
    )
    kind, network = filesystem.file_system_of(place)
    problem = problem_of(place) if network else None
    if problem:
        raise StoreError(
            f"{folder}: expected a folder for records, found one of type {kind} where"
            f" {problem}; set `records` to a folder of the machine's own disk or of a"
            " file system with locks",
            record=str(folder),
        )


def problem_of(folder: Path) -> str | None:
    """Why records cannot be kept in an existing folder; None if they can.

    A store is made there and deleted again: a table is written, and a second
    connection must find it locked.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".skillmill-", dir=folder) as place:
            return _problem_in(Path(place, "try.sqlite"))
    except OSError as error:
        return f"it cannot be written ({error.strerror})"


def _problem_in(path: Path) -> str | None:
    try:
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as one,
            closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as two,
        ):
            one.execute(_TABLE)
            one.execute("begin immediate")
            one.execute("insert into t values (1)")
            try:
                two.execute("begin immediate")
            except sqlite3.OperationalError as error:
                if code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    one.execute("commit")
                    return None
                raise
            return "its file system has no locks"
    except sqlite3.Error as error:
        return f"a store cannot be made there ({error})"
