"""Token vectors of texts, kept for good: a matrix a text, for late interaction."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skillmill.errors import StoreError
from skillmill.store.records import Records

Halves = npt.NDArray[np.float16]

DTYPE = "float16le"
_STORED = np.dtype("<f2")


class TokenRecords(Records):
    """Token vectors by text key, for one encoder; in `<folder>/tokens`.

    `model` is the encoder's `token_identity`. Use it as a context manager, in one
    thread; it does not survive a fork.
    """

    kind = "token-records"
    table = "token_record"
    select = (
        "select key, pieces, dim, dtype, data from token_record"
        " where model = ?1 and key in (select value from json_each(?2))"
    )

    def __init__(self, folder: Path, model: Mapping[str, str | int]) -> None:
        super().__init__(Path(folder) / "tokens", model)

    def known(self, keys: Iterable[str]) -> dict[str, Halves]:
        """Find the (t, d) token vectors of keys, in their order; unknown ones absent.

        Raises
        ------
        StoreError
            If a record cannot be read, or is not what it says.
        """
        keys = list(dict.fromkeys(keys))
        found = self._find(keys)
        return {
            key: _matrix(f"{key} in {found[key][0]}", *found[key][1])
            for key in keys
            if key in found
        }

    def add(self, matrices: Mapping[str, npt.NDArray[np.floating]]) -> None:
        """Keep the (t, d) token vectors of each key; they are safe when this returns.

        Raises
        ------
        StoreError
            If a number is not finite as float16 (then none is kept), or they cannot
            be written.
        ValueError
            If a matrix is not of two dimensions.
        """
        rows = []
        for key, matrix in matrices.items():
            if matrix.ndim != 2:
                raise ValueError(f"expected a (t, d) matrix, got shape {matrix.shape}")
            with np.errstate(over="ignore"):
                stored = matrix.astype(_STORED)
            if not np.isfinite(stored).all():
                raise StoreError(
                    f"token vectors of '{key}': expected finite float16 numbers, got"
                    " nan or infinity; nothing was stored, mend the encoder or leave"
                    " this text out",
                    record=key,
                )
            rows.append((key, *stored.shape, DTYPE, stored.tobytes()))
        self._append(rows)


def _matrix(name: str, pieces: int, dim: int, dtype: str, data: bytes) -> Halves:
    """Turn a row into a (t, d) matrix.

    Raises
    ------
    StoreError
        If the row is not what it says.
    """
    if dtype != DTYPE or len(data) != pieces * dim * _STORED.itemsize:
        raise StoreError(
            f"token vectors of {name}: expected {pieces} x {dim} numbers as {DTYPE},"
            f" found {len(data)} bytes as {dtype}; move that file out of the folder and"
            " run again",
            record=name,
        )
    joined = np.frombuffer(data, dtype=_STORED).astype(np.float16)
    return joined.reshape(pieces, dim)
