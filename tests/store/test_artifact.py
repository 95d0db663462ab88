"""Artifacts: equal if their content is, and read without locks."""

import os
import random
import sqlite3
from pathlib import Path

import pytest

from skillmill.store.artifact import (
    digest,
    kind_of,
    reading,
    writing,
)
from skillmill.store.connect import connect_finished, connect_shared
from skillmill.store.edges import load_edges, save_edges
from skillmill.store.load import save_outcomes, save_report
from skillmill.store.passages import save_passages
from skillmill.types import Edge
from tests.store.examples import (
    EDGES,
    REPORTS,
    output_of,
    provenance,
    python,
)
from tests.store.files import files_in, sha256, write_edges

WRITE_MANY = """
    import random, sys
    from skillmill.store.artifact import Provenance, writing
    from skillmill.store.edges import save_edges
    from skillmill.types import Edge
    path, seed = sys.argv[1:]
    edges = [Edge(f"a{i}", f"b{i}", "near", i / 7, "rule") for i in range(3000)]
    random.Random(int(seed)).shuffle(edges)
    with writing(path, Provenance("edges", "tiny", "0.1.0", "c0de", {"k": 8})) as db:
        save_edges(db, edges)
"""


def test_equal_content_written_by_two_processes_is_an_equal_file(tmp_path):
    paths = [tmp_path / "a.sqlite", tmp_path / "b.sqlite"]
    for seed, path in enumerate(paths):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed + 1)}
        output_of(python(WRITE_MANY, path, seed, env=environment))
    assert sha256(paths[0]) == sha256(paths[1])


def test_the_order_of_the_save_calls_does_not_change_the_file(tmp_path):
    passages = [(f"{at:05}", 0, "text " * (at % 40)) for at in range(2000)]

    def save_all(path, seed):
        calls = [
            lambda db: save_passages(db, "task", passages[:1000]),
            lambda db: save_passages(db, "task", passages[1000:]),
            lambda db: save_report(db, REPORTS[0]),
            lambda db: save_report(db, REPORTS[1]),
            lambda db: save_outcomes(db, "load", {"ok": 3, "failed": 1}),
        ]
        random.Random(seed).shuffle(calls)
        with writing(path, provenance("tasks")) as db:
            for call in calls:
                call(db)
        return sha256(path)

    assert len({save_all(tmp_path / f"{seed}.sqlite", seed) for seed in range(5)}) == 1


def test_one_changed_number_changes_file_and_digest(tmp_path):
    write_edges(tmp_path / "a.sqlite", [Edge("a", "b", "near", 0.5, "rule")])
    write_edges(tmp_path / "b.sqlite", [Edge("a", "b", "near", 0.6, "rule")])
    assert sha256(tmp_path / "a.sqlite") != sha256(tmp_path / "b.sqlite")
    assert digest(tmp_path / "a.sqlite") != digest(tmp_path / "b.sqlite")


def test_missing_folders_are_made_and_nothing_else_is_left_behind(tmp_path):
    path = tmp_path / "results" / "tiny" / "edges.sqlite"
    write_edges(path)
    assert files_in(path.parent) == ["edges.sqlite"]
    assert kind_of(path) == "edges"


def test_no_store_is_in_wal_mode_u14(tmp_path):
    write_edges(tmp_path / "e.sqlite")
    header = (tmp_path / "e.sqlite").read_bytes()[:20]
    assert header[18:20] == b"\x01\x01"  # write and read version: rollback journal
    assert int.from_bytes(header[16:18], "big") == 16384


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs Linux /proc/locks")
def test_neither_writing_nor_reading_takes_a_lock_u14(tmp_path):
    path = tmp_path / "e.sqlite"

    def locked(file):
        return f":{file.stat().st_ino} " in Path("/proc/locks").read_text()

    with writing(path, provenance("edges")) as db:
        save_edges(db, EDGES)
        (draft,) = tmp_path.glob("e.sqlite.*.tmp")
        assert not locked(draft)
    with reading(path, "edges") as db:
        rows = db.execute("select * from edge")
        rows.fetchone()
        assert not locked(path)
    db = connect_shared(path)
    db.execute("begin")
    db.execute("select * from edge").fetchone()
    assert locked(path), "the test would not have seen a lock"
    db.close()


def test_a_journal_beside_a_finished_file_is_not_played_into_it_u01(tmp_path):
    """What a killed process left beside a store must not come back as rows."""
    path = tmp_path / "edges.sqlite"
    write_edges(path)
    process = python(
        """
        import os, sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("pragma cache_size = 1")
        db.execute("begin")
        db.execute("delete from edge")
        db.executemany(
            "insert into edge values (?, 'b', 'near', null, 'rule')",
            ((f"a{i}" * 9,) for i in range(5000)),
        )
        os._exit(1)
        """,
        path,
    )
    process.communicate()
    assert Path(f"{path}-journal").exists()
    write_edges(path, EDGES[:1])
    with reading(path, "edges") as db:
        assert load_edges(db) == EDGES[:1]


def test_a_finished_file_can_be_read_while_it_is_written_anew(tmp_path):
    path = tmp_path / "edges.sqlite"
    write_edges(path)
    with reading(path, "edges") as db:
        write_edges(path, EDGES[:1])
        assert load_edges(db) == EDGES
    with reading(path, "edges") as db:
        assert load_edges(db) == EDGES[:1]


def test_a_finished_file_cannot_be_changed_by_a_reader(tmp_path):
    write_edges(tmp_path / "e.sqlite")
    with (
        pytest.raises(sqlite3.OperationalError, match="readonly"),
        reading(tmp_path / "e.sqlite", "edges") as db,
    ):
        save_edges(db, [Edge("x", "y", "near", None, "rule")])
    with connect_finished(tmp_path / "e.sqlite") as db:
        assert load_edges(db) == EDGES
