"""Postings: what a word's skills and weights look like in a file."""

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.artifact import Provenance, digest, reading, writing
from skillmill.store.postings import load_posting, save_postings

POSTINGS = [
    ("naïve", np.array([0, 7]), np.array([0.1 + 0.2, 1e-300])),
    ("chart", np.array([3]), np.array([2.5])),
]


def written(path, rows):
    with writing(path, Provenance("library", "one", "0", "c0de")) as db:
        save_postings(db, rows)
    return path


def test_postings_come_back_to_the_last_bit(tmp_path):
    with reading(written(tmp_path / "l.sqlite", POSTINGS), "library") as db:
        for word, places, weights in POSTINGS:
            found = load_posting(db, word)
            assert found[0].tolist() == places.tolist()
            assert found[1].tolist() == weights.tolist()
        assert [part.tolist() for part in load_posting(db, "x' or '1'='1")] == [[], []]


def test_equal_postings_are_an_equal_file_in_whatever_order(tmp_path):
    one = written(tmp_path / "one.sqlite", POSTINGS)
    other = written(tmp_path / "other.sqlite", POSTINGS[::-1])
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    ("places", "weights", "message"),
    [
        ([2, 1], [1.0, 1.0], "expected ascending places"),
        ([1, 2], [1.0, np.inf], "finite weights"),
    ],
)
def test_a_posting_that_cannot_be_is_refused(tmp_path, places, weights, message):
    rows = [("word", np.array(places), np.array(weights))]
    with (
        reading(written(tmp_path / "l.sqlite", rows), "library") as db,
        pytest.raises(StoreError, match=message),
    ):
        load_posting(db, "word")


def test_a_word_without_skills_or_twice_is_refused(tmp_path):
    empty = ("none", np.array([], int), np.array([]))
    for rows in ([empty], [POSTINGS[0], POSTINGS[0]]):
        with pytest.raises(StoreError, match="table 'posting'"):
            written(tmp_path / "l.sqlite", rows)
