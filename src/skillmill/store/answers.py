"""What a reader answered to each question from what each arm found."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from skillmill.store.rows import insert
from skillmill.types import State

ANSWER = """
create table answer (
    arm           text not null,     -- what found the evidence
    query         text not null,     -- question.id
    reader        text not null,     -- who answered, as outputs name it
    state         text not null,     -- ok, empty (no answer), failed or skipped
    reason        text,              -- why it is not ok; null where it is
    text          text not null,     -- the answer; '' where there is none
    read_tokens   integer not null check (read_tokens >= 0),    -- question and evidence
    answer_tokens integer not null check (answer_tokens >= 0),  -- of the answer
    primary key (arm, query),
    check (state in ('ok', 'empty', 'failed', 'skipped'))
) strict, without rowid
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, or why there is none.

    `empty` is a reader that found nothing to say, `failed` one that broke, `skipped`
    a question that it was not asked; all but `ok` have a reason. Tokens are estimates
    from characters. `reader` names the stand-in or model.
    """

    arm: str
    query: str
    reader: str
    state: State
    reason: str | None
    text: str
    read_tokens: int
    answer_tokens: int


def save_answers(db: sqlite3.Connection, answers: Iterable[Answer]) -> None:
    """Write answers, in any order.

    Raises
    ------
    StoreError
        If an arm has two answers to a question.
    """
    ordered = sorted(answers, key=lambda answer: (answer.arm, answer.query))
    rows = [
        (
            a.arm,
            a.query,
            a.reader,
            a.state,
            a.reason,
            a.text,
            a.read_tokens,
            a.answer_tokens,
        )
        for a in ordered
    ]
    insert(db, "answer", rows)


def load_answers(db: sqlite3.Connection, arm: str | None = None) -> list[Answer]:
    """Read the answers of one arm, or all, sorted by arm and question."""
    rows = db.execute(
        "select arm, query, reader, state, reason, text, read_tokens, answer_tokens"
        " from answer where ?1 is null or arm = ?1 order by arm, query",
        (arm,),
    )
    return [Answer(*row) for row in rows]
