"""Vectors of a library made ready for scanning: cosines of skills with queries."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from skillmill.compute.vectors import unit_rows

Array = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating]
Rows = npt.NDArray[np.intp]


class MeaningIndex:
    """Directions of n skills, each distinct one once.

    Equal vectors then score equal to the last bit, wherever they stand.

    Parameters
    ----------
    vectors : (n, d) floats
        Of name and description; any length.
    body_rows : m ints
        The skill that each body part belongs to.
    body_vectors : (m, d) floats or None
    body_weight : float
        A body part's cosine counts times this; a skill scores as its best passage.

    Attributes
    ----------
    lost : (l,) ints
        Rows whose vector has no direction: their cosine is 0.

    Raises
    ------
    ValueError
        If a body part has no vector, or belongs to no skill.
    """

    def __init__(
        self,
        vectors: npt.ArrayLike,
        body_rows: Sequence[int] = (),
        body_vectors: npt.ArrayLike | None = None,
        body_weight: float = 1.0,
    ) -> None:
        unit, self.lost = unit_rows(vectors)
        self.size = len(unit)
        self._group = _groups(unit)
        first = np.unique(self._group, return_index=True)[1]
        self._grouped = len(first) < len(unit)
        self._unit = unit[first] if self._grouped else unit
        self._body_weight = body_weight
        owners = np.asarray(body_rows, dtype=np.intp)
        parts = np.empty((0, unit.shape[1])) if body_vectors is None else body_vectors
        body, _ = unit_rows(np.asarray(parts, dtype=unit.dtype))
        if len(body) != len(owners) or (owners >= self.size).any():
            raise ValueError(
                f"{len(body)} body vectors for {len(owners)} parts, {self.size} skills"
            )
        order = np.argsort(owners, kind="stable")
        self._owners, self._body = owners[order], body[order]

    def direction(self, queries: npt.ArrayLike) -> Floats:
        """Give (m, d) queries, or one of (d,), as (m, d) unit rows."""
        rows = np.atleast_2d(np.asarray(queries, dtype=self._unit.dtype))
        return unit_rows(rows)[0]

    def cosines(self, query: Floats) -> Array:
        """Cosine of each skill with a unit (d,) query, (n,) in [-1, 1]."""
        found = np.clip(self._unit @ query, -1, 1).astype(np.float64)
        if self._grouped:
            found = found[self._group]
        if len(self._body):
            parts = np.clip(self._body @ query, -1, 1).astype(np.float64)
            np.maximum.at(found, self._owners, self._body_weight * parts)
        return found

    def best(self, queries: Floats, rows: Rows) -> Array:
        """Highest cosine of some skills with any of (m, d) unit queries, m > 0."""
        groups, inverse = np.unique(self._group[rows], return_inverse=True)
        found = np.clip((self._unit[groups] @ queries.T).max(axis=1), -1, 1)
        best: Array = found.astype(np.float64)[inverse]
        if len(self._body):
            place = np.full(self.size, -1, dtype=np.intp)
            place[rows] = np.arange(len(rows))
            held = np.flatnonzero(place[self._owners] >= 0)
            parts = np.clip((self._body[held] @ queries.T).max(axis=1), -1, 1)
            weighted = self._body_weight * parts.astype(np.float64)
            np.maximum.at(best, place[self._owners[held]], weighted)
        return best


def _groups(rows: Floats) -> Rows:
    """Number of each row among the distinct ones, in order of first appearance."""
    place: dict[bytes, int] = {}
    # A digest in place of the row: of a million rows the keys would fill gigabytes.
    keys = (hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows)
    group = (place.setdefault(key, len(place)) for key in keys)
    return np.fromiter(group, dtype=np.intp, count=len(rows))
