"""Conversations and the questions asked about them."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence

from skillmill.store.rows import insert, json_text, json_texts
from skillmill.types import Conversation, Question, Session, Turn


def save_conversations(
    db: sqlite3.Connection, conversations: Iterable[Conversation]
) -> None:
    """Write conversations with sessions and turns in the order given; call it once.

    Raises
    ------
    StoreError
        If a conversation, a session number or a turn id comes twice.
    """
    conversations = list(conversations)
    save_speakers(db, ((c.id, c.speakers) for c in conversations))
    sessions = [(c.id, session) for c in conversations for session in c.sessions]
    insert(
        db,
        "session",
        ((id, s.number, s.date_text, s.started, s.id) for id, s in sessions),
    )
    insert(
        db,
        "turn",
        (
            (id, turn.id, s.number, at, turn.speaker, turn.text, turn.caption)
            for id, s in sessions
            for at, turn in enumerate(s.turns)
        ),
    )


def load_conversations(db: sqlite3.Connection) -> list[Conversation]:
    """Read all conversations as they were saved; sessions sorted by number."""
    turns: defaultdict[tuple[str, int], list[Turn]] = defaultdict(list)
    for conversation, number, *rest in db.execute(
        "select conversation, session, id, speaker, text, caption"
        " from turn order by conversation, session, position"
    ):
        turns[conversation, number].append(Turn(*rest))
    sessions: defaultdict[str, list[Session]] = defaultdict(list)
    for conversation, number, date_text, started, name in db.execute(
        "select conversation, number, date_text, started, id"
        " from session order by conversation, number"
    ):
        own = tuple(turns[conversation, number])
        sessions[conversation].append(Session(number, date_text, started, own, name))
    return [
        Conversation(id, speakers, tuple(sessions[id]))
        for id, speakers in load_speakers(db)
    ]


def load_turn_places(
    db: sqlite3.Connection,
) -> dict[tuple[str, str], tuple[str, int]]:
    """Read where each turn was said, without what was said.

    Returns
    -------
    dict
        (conversation, turn id) -> (session, place in it from 0). A session without an
        id of its own is named by its number; copies of a session share their places.
    """
    rows = db.execute(
        "select turn.conversation, turn.id, coalesce(session.id, session.number),"
        " position from turn join session on session.conversation = turn.conversation"
        " and session.number = turn.session"
    )
    return {(home, turn): (str(name), at) for home, turn, name, at in rows}


def save_speakers(
    db: sqlite3.Connection, speakers: Iterable[tuple[str, Sequence[str]]]
) -> None:
    """Write (conversation, its speakers) without the turns, in the order given.

    Raises
    ------
    StoreError
        If a conversation comes twice.
    """
    insert(
        db,
        "conversation",
        ((id, at, json_text(names)) for at, (id, names) in enumerate(speakers)),
    )


def load_speakers(db: sqlite3.Connection) -> list[tuple[str, tuple[str, ...]]]:
    """Read (conversation, its speakers), in the order they were saved in."""
    rows = db.execute("select id, speakers from conversation order by position, id")
    return [(id, json_texts(speakers)) for id, speakers in rows]


def save_questions(db: sqlite3.Connection, questions: Iterable[Question]) -> None:
    """Write questions; those of one conversation in its order, in one call.

    Raises
    ------
    StoreError
        If an id comes twice.
    """
    questions = list(questions)
    asked: defaultdict[str, int] = defaultdict(int)
    rows = []
    for q in questions:
        position = asked[q.conversation]
        asked[q.conversation] += 1
        rows.append(
            (
                *(q.id, q.conversation, position, q.category, q.text),
                *(q.answer, q.answer_type, q.trap, q.kind, q.date, int(q.abstention)),
            )
        )
    insert(db, "question", rows)
    insert(
        db,
        "evidence",
        ((q.id, at, turn) for q in questions for at, turn in enumerate(q.evidence)),
    )
    insert(
        db,
        "evidence_session",
        (
            (q.id, at, name)
            for q in questions
            for at, name in enumerate(q.evidence_sessions)
        ),
    )


def load_questions(db: sqlite3.Connection) -> list[Question]:
    """Read all questions, sorted by conversation id, then in its order."""
    turns, sessions = (
        _grouped(db.execute(query))
        for query in (
            "select question, turn from evidence order by question, position",
            "select question, session from evidence_session"
            " order by question, position",
        )
    )
    rows = db.execute(
        "select id, conversation, text, category, answer, answer_type, trap, kind,"
        " date, abstention from question order by conversation, position, id"
    )
    return [
        Question(
            *(
                *(*row[:7], tuple(turns[row[0]]), *row[7:9]),
                *(tuple(sessions[row[0]]), bool(row[9])),
            )
        )
        for row in rows
    ]


def _grouped(rows: Iterable[tuple[str, str]]) -> defaultdict[str, list[str]]:
    """Second members by the first, in order."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in rows:
        groups[key].append(value)
    return groups
