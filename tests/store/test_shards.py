"""Shards: many processes write at once, some are killed, some files break."""

import logging
import sqlite3
import time

import pytest

from skillmill.errors import StoreError
from skillmill.store import shards
from skillmill.store.records import VectorRecords, merge_records, text_key
from skillmill.store.schema import create_records
from tests.store.examples import output_of, python
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


def test_a_shard_that_is_just_being_made_is_not_damaged(tmp_path):
    add(tmp_path, KEYS[:1])
    folder = tmp_path / "vectors"
    stem = shards.start(folder, "vector-records").name.removesuffix(".open.sqlite")
    (folder / f"{stem}0.open.sqlite").write_bytes(b"")
    sqlite3.connect(folder / f"{stem}1.open.sqlite").execute("pragma user_version")
    with VectorRecords(tmp_path, MINI) as records:
        check(records.known(KEYS), KEYS[:1])
        assert records.damaged == []
    assert (folder / f"{stem}0.open.sqlite").exists()


def test_a_shard_is_not_seen_before_it_has_its_tables(tmp_path, monkeypatch):
    def create(db, kind):
        assert shards.shards_in(tmp_path / "vectors") == []
        create_records(db, kind)

    monkeypatch.setattr("skillmill.store.shards.create_records", create)
    add(tmp_path, KEYS[:1])
    assert len(shards.shards_in(tmp_path / "vectors")) == 1


def test_a_shard_that_is_locked_for_a_moment_is_waited_for(tmp_path):
    add(tmp_path, KEYS[:1])
    (name,) = shard_names(tmp_path)
    process = python(
        """
        import sqlite3, sys, time
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("begin exclusive")
        print("locked", flush=True)
        time.sleep(0.7)
        db.execute("commit")
        """,
        tmp_path / "vectors" / name,
    )
    assert process.stdout.readline() == "locked\n"
    check(known(tmp_path), KEYS[:1])
    output_of(process)


def test_a_shard_that_stays_locked_is_named(tmp_path, monkeypatch):
    add(tmp_path, KEYS[:1])
    (name,) = shard_names(tmp_path)
    monkeypatch.setattr("skillmill.store.connect.BUSY_SECONDS", 0.1)
    db = sqlite3.connect(tmp_path / "vectors" / name, isolation_level=None)
    db.execute("begin exclusive")
    with pytest.raises(StoreError, match=f"{name}: .* found them locked"):
        known(tmp_path)
    db.close()


@pytest.mark.parametrize("spoilt", ["pages", "header", "cut to nothing", "no tables"])
def test_a_damaged_shard_is_reported_once_and_set_aside(tmp_path, caplog, spoilt):
    add(tmp_path, KEYS[1:])
    (broken,) = (tmp_path / "vectors").iterdir()
    add(tmp_path, KEYS[:1])
    if spoilt == "pages":
        spoil(broken)
    elif spoilt == "no tables":
        broken.unlink()
        sqlite3.connect(broken).execute("create table other (a)").connection.close()
    else:
        broken.write_bytes(b"?" * 500 if spoilt == "header" else b"")
    content = broken.read_bytes()
    aside = broken.with_name(f"{broken.name}.damaged")
    with VectorRecords(tmp_path, MINI) as records, caplog.at_level(logging.WARNING):
        check(records.known(KEYS), KEYS[:1])
        check(records.known(KEYS), KEYS[:1])
        assert records.damaged == [aside]
    assert caplog.text.count("is damaged") == 1
    assert f"set aside as {aside.name}" in caplog.text
    assert aside.read_bytes() == content
    with VectorRecords(tmp_path, MINI) as records:
        check(records.known(KEYS), KEYS[:1])
        assert records.damaged == []


def test_a_damaged_shard_in_use_is_left_where_it_is(tmp_path, caplog):
    """Its process may still write to it; whoever comes later sets it aside."""
    add(tmp_path, KEYS[:1])
    with VectorRecords(tmp_path, MINI) as writer:
        writer.add(KEYS[1:], matrix_of(KEYS[1:]))
        (path,) = (tmp_path / "vectors").glob("*.open.sqlite")
        spoil(path)
        with VectorRecords(tmp_path, MINI) as reader, caplog.at_level(logging.WARNING):
            check(reader.known(KEYS), KEYS[:1])
            assert reader.damaged == [path]
        assert path.exists()
    assert "left out, since it is in use" in caplog.text
    check(known(tmp_path), KEYS[:1])
    assert [name for name in shard_names(tmp_path) if name.endswith(".damaged")]


def test_the_journal_of_a_damaged_main_file_goes_with_it_u01(tmp_path):
    """Else it would be played into the next main file."""
    add(tmp_path, KEYS[:1])
    merge_records(tmp_path)
    main = tmp_path / "vectors" / "main.sqlite"
    main.write_bytes(b"?" * 500)
    journal = main.with_name("main.sqlite-journal")
    journal.write_bytes(b"journal")
    assert (
        shards.set_aside(main, shards.damaged(main, "?")).name == f"{main.name}.damaged"
    )
    assert not journal.exists()
    add(tmp_path, KEYS[1:2])
    merge_records(tmp_path)
    main.write_bytes(b"?" * 500)
    assert known(tmp_path) == {}
    names = shard_names(tmp_path)
    assert {"main.sqlite.damaged", "main.sqlite.damaged-2"} <= set(names)


def test_a_record_of_another_version_is_refused_and_kept(tmp_path):
    add(tmp_path, KEYS[:1])
    (name,) = shard_names(tmp_path)
    path = tmp_path / "vectors" / name
    with sqlite3.connect(path) as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(StoreError, match=r"expected version 1 .* found version 99"):
        known(tmp_path)
    with pytest.raises(StoreError, match="found version 99; move the file"):
        merge_records(tmp_path)
    assert path.exists()


def test_a_foreign_blob_among_records_is_refused_u62(tmp_path):
    add(tmp_path, KEYS[:1])
    (name,) = shard_names(tmp_path)
    with sqlite3.connect(tmp_path / "vectors" / name) as db:
        db.execute("pragma ignore_check_constraints = on")
        db.execute("update vector_record set data = zeroblob(24)")
        db.execute("delete from seal")  # as in a file of before there were seals
    with pytest.raises(StoreError, match=r"\(24 bytes\); move that file") as caught:
        known(tmp_path)
    assert name in str(caught.value)


def test_a_shard_merged_away_while_it_is_read_is_found_in_main(tmp_path, monkeypatch):
    add(tmp_path, KEYS[:5])
    listed = shards.shards_in(tmp_path / "vectors")
    merge_records(tmp_path)
    answers = iter([listed])
    monkeypatch.setattr(
        "skillmill.store.records.shards_in",
        lambda folder: next(answers, None) or shards.shards_in(folder),
    )
    check(known(tmp_path), KEYS[:5])


def test_a_shard_moved_away_while_it_is_written_is_named(tmp_path):
    records = VectorRecords(tmp_path, MINI)
    records.add(KEYS[:1], matrix_of(KEYS[:1]))
    (path,) = (tmp_path / "vectors").glob("*.open.sqlite")
    path.rename(tmp_path / "elsewhere.sqlite")
    with pytest.raises(StoreError, match="expected to close the records"):
        records.close()


def test_rows_acknowledged_before_kill_9_are_there_after_it_u02(tmp_path):
    process = python(
        """
        import itertools, sys
        from pathlib import Path
        from skillmill.store.records import VectorRecords, text_key
        from tests.store.recorded import MINI, matrix_of
        with VectorRecords(Path(sys.argv[1]), MINI) as records:
            for number in itertools.count():
                key = text_key(str(number))
                records.add([key], matrix_of([key]))
                print(key, flush=True)
        """,
        tmp_path,
    )
    acknowledged = [process.stdout.readline().strip() for _ in range(60)]
    process.kill()
    acknowledged += process.communicate()[0].split()
    assert len(acknowledged) >= 60
    (name,) = [name for name in shard_names(tmp_path) if not name.endswith("-journal")]
    assert name.endswith(".open.sqlite")
    check(known(tmp_path, acknowledged), acknowledged)
    db = sqlite3.connect(tmp_path / "vectors" / name)
    assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert db.execute("pragma journal_mode").fetchone() == ("delete",)  # U14
    db.close()
    counts = merge_records(tmp_path)
    assert (counts.shards, counts.left, counts.damaged) == (1, 0, ())
    check(known(tmp_path, acknowledged), acknowledged)


def test_a_commit_cut_off_by_kill_9_is_rolled_back_by_the_reader(tmp_path):
    add(tmp_path, KEYS[:5])
    (name,) = shard_names(tmp_path)
    process = python(
        """
        import os, sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("pragma cache_size = 1")
        db.execute("begin")
        db.execute("update vector_record set data = zeroblob(12)")
        db.executemany(
            "insert into vector_record values ('m', ?, 3, 'float32le', zeroblob(12))",
            ((f"key {i}",) for i in range(20_000)),
        )
        os._exit(1)
        """,
        tmp_path / "vectors" / name,
    )
    process.communicate()
    assert (tmp_path / "vectors" / f"{name}-journal").exists()
    check(known(tmp_path), KEYS[:5])


def test_sixteen_processes_write_at_once_while_others_read_and_merge(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from skillmill.store.records import VectorRecords, text_key
        from tests.store.recorded import MINI, check, matrix_of
        folder, own = Path(sys.argv[1]), sys.argv[2]
        with VectorRecords(folder, MINI) as records:
            for number in range(12):
                keys = [text_key(f"{own}/{number}"), text_key(f"shared/{number}")]
                records.add(keys, matrix_of(keys))
                check(records.known(keys), keys)
            assert records.damaged == []
        """
    processes = [python(code, tmp_path, own) for own in range(16)]
    folded = 0
    while any(process.poll() is None for process in processes):
        counts = merge_records(tmp_path)
        assert counts.damaged == ()
        folded += counts.shards
        time.sleep(0.05)
    for process in processes:
        output_of(process)
    folded += merge_records(tmp_path).shards
    assert folded == 16
    keys = [
        text_key(f"{own}/{number}")
        for own in (*range(16), "shared")
        for number in range(12)
    ]
    check(known(tmp_path, keys), keys)
    assert shard_names(tmp_path) == ["main.sqlite"]
