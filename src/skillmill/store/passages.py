"""Passages: the texts that encoders and indexes read, cut into parts."""

import sqlite3
from collections.abc import Iterable

from skillmill.store.rows import insert


def save_passages(
    db: sqlite3.Connection, kind: str, rows: Iterable[tuple[str, int, str]]
) -> None:
    """Write (id, part, text) rows of one kind, in any order.

    Raises
    ------
    StoreError
        If a part of a record comes twice.
    """
    insert(db, "passage", ((kind, *row) for row in sorted(rows)))


def load_all_passages(db: sqlite3.Connection) -> list[tuple[str, str, int, str]]:
    """Read (kind, id, part, text) of every kind, sorted by kind, id and part."""
    return db.execute(
        "select kind, id, part, text from passage order by kind, id, part"
    ).fetchall()


def load_passages(db: sqlite3.Connection, kind: str) -> list[tuple[str, int, str]]:
    """Read (id, part, text) of one kind, sorted by id and part."""
    return db.execute(
        "select id, part, text from passage where kind = ? order by id, part", (kind,)
    ).fetchall()
