"""Mentions: which entities atoms and questions name, and how often."""

import sqlite3
from collections.abc import Iterable
from dataclasses import astuple

from skillmill.store.rows import insert
from skillmill.types import Mention


def save_mentions(db: sqlite3.Connection, mentions: Iterable[Mention]) -> None:
    """Write mentions, in any order.

    Raises
    ------
    StoreError
        If an owner mentions an entity in two rows of one kind.
    """
    insert(db, "mention", (astuple(mention) for mention in sorted(mentions)))


def load_mentions(
    db: sqlite3.Connection, kind: str | None = None, owner_kind: str | None = None
) -> list[Mention]:
    """Read mentions of one kind and kind of owner, or all, sorted by every column."""
    rows = db.execute(
        "select kind, owner_kind, owner, entity, count from mention"
        " where (?1 is null or kind = ?1) and (?2 is null or owner_kind = ?2)"
        " order by kind, owner_kind, owner, entity",
        (kind, owner_kind),
    )
    return [Mention(*row) for row in rows]
