"""The point where rows enter a table."""

import sqlite3

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.rows import insert, json_text, json_texts, plain
from skillmill.store.schema import create_artifact


@pytest.fixture
def db():
    db = sqlite3.connect(":memory:", isolation_level=None)
    create_artifact(db, "edges")
    db.execute("create table loose (a, b, c, d)")
    return db


def test_numpy_scalars_are_stored_as_numbers_u61(db):
    insert(db, "loose", [(np.int64(3), np.float32(0.5), np.bool_(True), np.uint8(7))])
    insert(db, "loose", [(True, np.str_("x"), np.float64(2.0), None)])
    types = "select typeof(a), typeof(b), typeof(c), typeof(d) from loose"
    assert db.execute(types).fetchall() == [
        ("integer", "real", "integer", "integer"),
        ("integer", "text", "real", "null"),
    ]
    assert db.execute("select * from loose").fetchall() == [
        (3, 0.5, 1, 7),
        (1, "x", 2.0, None),
    ]


def test_a_strict_column_takes_a_numpy_integer_as_a_real_number_u61(db):
    insert(db, "edge", [("a", "b", "near", np.int32(1), "rule")])
    found = db.execute("select weight, typeof(weight) from edge").fetchone()
    assert found == (1.0, "real")


@pytest.mark.parametrize("bad", [float("nan"), np.float32("inf"), -np.inf])
def test_a_number_that_is_not_finite_is_refused_with_table_and_row(db, bad):
    rows = [("a", "b", "near", 1.0, "rule"), ("a", "c", "near", bad, "rule")]
    with pytest.raises(StoreError) as caught:
        insert(db, "edge", rows)
    assert "table 'edge', row 1 (source='a', target='c'" in str(caught.value)
    assert "must be finite" in str(caught.value)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("a", "a", "near", 1.0, "rule"), "CHECK constraint failed"),
        (("a", "b", "near", 1.0, "guess"), "CHECK constraint failed"),
        (("a", "b", "near", "much", "rule"), "cannot store TEXT value in REAL column"),
        (("a", None, "near", 1.0, "rule"), "NOT NULL constraint failed"),
        (("a", "b", "near", 2**63, "rule"), "too large"),
        (("a", "\ud83d", "near", 1.0, "rule"), "surrogates not allowed"),
        (("a", ["b"], "near", 1.0, "rule"), "no column can hold a list"),
    ],
)
def test_what_a_table_cannot_hold_is_refused_with_its_row(db, row, reason):
    with pytest.raises(StoreError, match="table 'edge', row 0") as caught:
        insert(db, "edge", [row])
    assert reason in str(caught.value)
    assert caught.value.exit_code == 4


def test_a_key_that_is_there_is_refused_or_kept(db):
    row = ("a", "b", "near", 1.0, "rule")
    assert insert(db, "edge", [row]) == 1
    with pytest.raises(StoreError, match="UNIQUE constraint failed"):
        insert(db, "edge", [row])
    insert(db, "edge", [("a", "b", "near", 0.5, "rule")], known="keep")
    assert db.execute("select weight from edge").fetchall() == [(1.0,)]


def test_keeping_what_is_there_still_refuses_a_bad_row(db):
    with pytest.raises(StoreError, match="CHECK constraint failed"):
        insert(db, "edge", [("a", "a", "near", 1.0, "rule")], known="keep")


def test_a_failure_of_what_makes_the_rows_blames_no_row(db):
    def rows():
        yield ("a", "1")
        raise ValueError("the maker of rows broke")

    with pytest.raises(ValueError, match="the maker of rows broke"):
        insert(db, "provenance", rows())


def test_no_rows_are_no_error(db):
    assert insert(db, "edge", iter(())) == 0


def test_plain_values_stay_as_they_are():
    for value in ("text", 5, 0.5, b"bytes", None):
        assert plain(value) is value


def test_json_is_sorted_unescaped_and_free_of_numpy():
    value = {"b": np.float32(0.5), "a": [np.int64(1), "é索"], "c": ("x",)}
    assert json_text(value) == '{"a": [1, "é索"], "b": 0.5, "c": ["x"]}'


@pytest.mark.parametrize("bad", [float("nan"), np.float32("inf"), {1, 2}])
def test_what_json_cannot_hold_is_refused(bad):
    with pytest.raises((TypeError, ValueError)):
        json_text({"value": bad})


def test_an_array_of_texts_comes_back():
    assert json_texts(json_text(("b", "a"))) == ("b", "a")
    assert json_texts(json_text(())) == ()
