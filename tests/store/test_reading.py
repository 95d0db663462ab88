"""Opening artifacts: each thing that is none is named, with the way out."""

import sqlite3

import pytest

from skillmill.errors import StoreError
from skillmill.store.artifact import digest, kind_of, logical_dump, reading, writing
from skillmill.store.edges import load_edges, save_edges
from skillmill.store.schema import SCHEMA_VERSION
from skillmill.store.vectors import load_vectors, save_vectors
from tests.store.examples import EDGES, provenance, unprivileged


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "edges.sqlite"
    with writing(path, provenance("edges")) as db:
        save_edges(db, EDGES)
    return path


def refusal(path, kind="edges"):
    with pytest.raises(StoreError) as caught, reading(path, kind) as db:
        db.execute("select * from edge").fetchall()
    message = str(caught.value)
    assert message.startswith(f"{path}: expected ")
    assert caught.value.record == str(path)
    return message


def test_a_missing_file_is_named(tmp_path):
    message = refusal(tmp_path / "none.sqlite")
    assert message.endswith(
        "expected a 'edges' store, found no file; run the workflow that makes it"
    )
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "an empty file"),
        (b"{}", "a file that is not SQLite"),
        (b"SQLite format 2\x00" + bytes(200), "a file that is not SQLite"),
        (b"SQLite format 3\x00", "16 of its 100 bytes (cut short)"),
    ],
)
def test_a_file_that_is_no_database_is_refused(path, content, found):
    path.write_bytes(content)
    expected = f"expected a 'edges' store, found {found}; "
    assert expected in refusal(path)


@pytest.mark.parametrize("part", [0.01, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused(path, part):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    message = refusal(path)
    assert f"of its {len(whole)} bytes (cut short); delete it and run again" in message


def test_damage_within_a_file_is_refused(path):
    content = bytearray(path.read_bytes())
    # The first page holds the schema; every other is overwritten.
    content[16384:] = b"\xff" * (len(content) - 16384)
    path.write_bytes(bytes(content))
    assert "found a damaged one" in refusal(path)


def test_damage_that_only_shows_in_the_rows_is_refused(path):
    content = path.read_bytes()
    assert content.count(b"absimilar_to") == 2  # source a, target b, relation
    path.write_bytes(content.replace(b"absimilar_to", b"absimilar\xff\xff\xff"))
    assert "found a damaged one (Could not decode" in refusal(path)


def test_another_kind_is_named(path):
    message = refusal(path, "vectors")
    # What the user named may be a good file of another kind, or no result at all.
    assert "expected a 'vectors' store, found a 'edges' store; name another" in message


def test_a_database_of_another_program_is_named(tmp_path):
    path = tmp_path / "other.sqlite"
    db = sqlite3.connect(path)
    db.execute("create table edge (a)")
    db.close()
    assert "found a SQLite file of another program; name another" in refusal(path)


@pytest.mark.parametrize(
    ("change", "found"),
    [("set value = '0'", "version 0"), ("set value = '99'", "version 99")],
)
def test_another_version_of_the_tables_is_named(path, change, found):
    db = sqlite3.connect(path)
    with db:
        db.execute(f"update provenance {change} where key = 'schema'")
    db.close()
    message = refusal(path)
    wanted = f"expected version {SCHEMA_VERSION} of its tables, found {found}"
    assert f"{wanted}; delete it" in message


def test_a_folder_is_named(tmp_path):
    assert "found a folder; delete it and run again" in refusal(tmp_path)


def test_a_file_that_may_not_be_read_is_named(open_folder):
    path = open_folder / "edges.sqlite"
    path.write_bytes(b"secret")
    path.chmod(0)
    with unprivileged():
        assert "found a file that cannot be read (Permission denied)" in refusal(path)


@pytest.mark.parametrize(
    "name",
    ["a b.sqlite", "100%25.sqlite", "what?mode=rw.sqlite", "#1.sqlite", "é索.sqlite"],
)
def test_any_file_name_can_be_written_and_read(tmp_path, name):
    path = tmp_path / name
    with writing(path, provenance("edges")) as db:
        save_edges(db, EDGES)
    with reading(path, "edges") as db:
        assert load_edges(db) == EDGES
    assert [found.name for found in tmp_path.iterdir()] == [name]
    assert kind_of(path) == "edges"


def test_a_relative_path_is_read_from_the_working_directory(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    with reading("edges.sqlite", "edges") as db:
        assert load_edges(db) == EDGES


def test_dump_digest_and_kind_refuse_what_is_no_artifact(tmp_path):
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"no")
    for read in (kind_of, digest, logical_dump):
        with pytest.raises(StoreError, match="expected a store, found a file that is"):
            read(path)


def test_a_mistake_in_the_callers_own_sql_is_not_called_damage(path):
    with (
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        reading(path, "edges") as db,
    ):
        db.execute("select * from no_table")


def test_the_right_kind_opens_after_all_these_checks(tmp_path):
    path = tmp_path / "vectors.sqlite"
    with writing(path, provenance("vectors")) as db:
        save_vectors(db, "skill", ["a"], [0], [[1.0, 2.0]])
    with reading(path, "vectors") as db:
        ids, parts, matrix = load_vectors(db, "skill")
    assert (ids, parts.tolist(), matrix.tolist()) == (["a"], [0], [[1.0, 2.0]])
