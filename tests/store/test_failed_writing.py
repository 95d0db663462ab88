"""A job that fails or is killed leaves the older artifact, or none."""

import signal
import sqlite3

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store import filesystem
from skillmill.store.artifact import reading, writing
from skillmill.store.edges import save_edges
from skillmill.store.shards import host_name
from skillmill.types import Edge
from tests.store.examples import (
    output_of,
    provenance,
    python,
    unprivileged,
)
from tests.store.files import EDGES, files_in, sha256, state, write_edges


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
    assert len(list(tmp_path.glob("edges.sqlite.*.tmp"))) == 1
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
    assert len(list(tmp_path.glob("edges.sqlite.*.tmp"))) == 2
    assert state(path) == before
    write_edges(path)
    assert files_in(tmp_path) == ["edges.sqlite"]


def test_a_process_killed_after_the_rename_leaves_the_whole_new_file(tmp_path):
    path = tmp_path / "edges.sqlite"
    write_edges(path)
    process = python(
        """
        import os, signal, sys
        from skillmill.store.artifact import Provenance, writing
        real = os.replace
        def renamed_and_killed(*paths):
            real(*paths)
            os.kill(os.getpid(), signal.SIGKILL)
        os.replace = renamed_and_killed
        with writing(sys.argv[1], Provenance("edges", "", "", "")) as db:
            db.execute("insert into edge values ('a', 'b', 'near', null, 'rule')")
        """,
        path,
    )
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with reading(path, "edges") as db:
        assert db.execute("select source from edge").fetchall() == [("a",)]
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    assert len(list(tmp_path.glob("edges.sqlite.*.tmp"))) == 1
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


def test_two_processes_that_write_one_path_leave_one_whole_file(tmp_path):
    """A job that outlived its killed run, and the one that repeats it."""
    path = tmp_path / "edges.sqlite"
    with writing(path, provenance("edges")) as mine:
        save_edges(mine, EDGES[:1])
        other = python(
            """
            import sys
            from skillmill.store.artifact import Provenance, writing
            with writing(sys.argv[1], Provenance("edges", "", "", "")) as db:
                db.execute("insert into edge values ('z', 'b', 'near', null, 'rule')")
            """,
            path,
        )
        output_of(other)
        save_edges(mine, EDGES[1:])
    with reading(path, "edges") as db:
        assert db.execute("select count(*) from edge").fetchone() == (len(EDGES),)
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    assert files_in(tmp_path) == ["edges.sqlite"]


def test_rows_are_written_on_the_machines_own_disk_where_the_result_is_not_u14(
    tmp_path, monkeypatch
):
    path, local = tmp_path / "nfs" / "edges.sqlite", tmp_path / "local"
    local.mkdir()
    monkeypatch.setattr(
        filesystem,
        "file_system_of",
        lambda folder: ("nfs4", True) if folder == path.parent else ("ext4", False),
    )
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(local))
    with writing(path, provenance("edges")) as db:
        save_edges(db, EDGES)
        assert len(list(local.iterdir())) == 1
        assert list(path.parent.iterdir()) == []
    assert list(local.iterdir()) == []
    assert files_in(path.parent) == ["edges.sqlite"]


def test_a_folder_for_drafts_may_be_named_and_is_cleared_of_the_dead(
    tmp_path, monkeypatch
):
    path, scratch = tmp_path / "edges.sqlite", tmp_path / "scratch"
    monkeypatch.setenv("SKILLMILL_SCRATCH", str(scratch))
    dead = python("import os; print(os.getpid())")
    number = output_of(dead).strip()
    left = scratch / f"edges.sqlite.{host_name()}-{number}-00.tmp"
    others = scratch / "edges.sqlite.elsewhere-1-00.tmp"
    scratch.mkdir()
    for file in (left, others):
        file.touch()
    write_edges(path)
    assert list(scratch.iterdir()) == [others]


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
