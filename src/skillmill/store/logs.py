"""What logs have in common: their version, and refusals."""

import sqlite3
from pathlib import Path

from skillmill.errors import StoreError
from skillmill.store.schema import RECORD_VERSION


def log_version(
    db: sqlite3.Connection, path: Path, name: str, again: str = "run again"
) -> int:
    """Version of a log's tables; 0 if it has none yet.

    `again` is what to do once one of another version was moved away.

    Raises
    ------
    StoreError
        If it is of another version than this package writes.
    """
    version = int(db.execute("pragma user_version").fetchone()[0])
    if version not in (0, RECORD_VERSION):
        raise StoreError(
            f"{path}: expected version {RECORD_VERSION} of the {name}, found version"
            f" {version}; move it away and {again}",
            record=str(path),
        )
    return version


def log_refused(
    path: Path,
    expected: str,
    error: Exception,
    way: str = "set `records` to a folder that can be written, and run again",
) -> StoreError:
    """The error of a log that cannot be read or written, with the way out."""
    return StoreError(
        f"{path}: expected {expected}, got {error}; move the file away, or {way}",
        record=str(path),
    )
