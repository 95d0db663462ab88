"""Token vectors of passages: a matrix each, for late interaction.

Kept in an artifact of their own: they are some forty times as large as one vector a
passage, and only searches by late interaction read them.
"""

import sqlite3
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from skillmill.errors import StoreError
from skillmill.store.rows import insert

Halves = npt.NDArray[np.float16]

TOKEN = """
create table token (
    kind   text not null,     -- of passage: atom (a part a turn) or question-tuned
    id     text not null,     -- record that the passage belongs to
    part   integer not null,  -- turn's place in the atom, from 0; 0 for a question
    pieces integer not null check (pieces >= 0),       -- rows of the matrix in data
    dim    integer not null check (dim > 0),           -- numbers of each row
    dtype  text not null check (dtype = 'float16le'),  -- 2-byte little-endian floats
    data   blob not null check (length(data) = 2 * pieces * dim),  -- row after row
    primary key (kind, id, part)
) strict, without rowid
"""

DTYPE = "float16le"
_STORED = np.dtype("<f2")


def save_tokens(
    db: sqlite3.Connection,
    kind: str,
    matrices: Mapping[tuple[str, int], npt.NDArray[np.floating]],
) -> None:
    """Write the (t, d) token vectors of one kind of passage, by (id, part).

    Raises
    ------
    StoreError
        If a number is not finite as float16.
    ValueError
        If a matrix is not of two dimensions.
    """
    insert(db, "token", _rows(kind, matrices))


def _rows(
    kind: str, matrices: Mapping[tuple[str, int], npt.NDArray[np.floating]]
) -> Iterable[tuple[object, ...]]:
    """Give the rows in the order of ids and parts."""
    for (id, part), matrix in sorted(matrices.items(), key=lambda item: item[0]):
        if matrix.ndim != 2:
            raise ValueError(f"expected a (t, d) matrix, got shape {matrix.shape}")
        with np.errstate(over="ignore"):
            stored = matrix.astype(_STORED)
        if not np.isfinite(stored).all():
            raise StoreError(
                f"token vectors of {kind} '{id}': expected finite float16 numbers, got"
                " nan or infinity; nothing was stored, mend the encoder",
                record=id,
            )
        pieces, dim = stored.shape
        yield kind, id, part, pieces, dim, DTYPE, stored.tobytes()


def load_tokens(db: sqlite3.Connection, kind: str) -> dict[tuple[str, int], Halves]:
    """Read the (t, d) token vectors of one kind, by (id, part) in order.

    Raises
    ------
    StoreError
        If vectors of two lengths are mixed.
    """
    found: dict[tuple[str, int], Halves] = {}
    dims = set()
    for id, part, pieces, dim, data in db.execute(
        "select id, part, pieces, dim, data from token where kind = ?"
        " order by id, part",
        (kind,),
    ):
        dims.add(dim)
        if len(dims) > 1:
            raise StoreError(
                f"token vectors of {kind} '{id}': expected {min(dims)} numbers a row,"
                f" found {max(dims)}; delete the store and run again",
                record=id,
            )
        joined = np.frombuffer(data, dtype=_STORED).astype(np.float16)
        found[id, part] = joined.reshape(pieces, dim)
    return found
