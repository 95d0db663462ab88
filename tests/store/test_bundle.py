"""One file from the stores of several stages."""

import pytest

from skillmill.errors import ModelError, StoreError
from skillmill.store.artifact import reading, writing
from skillmill.store.atoms import load_atoms, save_atoms
from skillmill.store.bundle import copy_tables
from skillmill.store.conversations import load_questions, save_questions
from skillmill.store.edges import load_edges, save_edges
from skillmill.store.entities import load_mentions, save_mentions
from skillmill.store.load import load_outcomes, save_outcomes
from skillmill.store.passages import load_all_passages, save_passages
from skillmill.store.vectors import (
    by_id,
    load_encoder,
    save_encoder,
    save_vectors,
)
from tests.store.examples import ATOMS, EDGES, MENTIONS, QUESTIONS, provenance


def stored(folder, kind, fill):
    path = folder / f"{len(list(folder.iterdir()))}-{kind}.sqlite"
    with writing(path, provenance(kind)) as db:
        fill(db)
    return path


def atoms(db):
    save_atoms(db, ATOMS)
    save_questions(db, QUESTIONS)
    save_passages(db, "atom", [("a", 0, "text")])
    save_outcomes(db, "atoms", {"ok": 2})


def entities(db):
    save_mentions(db, MENTIONS)
    save_passages(db, "entity", [("Ada", 0, "Ada")])


def vectors(kind, name="mini"):
    def fill(db):
        save_encoder(db, {"name": name, "dim": 2})
        save_vectors(db, kind, ["a"], [0], [[1.0, 2.0]])

    return fill


def test_a_memory_holds_the_rows_of_all_its_stages(tmp_path):
    stores = [
        stored(tmp_path, "atoms", atoms),
        stored(tmp_path, "entities", entities),
        stored(tmp_path, "vectors", vectors("atom")),
        stored(tmp_path, "vectors", vectors("entity")),
        stored(tmp_path, "edges", lambda db: save_edges(db, EDGES)),
    ]
    with writing(tmp_path / "memory.sqlite", provenance("memory")) as db:
        copied = copy_tables(db, stores)
    with reading(tmp_path / "memory.sqlite", "memory") as db:
        assert load_atoms(db) == ATOMS
        assert load_questions(db) == QUESTIONS
        assert load_mentions(db) == MENTIONS
        assert load_edges(db) == EDGES
        assert [kind for kind, *_ in load_all_passages(db)] == ["atom", "entity"]
        assert by_id(db, "atom").keys() == by_id(db, "entity").keys() == {"a"}
        assert load_encoder(db) == {"dim": 2, "name": "mini"}
        assert load_outcomes(db) == []
    covered = sum(len(atom.turns) for atom in ATOMS)
    asked = sum(
        1 + len(question.evidence) + len(question.evidence_sessions)
        for question in QUESTIONS
    )
    # and 2 passages, 2 vectors, the encoder's 2 keys
    assert copied == len(ATOMS) + covered + asked + len(MENTIONS) + len(EDGES) + 6


def test_nothing_to_copy_is_no_error(tmp_path):
    with writing(tmp_path / "memory.sqlite", provenance("memory")) as db:
        assert copy_tables(db, []) == 0


def test_vectors_of_two_encoders_are_not_mixed_u38(tmp_path):
    stores = [
        stored(tmp_path, "vectors", vectors("atom")),
        stored(tmp_path, "vectors", vectors("entity", "other")),
    ]
    with (
        pytest.raises(ModelError, match="made by 'mini', not by 'other'"),
        writing(tmp_path / "memory.sqlite", provenance("memory")) as db,
    ):
        copy_tables(db, stores)
    assert not (tmp_path / "memory.sqlite").exists()


def test_a_row_in_two_stores_is_refused(tmp_path):
    store = stored(tmp_path, "edges", lambda db: save_edges(db, EDGES))
    with (
        pytest.raises(StoreError, match=r"table 'edge', row 0 .*UNIQUE"),
        writing(tmp_path / "memory.sqlite", provenance("memory")) as db,
    ):
        copy_tables(db, [store, store])


def test_rows_without_a_place_are_refused_with_their_file(tmp_path):
    store = stored(tmp_path, "edges", lambda db: save_edges(db, EDGES))
    with (
        pytest.raises(StoreError, match=r"edges\.sqlite: .*found 'edge'; leave"),
        writing(tmp_path / "atoms.sqlite", provenance("atoms")) as db,
    ):
        copy_tables(db, [store])


def test_a_store_that_is_none_is_refused(tmp_path):
    (tmp_path / "edges.sqlite").write_bytes(b"no")
    with (
        pytest.raises(StoreError, match="found a file that is not SQLite"),
        writing(tmp_path / "memory.sqlite", provenance("memory")) as db,
    ):
        copy_tables(db, [tmp_path / "edges.sqlite"])
