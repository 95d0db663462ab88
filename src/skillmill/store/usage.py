"""What the replies took that the content of an artifact rests on."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from skillmill.store.rows import insert


class UsedTokens(NamedTuple):
    """Tokens of the replies of one role in one stage.

    Recorded replies count like new ones, so equal content has equal rows; what a run
    paid is in the cost log. Tokens of `estimated` replies are a guess.
    """

    role: str
    stage: str
    model: str
    replies: int
    estimated: int
    prompt_tokens: int
    completion_tokens: int


def save_usage(db: sqlite3.Connection, rows: Iterable[UsedTokens]) -> None:
    """Write rows, sorted."""
    insert(db, "usage", sorted(rows))


def load_usage(db: sqlite3.Connection) -> list[UsedTokens]:
    """Read all rows, sorted."""
    found = db.execute(
        "select role, stage, model, replies, estimated, prompt_tokens,"
        " completion_tokens from usage order by role, stage, model"
    )
    return [UsedTokens(*row) for row in found]
