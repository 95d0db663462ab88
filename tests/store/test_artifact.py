"""Writing artifacts: whole or not at all, and equal if their content is."""

import hashlib
import os
import random
import signal
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.artifact import (
    digest,
    kind_of,
    load_input_hashes,
    load_provenance,
    logical_dump,
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
    TASKS,
    output_of,
    provenance,
    python,
    unprivileged,
)

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


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def state(path):
    """Hash of a file, None if there is none."""
    return sha256(path) if path.exists() else None


def write_edges(path, edges=EDGES, **changes):
    with writing(path, provenance("edges", **changes)) as db:
        save_edges(db, edges)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


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


def test_a_failure_inside_the_block_leaves_the_older_file(tmp_path):
    path = tmp_path / "edges.sqlite"
    write_edges(path)
    before = sha256(path)

    def fail():
        with writing(path, provenance("edges")) as db:
            save_edges(db, [Edge("x", "y", "near", None, "rule")])
            raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    assert sha256(path) == before
    assert files_in(tmp_path) == ["edges.sqlite"]


def test_a_refused_row_leaves_no_file(tmp_path):
    with pytest.raises(StoreError, match=r"row 0 .* must be finite"):
        write_edges(tmp_path / "e.sqlite", [Edge("a", "b", "near", np.nan, "rule")])
    assert files_in(tmp_path) == []


def test_a_mistake_in_the_callers_own_sql_is_not_called_a_full_disk(tmp_path):
    with (
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        writing(tmp_path / "e.sqlite", provenance("edges")) as db,
    ):
        db.execute("select * from no_table")


def test_an_error_of_the_callers_own_files_is_passed_on(tmp_path):
    with (
        pytest.raises(FileNotFoundError),
        writing(tmp_path / "e.sqlite", provenance("edges")),
    ):
        (tmp_path / "missing").read_bytes()


def test_an_unknown_kind_leaves_no_file(tmp_path):
    with (
        pytest.raises(ValueError, match="unknown kind"),
        writing(tmp_path / "e.sqlite", provenance("edgse")),
    ):
        pass
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("older", [True, False])
def test_a_process_killed_in_the_transaction_leaves_no_half_file(tmp_path, older):
    path = tmp_path / "edges.sqlite"
    if older:
        write_edges(path)
    before = state(path)
    process = python(
        """
        import sys, time
        from skillmill.store.artifact import Provenance, writing
        with writing(sys.argv[1], Provenance("edges", "", "", "")) as db:
            db.executemany(
                "insert into edge values (?, 'b', 'near', null, 'rule')",
                ((f"a{i}",) for i in range(50_000)),
            )
            print("written", flush=True)
            time.sleep(60)
        """,
        path,
    )
    assert process.stdout.readline() == "written\n"
    process.kill()
    process.communicate()
    assert "edges.sqlite.tmp" in files_in(tmp_path)
    assert state(path) == before
    write_edges(path)
    assert files_in(tmp_path) == ["edges.sqlite"]


@pytest.mark.parametrize("older", [True, False])
def test_a_process_killed_before_the_rename_leaves_no_half_file(tmp_path, older):
    path = tmp_path / "edges.sqlite"
    if older:
        write_edges(path)
    before = state(path)
    process = python(
        """
        import os, signal, sys
        from skillmill.store.artifact import Provenance, writing
        os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
        with writing(sys.argv[1], Provenance("edges", "", "", "")) as db:
            db.execute("insert into edge values ('a', 'b', 'near', null, 'rule')")
        """,
        path,
    )
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert {"edges.sqlite.tmp", "edges.sqlite.packed.tmp"} <= set(files_in(tmp_path))
    assert state(path) == before
    write_edges(path)
    assert files_in(tmp_path) == ["edges.sqlite"]


@pytest.mark.parametrize("rows", [50_000, 3_000])
def test_a_full_disk_is_named_and_the_older_file_kept(tmp_path, rows):
    """A limit on file sizes stands for the disk; it hits the rows, or the commit."""
    path = tmp_path / "edges.sqlite"
    write_edges(path)
    before = sha256(path)
    process = python(
        """
        import resource, sys
        from skillmill.errors import StoreError
        from skillmill.store.artifact import Provenance, writing
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            with writing(sys.argv[1], Provenance("edges", "", "", "")) as db:
                db.executemany(
                    "insert into edge values (?, 'b', 'near', null, 'rule')",
                    ((f"a longer name: {i:30}",) for i in range(int(sys.argv[2]))),
                )
        except StoreError as error:
            print(error)
        """,
        path,
        rows,
    )
    message = output_of(process)
    assert str(path) in message
    assert "expected to write the store, got" in message
    assert "disk" in message
    assert sha256(path) == before
    assert files_in(tmp_path) == ["edges.sqlite"]


def test_a_folder_that_cannot_be_written_is_named(open_folder):
    path = open_folder / "edges.sqlite"
    write_edges(path)
    before = sha256(path)
    open_folder.chmod(0o555)
    with (
        unprivileged(),
        pytest.raises(StoreError, match=r"edges\.sqlite: expected to write.*folder"),
    ):
        write_edges(path)
    assert sha256(path) == before


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path):
    with pytest.raises(StoreError, match="expected a place for a file, found a folder"):
        write_edges(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "results").write_text("a file")
    with pytest.raises(StoreError, match=r"results/e\.sqlite: expected to write"):
        write_edges(tmp_path / "results" / "e.sqlite")


def test_provenance_comes_back_with_the_hashes_of_the_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/b.json").write_bytes(b"")
    Path("data/a.json").write_bytes(b"abc")
    given = provenance(
        "edges",
        params={"k": np.int64(8), "floor": 0.5, "names": ["é", "索"]},
        inputs={"skills": ["data/b.json", tmp_path / "data" / "a.json", "data/b.json"]},
        models={"encoder": "bundled:mill"},
    )
    with writing("out/edges.sqlite", given):
        pass
    with reading("out/edges.sqlite", "edges") as db:
        found, hashes = load_provenance(db), load_input_hashes(db)
    assert found == provenance(
        "edges",
        params={"k": 8, "floor": 0.5, "names": ["é", "索"]},
        inputs={"skills": ("data/a.json", "data/b.json")},
        models={"encoder": "bundled:mill"},
    )
    # FIPS 180-2, the test vectors "abc" and the empty text
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert hashes == [("skills", "data/a.json", abc), ("skills", "data/b.json", empty)]


def test_an_input_outside_the_working_directory_keeps_its_full_path(tmp_path):
    source = tmp_path / "source.json"
    source.write_bytes(b"abc")
    write_edges(tmp_path / "e.sqlite", inputs={"source": [source]})
    with reading(tmp_path / "e.sqlite", "edges") as db:
        assert load_provenance(db).inputs == {"source": (source.as_posix(),)}


@pytest.mark.parametrize("missing", ["no-such-file.json", "."])
def test_an_input_that_cannot_be_read_is_named_before_any_work(tmp_path, missing):
    path = tmp_path / "e.sqlite"
    with pytest.raises(
        StoreError, match="expected a file to read \\(input 'source'\\)"
    ):
        write_edges(path, inputs={"source": [tmp_path / missing]})
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("bad", [float("nan"), object(), {1, 2}])
def test_a_parameter_that_json_cannot_hold_is_named(tmp_path, bad):
    with pytest.raises(StoreError, match="provenance, params: expected what JSON"):
        write_edges(tmp_path / "e.sqlite", params={"floor": bad})


def test_the_logical_dump_names_kind_tables_and_rows(tmp_path):
    write_edges(tmp_path / "e.sqlite")
    dump = logical_dump(tmp_path / "e.sqlite").splitlines()
    assert dump[:4] == [
        "edges 1",
        "edge(source, target, relation, weight, provenance)",
        "  ('a', 'b', 'similar_to', 0.30000000000000004, 'embedding')",
        "  ('a', 'b', 'similar_to', 1.0, 'rule')",
    ]
    assert "  ('study', 'tiny')" in dump
    assert "provenance_input(role, path, sha256)" in dump


def test_tables_can_be_left_out_of_dump_and_digest(tmp_path):
    write_edges(tmp_path / "a.sqlite", study="one")
    write_edges(tmp_path / "b.sqlite", study="two")
    paths = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    assert len({digest(path) for path in paths}) == 2
    assert len({digest(path, without=["provenance"]) for path in paths}) == 1
    assert "study" not in logical_dump(paths[0], without=["provenance"])
    assert (
        digest(paths[0]) == hashlib.sha256(logical_dump(paths[0]).encode()).hexdigest()
    )


def test_the_digest_does_not_depend_on_the_page_layout(tmp_path):
    write_edges(tmp_path / "a.sqlite")
    db = sqlite3.connect(tmp_path / "a.sqlite")
    db.execute("pragma page_size = 4096")
    db.execute("vacuum into ?", (str(tmp_path / "b.sqlite"),))
    db.execute("vacuum")
    db.close()
    assert sha256(tmp_path / "a.sqlite") != sha256(tmp_path / "b.sqlite")
    assert digest(tmp_path / "a.sqlite") == digest(tmp_path / "b.sqlite")


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
        assert not locked(Path(f"{path}.tmp"))
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


def test_the_names_of_the_examples_are_not_all_ascii():
    assert not all(task.text.isascii() for task in TASKS)
