"""Record stores: nothing that was paid for is lost, whatever ends the process."""

import logging
import os
import sqlite3
import time

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store import shards
from skillmill.store.records import TagRecords, VectorRecords, merge_records, text_key
from skillmill.store.schema import create_records
from tests.store.examples import CHINESE, HEBREW, output_of, python, unprivileged

MINI = {"name": "mini-a", "dim": 3, "revision": "r1"}
KEYS = [text_key(str(number)) for number in range(40)]


def vector_of(key):
    """A vector that only this key has."""
    return np.frombuffer(bytes.fromhex(key)[:6], "<u2").astype(np.float32)


def matrix_of(keys):
    return np.array([vector_of(key) for key in keys])


def check(found, keys):
    assert list(found) == list(keys)
    for key in keys:
        assert found[key].tolist() == vector_of(key).tolist()


def known(folder, keys=KEYS, model=MINI):
    with VectorRecords(folder, model) as records:
        return records.known(keys)


def add(folder, keys, model=MINI):
    with VectorRecords(folder, model) as records:
        records.add(keys, matrix_of(keys))


def shard_names(folder, store="vectors"):
    return sorted(path.name for path in (folder / store).glob("*.sqlite*"))


def spoil(path):
    """Overwrite all but the first page of a database."""
    content = path.read_bytes()
    path.write_bytes(content[:16384] + b"\xff" * (len(content) - 16384))


def test_a_key_is_the_hash_of_the_text_in_nfc_u37():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert text_key(composed) == text_key(decomposed)
    assert text_key("abc") == (  # FIPS 180-2
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert text_key("\ud83d") != text_key("?") != text_key(HEBREW)


def test_what_is_added_is_known_to_every_later_reader(tmp_path):
    with VectorRecords(tmp_path, MINI) as records:
        assert records.known(KEYS) == {}
        records.add(KEYS[:2], matrix_of(KEYS[:2]))
        records.add(KEYS[2:3], matrix_of(KEYS[2:3]))
        check(records.known(KEYS), KEYS[:3])
        assert (records.computed, records.reused) == (3, 3)
    with VectorRecords(tmp_path, MINI) as records:
        check(records.known([KEYS[2], "unknown", KEYS[0], KEYS[2]]), [KEYS[2], KEYS[0]])
        assert (records.computed, records.reused) == (0, 2)
        assert records.known(iter([KEYS[1]]))[KEYS[1]].dtype == np.float32


def test_a_run_that_computes_nothing_writes_no_file(tmp_path):
    with VectorRecords(tmp_path / "records", MINI) as records:
        assert records.known(KEYS) == {}
        assert records.known([]) == {}
        records.add([], np.empty((0, 3)))
    assert not (tmp_path / "records").exists()


def test_a_shard_is_open_while_it_is_written_and_closed_after(tmp_path):
    with VectorRecords(tmp_path, MINI) as records:
        records.add(KEYS[:1], matrix_of(KEYS[:1]))
        (name,) = shard_names(tmp_path)
        assert name.endswith(".open.sqlite")
        assert f"-{os.getpid()}-" in name
    assert shard_names(tmp_path) == [name.replace(".open", "")]


def test_a_block_that_fails_still_closes_its_shard(tmp_path):
    def fail():
        with VectorRecords(tmp_path, MINI) as records:
            records.add(KEYS[:1], matrix_of(KEYS[:1]))
            raise KeyError("x")

    with pytest.raises(KeyError):
        fail()
    assert ".open" not in shard_names(tmp_path)[0]
    check(known(tmp_path), KEYS[:1])


@pytest.mark.parametrize("change", [{"name": "mini-b"}, {"revision": "r2"}, {"new": 1}])
def test_another_model_of_equal_dimension_knows_nothing_u38(tmp_path, change):
    add(tmp_path, KEYS[:1])
    assert known(tmp_path, model={**MINI, **change}) == {}
    add(tmp_path, KEYS[:1], {**MINI, **change})
    merge_records(tmp_path)
    assert list(known(tmp_path)) == KEYS[:1]


def test_the_order_of_the_identity_does_not_matter(tmp_path):
    add(tmp_path, KEYS[:1])
    assert list(known(tmp_path, model=dict(reversed(MINI.items())))) == KEYS[:1]


def test_the_identity_is_written_out_once_for_each_model(tmp_path):
    add(tmp_path, KEYS[:5])
    add(tmp_path, KEYS[5:9])
    add(tmp_path, KEYS[:5], {**MINI, "name": CHINESE})
    merge_records(tmp_path)
    db = sqlite3.connect(tmp_path / "vectors" / "main.sqlite")
    found = sorted(text for (text,) in db.execute("select identity from model"))
    db.close()
    assert found == [
        '{"dim": 3, "name": "mini-a", "revision": "r1"}',
        f'{{"dim": 3, "name": "{CHINESE}", "revision": "r1"}}',
    ]


def test_a_key_that_is_there_keeps_its_row(tmp_path):
    with VectorRecords(tmp_path, MINI) as records:
        records.add(KEYS[:1], matrix_of(KEYS[:1]))
        records.add([KEYS[0], KEYS[0]], np.zeros((2, 3)))
        check(records.known(KEYS), KEYS[:1])


def test_a_vector_that_is_not_finite_is_refused_and_none_is_kept(tmp_path):
    with VectorRecords(tmp_path, MINI) as records:
        with pytest.raises(StoreError, match=r"1 of 2 vectors; nothing was stored"):
            records.add(KEYS[:2], [[1.0, 2.0, 3.0], [1.0, np.nan, 3.0]])
        assert records.known(KEYS) == {}
        assert records.computed == 0


def test_lengths_that_differ_are_a_mistake_of_the_caller(tmp_path):
    with (
        VectorRecords(tmp_path, MINI) as records,
        pytest.raises(ValueError, match=r"shorter|longer"),
    ):
        records.add(KEYS[:2], matrix_of(KEYS[:1]))


def test_tags_come_back_as_they_were(tmp_path):
    tags = {
        KEYS[0]: {"ner": {HEBREW: 2, CHINESE: 1}, "noun": {}},
        KEYS[1]: [],
        KEYS[2]: {"ner": {"Ada": np.int64(1)}},
    }
    with TagRecords(tmp_path, {"name": "tagger"}) as records:
        records.add(tags)
        assert records.known(reversed(KEYS[:3])) == tags
        assert list(records.known(KEYS)) == KEYS[:3]
        assert (records.computed, records.reused) == (3, 6)
    (name,) = shard_names(tmp_path, "tags")
    db = sqlite3.connect(tmp_path / "tags" / name)
    (text,) = db.execute("select value from tag_record order by key").fetchone()
    db.close()
    assert "\\u" not in text
    assert not (tmp_path / "vectors").exists()


@pytest.mark.parametrize("bad", [float("nan"), {1, 2}, object()])
def test_tags_that_json_cannot_hold_are_refused_and_none_is_kept(tmp_path, bad):
    with TagRecords(tmp_path, {"name": "tagger"}) as records:
        with pytest.raises(
            StoreError, match=f"tags of '{KEYS[1]}': expected what JSON"
        ):
            records.add({KEYS[0]: 1, KEYS[1]: bad})
        assert records.known(KEYS) == {}


def test_a_row_that_cannot_be_stored_keeps_its_whole_call_out(tmp_path):
    with TagRecords(tmp_path, {"name": "tagger"}) as records:
        records.add({KEYS[0]: "kept"})
        with pytest.raises(StoreError, match=r"table 'tag_record', row 1 .*surrogates"):
            records.add({KEYS[1]: "lost", KEYS[2]: "\ud83d"})
        assert records.known(KEYS) == {KEYS[0]: "kept"}
        assert records.computed == 1


def test_rows_acknowledged_before_kill_9_are_there_after_it_u02(tmp_path):
    process = python(
        """
        import itertools, sys
        from pathlib import Path
        from skillmill.store.records import VectorRecords, text_key
        from tests.store.test_records import MINI, matrix_of
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


def test_eight_processes_write_at_once_while_others_read_and_merge(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from skillmill.store.records import VectorRecords, text_key
        from tests.store.test_records import MINI, check, matrix_of
        folder, own = Path(sys.argv[1]), sys.argv[2]
        with VectorRecords(folder, MINI) as records:
            for number in range(25):
                keys = [text_key(f"{own}/{number}"), text_key(f"shared/{number}")]
                records.add(keys, matrix_of(keys))
                check(records.known(keys), keys)
            assert records.damaged == []
        """
    processes = [python(code, tmp_path, own) for own in range(8)]
    folded = 0
    while any(process.poll() is None for process in processes):
        counts = merge_records(tmp_path)
        assert counts.damaged == ()
        folded += counts.shards
        time.sleep(0.05)
    for process in processes:
        output_of(process)
    folded += merge_records(tmp_path).shards
    assert folded == 8
    keys = [
        text_key(f"{own}/{number}")
        for own in (*range(8), "shared")
        for number in range(25)
    ]
    check(known(tmp_path, keys), keys)
    assert shard_names(tmp_path) == ["main.sqlite"]


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


def test_a_folder_that_cannot_be_written_is_named(open_folder):
    open_folder.chmod(0o555)
    with unprivileged(), VectorRecords(open_folder, MINI) as records:
        assert records.known(KEYS) == {}
        with pytest.raises(StoreError, match=r"a folder for records, got .*denied"):
            records.add(KEYS[:1], matrix_of(KEYS[:1]))


def test_records_of_another_user_can_be_read(open_folder):
    add(open_folder, KEYS[:2])
    with unprivileged():
        check(known(open_folder), KEYS[:2])


def test_a_full_disk_is_named_and_earlier_rows_stay(tmp_path):
    process = python(
        """
        import resource, sys
        from pathlib import Path
        import numpy as np
        from skillmill.errors import StoreError
        from skillmill.store.records import VectorRecords
        from tests.store.test_records import KEYS, MINI, matrix_of
        with VectorRecords(Path(sys.argv[1]), MINI) as records:
            records.add(KEYS, matrix_of(KEYS))
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            try:
                records.add([str(i) for i in range(9000)], np.ones((9000, 3)))
            except StoreError as error:
                print(error)
            print(records.computed)
        """,
        tmp_path,
    )
    message, computed = output_of(process).splitlines()
    assert "expected to use the records, got" in message
    assert "free the disk" in message
    assert computed == "40"
    check(known(tmp_path), KEYS)


def test_25000_keys_are_looked_up_within_half_a_second(tmp_path):
    keys = [text_key(str(number)) for number in range(25_000)]
    matrix = np.ones((25_000, 384), dtype=np.float32)
    with VectorRecords(tmp_path, MINI) as records:
        records.add(keys, matrix)
    merge_records(tmp_path)
    assert shard_names(tmp_path) == ["main.sqlite"]
    spent = []
    for _ in range(3):
        start = time.process_time()
        with VectorRecords(tmp_path, MINI) as records:
            assert len(records.known(keys)) == 25_000
        spent.append(time.process_time() - start)
    assert min(spent) <= 0.5


def test_records_made_by_hand_without_rows_know_nothing(tmp_path):
    (tmp_path / "tags").mkdir()
    db = sqlite3.connect(tmp_path / "tags" / "hand.sqlite")
    create_records(db, "tag-records")
    db.close()
    with TagRecords(tmp_path, {"name": "tagger"}) as records:
        assert records.known(KEYS) == {}
        assert records.damaged == []
