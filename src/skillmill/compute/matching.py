"""Exact one-to-one assignment of a few rows to the best of many columns."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from skillmill.compute.fusion import DECIMALS

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

#: Columns whose largest weight is looked at first when the best few are sought.
_BLOCK = 128


@dataclass(frozen=True, eq=False)
class Assignment:
    """Rows and the columns that they were given.

    Attributes
    ----------
    rows, columns : (m,) ints
        Pairs, by row. No row and no column comes twice.
    weights : (m,) floats
        Of the pairs, six decimals.
    unmatched : tuple of int
        Rows without a column, ascending.
    """

    rows: Rows
    columns: Rows
    weights: Array
    unmatched: tuple[int, ...]

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())


def assign(weights: npt.ArrayLike, floor: float = 0.0) -> Assignment:
    """Give each row a column of its own so that the weights sum up to the most.

    Parameters
    ----------
    weights : (q, n) floats
        Rounded to six decimals.
    floor : float
        At least 0. A pair that weighs no more is none.

    Returns
    -------
    Assignment
        With more rows than columns the rows that are worth least stay unmatched. Of
        assignments with equal sums one whose columns stand further left.

    Raises
    ------
    ValueError
        If the weights are no matrix or not finite, or `floor` is negative.

    Notes
    -----
    SkillTrace, eq. 4 and algorithm 1, line 12. Only the q best columns of each row
    are looked at: an assignment that gives a row another one is not better than the
    same with one of its q best, of which the others hold at most q - 1. So the
    optimum is exact, and the cost is that of one pass over the weights.
    """
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or floor < 0:
        raise ValueError(
            f"expected a matrix of weights and a floor of at least 0, got the shape "
            f"{matrix.shape} and {floor}"
        )
    if not np.isfinite(matrix).all():
        raise ValueError("every weight must be finite")
    kept = _worth_a_look(matrix)
    gains = np.round(matrix[:, kept], DECIMALS)
    gains = np.where(gains > floor, gains, 0.0)
    rows, places = linear_sum_assignment(_ordered(gains), maximize=True)
    taken = gains[rows, places] > 0
    rows, places = rows[taken], places[taken]
    matched = set(rows.tolist())
    return Assignment(
        rows=rows.astype(np.intp),
        columns=kept[places],
        weights=gains[rows, places],
        unmatched=tuple(row for row in range(len(matrix)) if row not in matched),
    )


def best_columns(weights: npt.ArrayLike, floor: float = 0.0) -> Assignment:
    """Give each row its best column, which several may share; of equals the left one.

    SkillTrace, eq. 5, and the arm without matching. A best weight that is not above
    `floor` leaves its row unmatched.

    Raises
    ------
    ValueError
        If the weights are no matrix or not finite.
    """
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError(f"expected a finite matrix of weights, got {matrix.shape}")
    rounded = np.round(matrix, DECIMALS)
    columns = np.zeros(len(rounded), dtype=np.intp)
    best = np.full(len(rounded), -np.inf)
    if rounded.shape[1]:
        columns = rounded.argmax(axis=1)
        best = rounded[np.arange(len(rounded)), columns]
    rows = np.flatnonzero(best > floor)
    lost = tuple(np.flatnonzero(best <= floor).tolist())
    return Assignment(rows, columns[rows], best[rows], lost)


def _worth_a_look(matrix: Array) -> Rows:
    """Columns, ascending, that are among the best q of a row, ties with them too."""
    q, n = matrix.shape
    if n <= q or not q:
        return np.arange(n)
    seen = np.zeros(n, dtype=bool)
    for row in matrix:
        near = _candidates(row, q)
        order = np.lexsort((near, -np.round(row[near], DECIMALS)))
        seen[near[order[:q]]] = True
    return np.flatnonzero(seen)


def _candidates(row: Array, most: int) -> Rows:
    """Columns whose rounded weight may be among the `most` best of a row."""
    n = len(row)
    whole = n // _BLOCK
    slack = 2 * 10.0**-DECIMALS
    if whole <= most:
        return np.flatnonzero(row >= np.partition(row, n - most)[n - most] - slack)
    # Each of the `most` best blocks holds a weight at least as large as this bound.
    tops = row[: whole * _BLOCK].reshape(whole, _BLOCK).max(axis=1)
    bound = np.partition(tops, whole - most)[whole - most]
    near = np.flatnonzero(row >= bound - slack)
    values = row[near]
    kth = np.partition(values, len(values) - most)[len(values) - most]
    found: Rows = near[values >= kth - slack]
    return found


def _ordered(gains: Array) -> Array:
    """Whole numbers that order sums of gains, and equal ones by their columns.

    A gain counts in millionths; what is left of 53 bits prefers columns on the left.
    """
    q, n = gains.shape
    if not gains.size:
        return gains
    millionths: Array = np.round(gains * 10.0**DECIMALS)
    step = float(min(q, n) * n + 1)
    wanted: Array = millionths * step + (n - np.arange(n, dtype=np.float64))
    if (np.abs(wanted).max() + step) * min(q, n) < 2.0**53:
        return wanted
    return millionths
