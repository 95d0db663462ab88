"""Token vectors are kept a matrix a text, bit for bit."""

import sqlite3

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.records import MergeCounts, VectorRecords, merge_records
from skillmill.store.token_records import TokenRecords

MODEL = {"name": "mini", "pooling": "none", "stored": "float16"}
TWO = np.array([[1.0, -2.0], [0.5, 0.25]], dtype=np.float16)
NONE = np.zeros((0, 2), dtype=np.float16)


def test_matrices_come_back_bit_for_bit_in_the_order_asked(tmp_path):
    with TokenRecords(tmp_path, MODEL) as records:
        records.add({"a": TWO, "b": NONE})
        found = records.known(["b", "unknown", "a", "b"])
        assert (records.computed, records.reused) == (2, 2)
    assert list(found) == ["b", "a"]
    assert found["a"].dtype == np.float16
    assert found["a"].tobytes() == TWO.tobytes()
    assert found["b"].shape == (0, 2)


def test_the_bytes_are_little_endian_halves(tmp_path):
    """1.0 is 0x3c00 and -2.0 is 0xc000 in IEEE 754."""
    with TokenRecords(tmp_path, MODEL) as records:
        records.add({"a": np.array([[1.0, -2.0]], dtype=">f4")})
    (path,) = (tmp_path / "tokens").iterdir()
    db = sqlite3.connect(path)
    row = db.execute("select pieces, dim, dtype, data from token_record").fetchone()
    db.close()
    assert row == (1, 2, "float16le", bytes.fromhex("003c00c0"))


def test_another_encoder_knows_nothing_and_vectors_are_kept_apart(tmp_path):
    with TokenRecords(tmp_path, MODEL) as records:
        records.add({"a": TWO})
    with TokenRecords(tmp_path, {**MODEL, "name": "other"}) as records:
        assert records.known(["a"]) == {}
    with VectorRecords(tmp_path, MODEL) as records:
        assert records.known(["a"]) == {}


def test_merging_folds_them_too(tmp_path):
    for key in ("a", "b"):
        with TokenRecords(tmp_path, MODEL) as records:
            records.add({key: TWO})
    assert merge_records(tmp_path) == MergeCounts(shards=2, rows=2)
    with TokenRecords(tmp_path, MODEL) as records:
        assert records.known(["a", "b"]).keys() == {"a", "b"}


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e6])
def test_a_number_that_a_half_cannot_hold_is_refused_and_none_is_kept(tmp_path, bad):
    """The largest half is 65,504."""
    with TokenRecords(tmp_path, MODEL) as records:
        with pytest.raises(StoreError, match=r"token vectors of 'b': .* nothing was"):
            records.add({"a": TWO, "b": np.array([[bad, 0.0]])})
        assert records.known(["a", "b"]) == {}


def test_a_vector_is_no_matrix(tmp_path):
    with (
        TokenRecords(tmp_path, MODEL) as records,
        pytest.raises(ValueError, match=r"\(t, d\) matrix"),
    ):
        records.add({"a": np.ones(3)})
    assert not (tmp_path / "tokens").exists()


def test_a_foreign_row_is_refused_when_read(tmp_path):
    with TokenRecords(tmp_path, MODEL) as records:
        records.add({"a": TWO})
    (path,) = (tmp_path / "tokens").iterdir()
    db = sqlite3.connect(path)
    db.execute("pragma ignore_check_constraints = on")
    db.execute("update token_record set pieces = 3")
    db.execute("delete from seal")  # as in a file of before there were seals
    db.commit()
    db.close()
    with (
        TokenRecords(tmp_path, MODEL) as records,
        pytest.raises(StoreError, match=r"expected 3 x 2 .* found 8 bytes"),
    ):
        records.known(["a"])
