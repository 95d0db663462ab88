"""Check that a file is the artifact that a job expects, before it reads a row."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skillmill.errors import StoreError
from skillmill.store.connect import code_of, connect_finished, is_damage
from skillmill.store.schema import SCHEMA_VERSION

_MAGIC = b"SQLite format 3\x00"
#: The way out where the file may be somebody's own.
_OTHER = "name another file; if it is a broken result, delete it and run again"
_UNREADABLE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)


def checked(path: Path, kind: str | None) -> sqlite3.Connection:
    """Open an artifact read-only; any kind will do if `kind` is None.

    The caller closes the connection.

    Raises
    ------
    StoreError
        If the file is not there, not whole, or not of this kind and version.
    """
    expected = f"a '{kind}' store" if kind else "a store"
    _check_file(path, expected)
    with explained(path):
        db = connect_finished(path)
    try:
        with explained(path):
            _check_provenance(db, path, kind, expected)
    except BaseException:
        db.close()
        raise
    return db


def kind_in(db: sqlite3.Connection) -> str:
    """Name the kind that an open artifact says it is."""
    row = db.execute("select value from provenance where key = 'kind'").fetchone()
    return str(row[0])


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's word for a broken or unreadable file into one for the user."""
    try:
        yield
    except sqlite3.Error as error:
        if is_damage(error) or code_of(error) in _UNREADABLE:
            raise _refused(path, "a whole store", f"a damaged one ({error})") from error
        raise


def _check_file(path: Path, expected: str) -> None:
    if path.is_dir():
        raise _refused(path, expected, "a folder")
    try:
        with path.open("rb") as file:
            header = file.read(100)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise StoreError(
            f"{path}: expected {expected}, found no file; run the workflow that"
            " makes it",
            record=str(path),
        ) from error
    except OSError as error:
        raise StoreError(
            f"{path}: expected {expected}, found a file that cannot be read"
            f" ({error.strerror}); change its permissions, or delete it and run"
            " again",
            record=str(path),
        ) from error
    if not header:
        raise _refused(path, expected, "an empty file")
    if not header.startswith(_MAGIC):
        raise _refused(path, expected, "a file that is not SQLite", _OTHER)
    whole = _bytes_stated(header)
    if size < whole:
        raise _refused(path, expected, f"{size} of its {whole} bytes (cut short)")


def _bytes_stated(header: bytes) -> int:
    """Size that SQLite's file header states: bytes a page times pages."""
    page = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return max(100, (65536 if page == 1 else page) * pages)


def _check_provenance(
    db: sqlite3.Connection, path: Path, kind: str | None, expected: str
) -> None:
    has = db.execute("select count(*) from sqlite_master where name = 'provenance'")
    if not has.fetchone()[0]:
        raise _refused(path, expected, "a SQLite file of another program", _OTHER)
    stated = dict(db.execute("select key, value from provenance"))
    if kind is not None and stated.get("kind") != kind:
        found = f"a '{stated.get('kind')}' store"
        raise _refused(path, expected, found, _OTHER)
    if stated.get("schema") != str(SCHEMA_VERSION):
        raise _refused(
            path,
            f"version {SCHEMA_VERSION} of its tables",
            f"version {stated.get('schema')}",
        )


def _refused(
    path: Path, expected: str, found: str, way: str = "delete it and run again"
) -> StoreError:
    return StoreError(
        f"{path}: expected {expected}, found {found}; {way}",
        record=str(path),
    )
