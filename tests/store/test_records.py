"""Record stores: nothing that was paid for is lost, whatever ends the process."""

import os
import sqlite3
import time

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.records import TagRecords, VectorRecords, merge_records, text_key
from skillmill.store.schema import create_records
from tests.store.examples import CHINESE, HEBREW, output_of, python, unprivileged
from tests.store.recorded import (
    KEYS,
    MINI,
    add,
    check,
    known,
    matrix_of,
    shard_names,
)


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
        from tests.store.recorded import KEYS, MINI, matrix_of
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


def test_a_flipped_bit_is_seen_and_the_row_computed_again(tmp_path, caplog):
    add(tmp_path, KEYS[:3])
    merge_records(tmp_path)
    main = tmp_path / "vectors" / "main.sqlite"
    db = sqlite3.connect(main, isolation_level=None)
    (data,) = db.execute(
        "select data from vector_record where key = ?", (KEYS[1],)
    ).fetchone()
    spoilt = bytes([data[0] ^ 1]) + data[1:]  # still a finite number
    db.execute("update vector_record set data = ? where key = ?", (spoilt, KEYS[1]))
    db.close()
    check(known(tmp_path, KEYS[:3]), [KEYS[0], KEYS[2]])
    assert "1 of 3 rows are not what was recorded" in caplog.text
    assert KEYS[1] in caplog.text
    add(tmp_path, KEYS[1:2])
    check(known(tmp_path, KEYS[:3]), KEYS[:3])
    merge_records(tmp_path)
    check(known(tmp_path, KEYS[:3]), KEYS[:3])


def test_records_of_before_there_were_seals_are_read_and_merged(tmp_path):
    add(tmp_path, KEYS[:2])
    (old,) = (tmp_path / "vectors").glob("*.sqlite")
    db = sqlite3.connect(old)
    db.execute("drop table seal")
    db.close()
    old.rename(tmp_path / "vectors" / "main.sqlite")
    check(known(tmp_path, KEYS[:2]), KEYS[:2])
    add(tmp_path, KEYS[1:4])
    merge_records(tmp_path)
    check(known(tmp_path, KEYS[:4]), KEYS[:4])
    db = sqlite3.connect(tmp_path / "vectors" / "main.sqlite")
    sealed = {key for (key,) in db.execute("select key from seal")}
    db.close()
    assert sealed == set(KEYS[2:4])
