"""Bring the stores of several stages together in one file."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from skillmill.errors import StoreError
from skillmill.store.opening import checked, explained
from skillmill.store.rows import insert
from skillmill.store.vectors import load_encoder, require_encoder

#: Tables that speak of one file alone.
_OWN = frozenset({"provenance", "provenance_input", "outcome"})


def copy_tables(db: sqlite3.Connection, stores: Sequence[Path]) -> int:
    """Copy all rows of other artifacts into this one; count them.

    Where each comes from is not copied, nor what became of its items.

    Raises
    ------
    StoreError
        If two stores hold one key, or one has a table that this kind of store
        has not, or is none.
    ModelError
        If vectors of two encoders would mix.
    """
    return sum(_copy(db, Path(path)) for path in stores)


def _copy(db: sqlite3.Connection, path: Path) -> int:
    total = 0
    with closing(checked(path, None)) as source, explained(path):
        for table in _tables_of(source):
            if table not in _tables_of(db):
                raise StoreError(
                    f"{path}: expected tables that the new store has too, found"
                    f" '{table}'; leave this store out",
                    record=str(path),
                )
            if table == "encoder" and _has_encoder_of(db, source):
                continue
            rows = source.execute(f"select * from {table}")  # noqa: S608  # own name
            total += insert(db, table, rows)
    return total


def _tables_of(db: sqlite3.Connection) -> list[str]:
    names = db.execute(
        "select name from sqlite_master where type = 'table' order by name"
    )
    return [name for (name,) in names if name not in _OWN]


def _has_encoder_of(db: sqlite3.Connection, source: sqlite3.Connection) -> bool:
    """Whether the encoder is noted already; refuses another one."""
    if not load_encoder(db):
        return False
    require_encoder(db, load_encoder(source))
    return True
