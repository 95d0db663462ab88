"""Directions of embedding rows: unit length, cosines, exact neighbourhoods."""

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import DECIMALS

_STEPS = 10.0**DECIMALS

#: Sources and targets (rows), and their cosines, (m,) each.
Pairs = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float64]]


def unit_rows(
    matrix: npt.ArrayLike,
) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.intp]]:
    """Scale each row to length 1 and name the rows that have no direction.

    Parameters
    ----------
    matrix : (n, d) floats
        Any scale, also values whose squares overflow.

    Returns
    -------
    unit : (n, d) floats
        A copy; float32 stays float32, anything else becomes float64. All zero in
        the rows without direction, so that their cosine with anything is 0.
    zero_rows : (m,) ints
        Ascending numbers of the rows that are zero or hold a value that is not
        finite.

    Raises
    ------
    ValueError
        If `matrix` is not two-dimensional.
    """
    unit = np.array(matrix, order="C")
    if unit.dtype != np.float32:
        unit = unit.astype(np.float64)
    if unit.ndim != 2:
        raise ValueError(f"expected an (n, d) matrix, got shape {unit.shape}")
    largest = np.abs(unit).max(axis=1, initial=0)
    lost = ~(np.isfinite(largest) & (largest > 0))
    unit[lost] = 0
    unit /= np.where(lost, 1, largest).astype(unit.dtype)[:, None]
    length = np.linalg.norm(unit, axis=1)
    unit /= np.where(lost, 1, length).astype(unit.dtype)[:, None]
    return unit, np.flatnonzero(lost)


def cosine_scores(
    matrix: npt.ArrayLike, query: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Cosine of each row with one query.

    Parameters
    ----------
    matrix : (n, d) floats
    query : (d,) floats

    Returns
    -------
    (n,) floats in [-1, 1]
        0 for a row without direction, and everywhere if the query has none; never
        NaN.
    """
    unit, _ = unit_rows(np.asarray(matrix, dtype=np.float64))
    direction, _ = unit_rows(np.asarray(query, dtype=np.float64)[None, :])
    cosine: npt.NDArray[np.float64] = unit @ direction[0]
    return np.clip(cosine, -1, 1)


def nearest(vectors: npt.ArrayLike, k: int, floor: float, block: int = 1024) -> Pairs:
    """Find each row's `k` nearest other rows by cosine.

    Parameters
    ----------
    vectors : (n, d) floats
        Any scale; the rows need not be unit length.
    k : int
        The most neighbours one row may have, at least 1.
    floor : float
        The least cosine that counts, inclusive, after rounding.
    block : int
        Rows compared at a time; changes the memory used, not the result.

    Returns
    -------
    source, target : (m,) ints, m <= n * k
        Row numbers, ordered by source, then nearest first; of equals, the lower
        row. A row without direction (see `unit_rows`) is in neither.
    cosine : (m,) floats
        Rounded to 6 decimals, in [floor, 1].

    Raises
    ------
    ValueError
        If `k` or `block` is below 1.

    Notes
    -----
    Exact: n^2 * d multiplications (seconds at 20,000 rows, minutes at 80,000).
    Holds the rows in float64 and two (block, block) arrays.
    Comparative paper, eq. 2 (K = 8, tau = 0.5); ERSkill, eq. 7 (k = 5), which
    drops cosines <= 0: pass the smallest float above zero.
    """
    if k < 1 or block < 1:
        raise ValueError(f"k and block must be at least 1, got {k} and {block}")
    unit, lost = unit_rows(np.asarray(vectors, dtype=np.float64))
    n = len(unit)
    source, target, cosine = nearest_of(unit, lost, np.arange(n), k, block)
    enough = cosine >= floor
    return source[enough], target[enough], cosine[enough]


def nearest_of(
    unit: npt.NDArray[np.floating],
    lost: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    k: int,
    block: int = 1024,
) -> Pairs:
    """The same for some rows, ascending, of unit vectors, whatever the cosine.

    `lost` are the rows without direction, as `unit_rows` names them.
    """
    n = len(unit)
    found = [
        _best_keys(unit, lost, rows[start : start + block], k, block)
        for start in range(0, len(rows), block)
    ]
    keys = np.concatenate(found) if found else np.empty((0, 0))
    kept = np.isfinite(keys)
    source = np.repeat(rows, kept.sum(axis=1)) if found else rows
    units = np.ceil(keys[kept] / max(n, 1))
    target = (units * n - keys[kept]).astype(np.intp)
    return source, target, units / _STEPS + 0.0  # -0.0 becomes 0.0


def _best_keys(
    unit: npt.NDArray[np.floating],
    lost: npt.NDArray[np.intp],
    rows: npt.NDArray[np.intp],
    k: int,
    block: int,
) -> npt.NDArray[np.float64]:
    """Keys of the `k` best columns of some rows, largest first, -inf for none.

    The key of column c is `n * rounded cosine in millionths - c`: a whole number
    that is exact in float64 and orders by cosine, then by the lower column. No two
    columns share a key, so a partial sort has one answer whatever the block.
    """
    n = len(unit)
    best = np.full((len(rows), 0), -np.inf)
    asked = unit[rows]
    barred = np.zeros(n, dtype=bool)
    barred[lost] = True
    for start in range(0, n, block):
        columns = slice(start, min(start + block, n))
        keys = asked @ unit[columns].T
        np.rint(np.multiply(keys, _STEPS, out=keys), out=keys)
        np.clip(keys, -_STEPS, _STEPS, out=keys)
        keys *= n
        keys -= np.arange(columns.start, columns.stop)
        keys[:, barred[columns]] = -np.inf
        keys[barred[rows]] = -np.inf
        own = np.flatnonzero((rows >= start) & (rows < columns.stop))
        keys[own, rows[own] - start] = -np.inf
        if keys.shape[1] > k:
            keys.partition(keys.shape[1] - k, axis=1)
            keys = keys[:, -k:]
        best = np.sort(np.concatenate([best, keys], axis=1), axis=1)[:, : -k - 1 : -1]
    return best
