"""Merging: each shard is taken over whole and once, by one process."""

import fcntl
import os
import sqlite3
from pathlib import Path

import pytest

from skillmill.errors import StoreError
from skillmill.store import filesystem, fitness
from skillmill.store.fitness import require_locks
from skillmill.store.records import (
    MergeCounts,
    TagRecords,
    VectorRecords,
    merge_records,
)
from tests.store.examples import output_of, python, unprivileged
from tests.store.recorded import (
    KEYS,
    MINI,
    add,
    check,
    known,
    matrix_of,
    shard_names,
    spoil,
)


def test_closed_shards_are_folded_into_one_file_and_counted(tmp_path):
    add(tmp_path, KEYS[:10])
    add(tmp_path, KEYS[5:20])
    with TagRecords(tmp_path, {"name": "tagger"}) as records:
        records.add({KEYS[0]: ["x"]})
    assert merge_records(tmp_path) == MergeCounts(shards=3, rows=21)
    assert shard_names(tmp_path) == ["main.sqlite"]
    assert shard_names(tmp_path, "tags") == ["main.sqlite"]
    check(known(tmp_path), KEYS[:20])
    with TagRecords(tmp_path, {"name": "tagger"}) as records:
        assert records.known(KEYS) == {KEYS[0]: ["x"]}


def test_merging_twice_changes_nothing(tmp_path):
    add(tmp_path, KEYS)
    merge_records(tmp_path)
    before = (tmp_path / "vectors" / "main.sqlite").read_bytes()
    assert merge_records(tmp_path) == MergeCounts()
    assert (tmp_path / "vectors" / "main.sqlite").read_bytes() == before


@pytest.mark.parametrize("name", ["records", "no/such/folder"])
def test_nothing_to_merge_is_no_error(tmp_path, name):
    (tmp_path / "records").mkdir()
    assert merge_records(tmp_path / name) == MergeCounts()
    assert list((tmp_path / "records").iterdir()) == []


def test_the_first_row_of_a_key_stays(tmp_path):
    add(tmp_path, KEYS[:1])
    merge_records(tmp_path)
    with VectorRecords(tmp_path, MINI) as records:
        records.add(KEYS[:1], [[0.0, 0.0, 0.0]])
    assert merge_records(tmp_path) == MergeCounts(shards=1, rows=0)
    check(known(tmp_path), KEYS[:1])


def test_the_shard_of_a_living_process_is_left(tmp_path):
    with VectorRecords(tmp_path, MINI) as records:
        records.add(KEYS[:1], matrix_of(KEYS[:1]))
        add(tmp_path, KEYS[1:3])
        assert merge_records(tmp_path) == MergeCounts(shards=1, rows=2, left=1)
        records.add(KEYS[3:4], matrix_of(KEYS[3:4]))
        check(records.known(KEYS), KEYS[:4])
    assert merge_records(tmp_path) == MergeCounts(shards=1, rows=2)
    check(known(tmp_path), KEYS[:4])


def killed_writer(folder):
    """Leave the open shard of a dead process behind; give its pid."""
    process = python(
        """
        import os, sys
        from pathlib import Path
        from skillmill.store.records import VectorRecords
        from tests.store.recorded import KEYS, MINI, matrix_of
        records = VectorRecords(Path(sys.argv[1]), MINI)
        records.add(KEYS[:3], matrix_of(KEYS[:3]))
        os._exit(9)
        """,
        folder,
    )
    process.communicate()
    assert process.returncode == 9
    return process.pid


def test_the_shard_of_a_dead_process_of_this_host_is_folded_in(tmp_path):
    pid = killed_writer(tmp_path)
    (name,) = shard_names(tmp_path)
    assert name.endswith(".open.sqlite")
    assert f"-{pid}-" in name
    assert merge_records(tmp_path) == MergeCounts(shards=1, rows=3)
    check(known(tmp_path), KEYS[:3])


def test_the_open_shard_of_another_host_is_read_but_never_merged(tmp_path):
    pid = killed_writer(tmp_path)
    (path,) = (tmp_path / "vectors").glob("*.open.sqlite")
    other = path.with_name(f"node-7-{pid}-0badcafe.open.sqlite")
    path.rename(other)
    assert merge_records(tmp_path) == MergeCounts(left=1)
    assert other.exists()
    check(known(tmp_path), KEYS[:3])


def test_a_second_merge_at_the_same_time_does_nothing(tmp_path):
    add(tmp_path, KEYS)
    before = shard_names(tmp_path)
    with (tmp_path / "vectors" / "merge.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert merge_records(tmp_path) == MergeCounts(busy=True)
    assert shard_names(tmp_path) == before
    assert merge_records(tmp_path).rows == len(KEYS)


def test_merges_by_several_processes_take_each_shard_once(tmp_path):
    for at in range(0, 40, 2):
        add(tmp_path, KEYS[at : at + 2])
    code = """
        import sys
        from pathlib import Path
        from skillmill.store.records import merge_records
        counts = merge_records(Path(sys.argv[1]))
        print(counts.shards, counts.rows)
        """
    processes = [python(code, tmp_path) for _ in range(4)]
    totals = [list(map(int, output_of(process).split())) for process in processes]
    assert [sum(column) for column in zip(*totals, strict=True)] == [20, 40]
    check(known(tmp_path), KEYS)


def test_a_merge_killed_between_two_shards_loses_and_doubles_nothing(tmp_path):
    add(tmp_path, KEYS[:20])
    add(tmp_path, KEYS[20:])
    process = python(
        """
        import os, signal, sys
        from pathlib import Path
        from skillmill.store.records import merge_records
        Path.unlink = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
        merge_records(Path(sys.argv[1]))
        """,
        tmp_path,
    )
    process.communicate()
    assert process.returncode == -9
    assert len(shard_names(tmp_path)) == 3  # the first is in main, not yet deleted
    check(known(tmp_path), KEYS)
    assert merge_records(tmp_path) == MergeCounts(shards=2, rows=20)
    check(known(tmp_path), KEYS)


def test_a_damaged_shard_is_set_aside_and_the_rest_merged(tmp_path):
    add(tmp_path, KEYS[:10])
    (broken,) = (tmp_path / "vectors").glob("*.sqlite")
    spoil(broken)
    add(tmp_path, KEYS[10:])
    aside = broken.with_name(f"{broken.name}.damaged")
    assert merge_records(tmp_path) == MergeCounts(shards=1, rows=30, damaged=(aside,))
    assert aside.exists()
    check(known(tmp_path), KEYS[10:])


def test_a_damaged_main_file_is_set_aside_and_begun_anew(tmp_path):
    add(tmp_path, KEYS[:10])
    merge_records(tmp_path)
    main = tmp_path / "vectors" / "main.sqlite"
    spoil(main)
    add(tmp_path, KEYS[10:])
    aside = main.with_name("main.sqlite.damaged")
    assert merge_records(tmp_path) == MergeCounts(shards=1, rows=30, damaged=(aside,))
    check(known(tmp_path), KEYS[10:])


def test_what_a_process_killed_at_the_start_left_is_cleared(tmp_path):
    pid = killed_writer(tmp_path)
    (path,) = (tmp_path / "vectors").glob("*.open.sqlite")
    dead = path.with_name(path.name.replace(".open.sqlite", "0.new"))
    alive = path.with_name(dead.name.replace(f"-{pid}-", f"-{os.getpid()}-"))
    for new in (dead, alive):
        new.write_bytes(b"")
    merge_records(tmp_path)
    assert not dead.exists()
    assert alive.exists()


def test_the_folder_of_one_store_is_refused_instead_of_ignored(tmp_path):
    add(tmp_path, KEYS[:1])
    with pytest.raises(StoreError, match=f"name {tmp_path} instead"):
        merge_records(tmp_path / "vectors")


def test_a_folder_that_cannot_be_locked_is_named(open_folder):
    add(open_folder, KEYS[:1])
    with (
        unprivileged(),
        pytest.raises(StoreError, match="expected to lock the records"),
    ):
        merge_records(open_folder)


def test_a_file_system_without_locks_is_named_with_the_setting_u14(
    tmp_path, monkeypatch
):
    add(tmp_path, KEYS[:1])

    def refuse(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(StoreError, match="No locks available; set `records`") as caught:
        merge_records(tmp_path)
    assert str(tmp_path / "vectors") in str(caught.value)


def test_records_on_a_network_without_locks_are_refused_before_a_run_u14(
    tmp_path, monkeypatch
):
    require_locks(tmp_path / "records")
    monkeypatch.setattr(filesystem, "file_system_of", lambda folder: ("nfs4", True))
    require_locks(tmp_path / "records")
    monkeypatch.setattr(fitness, "problem_of", lambda folder: "there are no locks")
    with pytest.raises(StoreError, match=r"type nfs4 where there are no.*`records`"):
        require_locks(tmp_path / "records")


def test_the_main_file_has_a_rollback_journal_u14(tmp_path):
    add(tmp_path, KEYS[:1])
    merge_records(tmp_path)
    main = Path(tmp_path / "vectors" / "main.sqlite")
    assert main.read_bytes()[18:20] == b"\x01\x01"
    db = sqlite3.connect(main)
    assert db.execute("pragma page_size").fetchone() == (16384,)
    assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    db.close()
