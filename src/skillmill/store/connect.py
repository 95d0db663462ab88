"""Open SQLite files the two ways this package needs, and read the errors.

An artifact never changes in place, so reading one takes no lock and looks at no
journal. A record store is shared by processes, with locks and a rollback journal.
Neither uses WAL, which does not work on network file systems.
"""

import sqlite3
from pathlib import Path

#: How long a shared file may be locked by others before that is an error.
BUSY_SECONDS = 60.0

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PLACE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
)


def connect_private(path: Path) -> sqlite3.Connection:
    """Open a new file that no other process knows of: no lock, no journal."""
    db = sqlite3.connect(private_uri(path), uri=True, isolation_level=None)
    for pragma in ("page_size = 16384", "journal_mode = off", "synchronous = off"):
        db.execute(f"pragma {pragma}")
    return db


def connect_finished(path: Path) -> sqlite3.Connection:
    """Open an artifact to read it."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def connect_shared(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """Open a file that other processes read and write; `mode` rwc creates it.

    Opened to write even for reading: what a killed process left half done is
    rolled back by whoever comes next.
    """
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)


def private_uri(path: Path) -> str:
    """Name a file for SQLite so that it takes no lock on it."""
    return f"{path.absolute().as_uri()}?nolock=1"


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for an error of the Python module."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_of_place(error: sqlite3.Error) -> bool:
    """Whether the error comes from the disk, the folder or its locks."""
    return code_of(error) in _PLACE


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is broken."""
    return code_of(error) in _DAMAGE or "Could not decode to UTF-8" in str(error)
