"""Vectors keep their bits, and nothing else passes for one."""

import numpy as np
import pytest

from skillmill.errors import ModelError, StoreError
from skillmill.store.artifact import reading, writing
from skillmill.store.vectors import (
    by_id,
    load_encoder,
    load_vectors,
    require_encoder,
    save_encoder,
    save_vectors,
)
from tests.store.examples import provenance

MINI = {"name": "mini-a", "dim": 384, "pooling": "mean", "revision": "r1"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "vectors.sqlite"


def save(path, ids, parts, matrix, kind="skill"):
    with writing(path, provenance("vectors")) as db:
        save_vectors(db, kind, ids, parts, matrix)


def load(path, kind="skill"):
    with reading(path, "vectors") as db:
        return load_vectors(db, kind)


def store_foreign(path, dim, dtype, data):
    """Write a row past all checks, as another program could."""
    with writing(path, provenance("vectors")) as db:
        db.execute("pragma ignore_check_constraints = on")
        db.execute(
            "insert into vector values ('skill', 'a', 0, ?, ?, ?)", (dim, dtype, data)
        )


def test_vectors_come_back_bit_for_bit_sorted_by_id_and_part(path):
    matrix = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)
    save(path, ["b", "a", "b", "a"], np.array([1, 10, 0, 2]), matrix)
    ids, parts, found = load(path)
    assert ids == ["a", "a", "b", "b"]
    assert parts.tolist() == [2, 10, 0, 1]
    assert found.dtype == np.float32
    assert found.tobytes() == matrix[[3, 1, 2, 0]].tobytes()


def test_the_bytes_are_little_endian_whatever_the_input_u62(path):
    """1.0 is 0x3f800000 and -2.0 is 0xc0000000 in IEEE 754."""
    expected = bytes.fromhex("0000803f 000000c0")
    for dtype in ("<f4", ">f4", "<f8", ">f8"):
        save(path, ["a"], [0], np.array([[1.0, -2.0]], dtype=dtype))
        with reading(path, "vectors") as db:
            row = db.execute("select dim, dtype, data from vector").fetchone()
        assert row == (2, "float32le", expected)
        assert load(path)[2].tolist() == [[1.0, -2.0]]


@pytest.mark.parametrize(
    ("dim", "dtype", "data"),
    [
        (4, "float32le", np.ones(4, "<f8").tobytes()),
        (4, "float64le", np.ones(4, "<f8").tobytes()),
        (4, "float32be", np.ones(4, ">f4").tobytes()),
        (3, "float32le", np.ones(4, "<f4").tobytes()),
        (4, "float32le", b""),
    ],
)
def test_a_foreign_blob_is_refused_when_read_u62(path, dim, dtype, data):
    store_foreign(path, dim, dtype, data)
    with pytest.raises(StoreError) as caught:
        load(path)
    found = f"found {dim} as {dtype} ({len(data)} bytes); delete the store"
    assert "vector of skill 'a': expected " in str(caught.value)
    assert found in str(caught.value)


def test_a_foreign_blob_is_refused_when_written_u62(path):
    with (
        pytest.raises(Exception, match="CHECK constraint failed"),
        writing(path, provenance("vectors")) as db,
    ):
        db.execute(
            "insert into vector values ('skill', 'a', 0, 4, 'float32le', ?)",
            (np.ones(4, "<f8").tobytes(),),
        )


def test_a_stored_number_that_is_not_finite_is_refused(path):
    store_foreign(path, 2, "float32le", np.array([1, np.nan], "<f4").tobytes())
    with pytest.raises(StoreError, match="skill 'a': expected finite numbers"):
        load(path)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e39])
def test_a_number_that_float32_cannot_hold_is_refused_by_name(path, bad):
    """The largest float32 is about 3.4e38."""
    with pytest.raises(StoreError, match=r"vector of 'b': .* 1 of 2 vectors"):
        save(path, ["a", "b"], [0, 0], [[1.0, 0.0], [0.0, bad]])
    assert not path.exists()


def test_vectors_need_no_unit_length_u62(path):
    save(path, ["a", "b"], [0, 0], [[0.0, 0.0], [3.0, 4.0]])
    assert load(path)[2].tolist() == [[0.0, 0.0], [3.0, 4.0]]


def test_kinds_are_kept_apart_and_an_absent_one_is_empty(path):
    with writing(path, provenance("memory")) as db:
        save_vectors(db, "atom", ["a"], [0], [[1.0, 2.0]])
        save_vectors(db, "question", ["a"], [0], [[3.0, 4.0, 5.0]])
        save_vectors(db, "entity", [], [], np.empty((0, 2)))
    with reading(path, "memory") as db:
        assert load_vectors(db, "question")[2].tolist() == [[3.0, 4.0, 5.0]]
        ids, parts, matrix = load_vectors(db, "entity")
    assert (ids, parts.shape, matrix.shape) == ([], (0,), (0, 0))
    assert matrix.dtype == np.float32


def test_two_dimensions_in_one_kind_are_refused(path):
    with writing(path, provenance("vectors")) as db:
        save_vectors(db, "skill", ["a"], [0], [[1.0, 2.0]])
        save_vectors(db, "skill", ["b"], [0], [[1.0, 2.0, 3.0]])
    with pytest.raises(StoreError, match=r"skill 'b': expected 2 numbers .* found 3"):
        load(path)


def test_a_part_that_comes_twice_is_refused(path):
    with pytest.raises(StoreError, match=r"table 'vector', row 1 .*UNIQUE"):
        save(path, ["a", "a"], [0, 0], [[1.0], [2.0]])


@pytest.mark.parametrize(
    ("ids", "parts", "matrix"),
    [
        (["a"], [0, 1], [[1.0]]),
        (["a"], [0], [[1.0], [2.0]]),
        (["a", "b"], [0, 0], [1.0, 2.0]),
    ],
)
def test_lengths_that_differ_are_a_mistake_of_the_caller(path, ids, parts, matrix):
    with pytest.raises(ValueError, match=r"vectors|matrix"):
        save(path, ids, parts, matrix)


def test_the_encoder_comes_back_with_its_numbers_as_numbers(path):
    with writing(path, provenance("vectors")) as db:
        save_encoder(db, {**MINI, "dim": np.int64(384)})
    with reading(path, "vectors") as db:
        found = load_encoder(db)
        require_encoder(db, MINI)
    assert found == MINI
    assert type(found["dim"]) is int


def test_another_encoder_of_equal_dimension_is_refused_with_both_names_u38(path):
    with writing(path, provenance("vectors")) as db:
        save_encoder(db, MINI)
    with (
        reading(path, "vectors") as db,
        pytest.raises(ModelError, match="made by 'mini-a', not by 'mini-b'") as caught,
    ):
        require_encoder(db, {**MINI, "name": "mini-b", "revision": "r2"})
    assert "revision 'r1' against 'r2'" in str(caught.value)
    assert "dim" not in str(caught.value)
    assert "run the workflow again to encode" in str(caught.value)


def test_a_store_without_an_encoder_is_refused_u38(path):
    with writing(path, provenance("vectors")):
        pass
    with reading(path, "vectors") as db:
        assert load_encoder(db) == {}
        with pytest.raises(ModelError, match="not by 'mini-a'"):
            require_encoder(db, MINI)


def test_the_parts_of_each_record_come_back_by_id(path):
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    save(path, ["b", "a", "b"], [0, 0, 1], rows)
    with reading(path, "vectors") as db:
        found = by_id(db, "skill")
        assert by_id(db, "task") == {}
    assert {id: own.tolist() for id, own in found.items()} == {
        "a": [[3.0, 4.0]],
        "b": [[1.0, 2.0], [5.0, 6.0]],
    }
    assert list(found) == ["a", "b"]
