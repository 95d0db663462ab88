"""Memory atoms, the turns they cover, and the questions they answer."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping

from skillmill.store.rows import insert, json_text, json_texts
from skillmill.types import Atom


def save_atoms(db: sqlite3.Connection, atoms: Iterable[Atom]) -> None:
    """Write atoms with the turns they cover, in any order.

    Raises
    ------
    StoreError
        If an id comes twice.
    """
    ordered = sorted(atoms, key=lambda atom: atom.id)
    insert(
        db,
        "atom",
        (
            (
                atom.id,
                atom.conversation,
                atom.session,
                atom.position,
                atom.text,
                atom.timestamp,
                json_text(atom.time_keys),
                atom.content_hash,
            )
            for atom in ordered
        ),
    )
    insert(
        db,
        "atom_turn",
        ((a.id, at, turn) for a in ordered for at, turn in enumerate(a.turns)),
    )


def load_atoms(db: sqlite3.Connection) -> list[Atom]:
    """Read all atoms, sorted by conversation, session, position and id."""
    turns: defaultdict[str, list[str]] = defaultdict(list)
    for atom, turn in db.execute(
        "select atom, turn from atom_turn order by atom, position"
    ):
        turns[atom].append(turn)
    rows = db.execute(
        "select id, conversation, session, position, text, timestamp, time_keys,"
        " content_hash from atom order by conversation, session, position, id"
    )
    return [
        Atom(*(*row[:6], json_texts(row[6]), tuple(turns[row[0]]), row[7]))
        for row in rows
    ]


def load_atom_turns(db: sqlite3.Connection) -> dict[str, list[tuple[str, str]]]:
    """Read atom -> (conversation, turn id) of the turns it covers, in their order.

    An atom that covers no turn is absent.
    """
    turns: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for atom, conversation, turn in db.execute(
        "select atom, conversation, turn from atom_turn"
        " join atom on atom.id = atom_turn.atom order by atom, atom_turn.position"
    ):
        turns[atom].append((conversation, turn))
    return dict(turns)


def save_question_atoms(
    db: sqlite3.Connection, atoms: Mapping[str, Iterable[str]]
) -> None:
    """Write the atoms that hold the evidence of each question.

    Raises
    ------
    StoreError
        If a question names an atom twice.
    """
    rows = ((question, atom) for question, ids in atoms.items() for atom in ids)
    insert(db, "question_atom", sorted(rows))


def load_question_atoms(db: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    """Read question -> its atoms, both sorted; a question without atoms is absent."""
    atoms: defaultdict[str, list[str]] = defaultdict(list)
    for question, atom in db.execute(
        "select question, atom from question_atom order by question, atom"
    ):
        atoms[question].append(atom)
    return {question: tuple(ids) for question, ids in atoms.items()}
