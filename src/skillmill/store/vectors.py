"""Vectors of passages, and the encoder that made them.

A vector is stored as little-endian float32 whatever the machine, with its
dimension and type beside it. Unit length is neither required nor assumed.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from skillmill.errors import ModelError, StoreError
from skillmill.store.rows import insert

Matrix = npt.NDArray[np.float32]

DTYPE = "float32le"
_STORED = np.dtype("<f4")


def save_vectors(
    db: sqlite3.Connection,
    kind: str,
    ids: Sequence[str],
    parts: Sequence[int] | npt.NDArray[np.integer],
    matrix: npt.ArrayLike,
) -> None:
    """Write the (n, d) vectors of one kind of passage, in any order.

    Raises
    ------
    StoreError
        If a vector is not finite as float32, or a part of a record comes twice.
    ValueError
        If `ids`, `parts` and `matrix` differ in length.
    """
    blobs = to_blobs(ids, matrix)
    if not len(ids) == len(parts) == len(blobs):
        raise ValueError(f"{len(ids)} ids, {len(parts)} parts, {len(blobs)} vectors")
    rows = [
        (kind, id, int(part), len(blob) // _STORED.itemsize, DTYPE, blob)
        for id, part, blob in zip(ids, parts, blobs, strict=True)
    ]
    rows.sort(key=lambda row: row[:3])
    insert(db, "vector", rows)


def load_vectors(
    db: sqlite3.Connection, kind: str
) -> tuple[list[str], npt.NDArray[np.int64], Matrix]:
    """Read the vectors of one kind, sorted by id and part.

    Returns
    -------
    ids : list of str
    parts : (n,) ints
    matrix : (n, d) float32
        In the machine's byte order; (0, 0) where there is no vector.

    Raises
    ------
    StoreError
        If a stored vector is of another type or length than it says, of another
        dimension than the rest, or not finite.
    """
    rows = db.execute(
        "select id, part, dim, dtype, data from vector where kind = ?"
        " order by id, part",
        (kind,),
    ).fetchall()
    ids = [row[0] for row in rows]
    parts = np.array([row[1] for row in rows], dtype=np.int64)
    matrix = from_blobs([(f"{kind} '{id}'", *rest) for id, _, *rest in rows])
    return ids, parts, matrix


def by_id(db: sqlite3.Connection, kind: str) -> dict[str, npt.NDArray[np.float32]]:
    """Read the vectors of each record of one kind, (p, d) for p parts, sorted by id.

    Raises
    ------
    StoreError
        As `load_vectors`.
    """
    ids, _, matrix = load_vectors(db, kind)
    names, starts = np.unique(np.array(ids, dtype=object), return_index=True)
    own = np.split(matrix, starts[1:]) if ids else []
    return dict(zip(names.tolist(), own, strict=True))


def save_encoder(db: sqlite3.Connection, identity: Mapping[str, str | int]) -> None:
    """Write the identity of the encoder that made the vectors of this store."""
    insert(db, "encoder", sorted(identity.items()))


def load_encoder(db: sqlite3.Connection) -> dict[str, str | int]:
    """Read the identity of the encoder; {} if none is noted. Sorted by key."""
    return dict(db.execute("select key, value from encoder order by key"))


def require_encoder(db: sqlite3.Connection, identity: Mapping[str, str | int]) -> None:
    """Refuse to go on with vectors of another encoder, even of equal dimension.

    Raises
    ------
    ModelError
        If the identities differ; names both models and what differs.
    """
    stored = load_encoder(db)
    differing = sorted(
        key
        for key in stored.keys() | identity.keys()
        if stored.get(key) != identity.get(key)
    )
    if differing:
        details = ", ".join(
            f"{key} {stored.get(key)!r} against {identity.get(key)!r}"
            for key in differing
        )
        raise ModelError(
            f"the vectors were made by '{stored.get('name')}', not by"
            f" '{identity.get('name')}' ({details}); choose the first encoder, or run"
            " the workflow again to encode with the second (`skillmill run`: what it"
            " encoded before is not encoded again)",
            record=str(stored.get("name")),
        )


def to_blobs(names: Sequence[str], matrix: npt.ArrayLike) -> list[bytes]:
    """Turn (n, d) vectors into bytes, one each.

    Raises
    ------
    StoreError
        If a vector is not finite as float32; names it.
    ValueError
        If `matrix` is not of two dimensions.
    """
    with np.errstate(over="ignore"):
        stored = np.asarray(matrix).astype(_STORED)
    if stored.ndim != 2 and stored.size:
        raise ValueError(f"expected an (n, d) matrix, got shape {stored.shape}")
    lost = np.flatnonzero(~np.isfinite(stored).all(axis=-1))
    if lost.size:
        raise StoreError(
            f"vector of '{names[lost[0]]}': expected finite float32 numbers, got nan"
            f" or infinity in {len(lost)} of {len(stored)} vectors; nothing was"
            " stored, mend the encoder or leave these texts out",
            record=names[lost[0]],
        )
    return [row.tobytes() for row in stored]


def from_blobs(
    rows: Iterable[tuple[Any, ...]],
    way_out: str = "delete the store and run again",
) -> Matrix:
    """Turn (name, dim, dtype, bytes) rows into an (n, d) matrix.

    Raises
    ------
    StoreError
        If a row is not what it says, differs in dimension, or is not finite.
    """
    rows = list(rows)
    if not rows:
        return np.empty((0, 0), dtype=np.float32)
    dim = rows[0][1]
    for name, own, dtype, data in rows:
        if dtype != DTYPE or own != dim or len(data) != own * _STORED.itemsize:
            raise StoreError(
                f"vector of {name}: expected {dim} numbers as {DTYPE}"
                f" ({dim * _STORED.itemsize} bytes), found {own} as {dtype}"
                f" ({len(data)} bytes); {way_out}",
                record=name,
            )
    joined = np.frombuffer(b"".join(row[3] for row in rows), dtype=_STORED)
    matrix = joined.reshape(len(rows), dim).astype(np.float32)
    lost = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if lost.size:
        raise StoreError(
            f"vector of {rows[lost[0]][0]}: expected finite numbers, found nan or"
            f" infinity; {way_out}",
            record=rows[lost[0]][0],
        )
    return matrix
