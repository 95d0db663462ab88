"""Which skills hold a word, and its BM25 weight in each: search by words from a file.

An index made anew costs a third of a second for 22,000 skills; a query reads the few
rows of its own words instead.
"""

import sqlite3
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from skillmill.errors import StoreError
from skillmill.store.rows import insert

Rows = npt.NDArray[np.intp]
Weights = npt.NDArray[np.float64]

POSTING = """
create table posting (
    word    text not null,                     -- stemmed, as queries are cut
    count   integer not null check (count > 0),          -- skills that hold it
    skills  blob not null check (length(skills) = 4 * count),   -- places, int32le
    weights blob not null check (length(weights) = 8 * count),  -- BM25, float64le
    primary key (word)
) strict, without rowid
"""

_PLACE = np.dtype("<i4")
_WEIGHT = np.dtype("<f8")


def save_postings(
    db: sqlite3.Connection, postings: Iterable[tuple[str, Rows, Weights]]
) -> None:
    """Write (word, places, weights), in any order; places count skills by id from 0.

    Raises
    ------
    StoreError
        If a word comes twice or without skills.
    """
    rows = (
        (
            word,
            len(places),
            places.astype(_PLACE).tobytes(),
            weights.astype(_WEIGHT).tobytes(),
        )
        for word, places, weights in sorted(postings, key=lambda row: row[0])
    )
    insert(db, "posting", rows)


def load_posting(db: sqlite3.Connection, word: str) -> tuple[Rows, Weights]:
    """Places of the skills that hold a word, ascending, and its weight in each.

    Raises
    ------
    StoreError
        If a place is not after the one before, or a weight is not finite.
    """
    row = db.execute(
        "select word, skills, weights from posting where word = ?", (word,)
    ).fetchone()
    if row is None:
        return np.empty(0, dtype=np.intp), np.empty(0)
    return _posting(row)


def load_postings(db: sqlite3.Connection) -> dict[str, tuple[Rows, Weights]]:
    """The same of every word, by word.

    Raises
    ------
    StoreError
        As `load_posting`.
    """
    rows = db.execute("select word, skills, weights from posting order by word")
    return {row[0]: _posting(row) for row in rows}


def _posting(row: tuple[str, bytes, bytes]) -> tuple[Rows, Weights]:
    places = np.frombuffer(row[1], dtype=_PLACE).astype(np.intp)
    weights = np.frombuffer(row[2], dtype=_WEIGHT).astype(np.float64)
    if (places[1:] <= places[:-1]).any() or not np.isfinite(weights).all():
        raise StoreError(
            f"posting of {row[0]!r}: expected ascending places and finite weights,"
            " found others; delete the store and run again",
            record=row[0],
        )
    return places, weights
