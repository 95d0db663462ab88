"""Scores of one query from several rankers, brought together and cut."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

#: Scores are rounded here before they are ordered, so that the last bits, which
#: depend on how a product is cut into blocks, never decide between two items.
DECIMALS = 6
_STEPS = 10.0**DECIMALS

#: Whole numbers below it are exact in float64.
_EXACT = 2.0**53
_BARRED = -(2.0**60)

Item = TypeVar("Item", bound=Hashable)


def minmax(scores: npt.ArrayLike, depth: int | None = None) -> npt.NDArray[np.float64]:
    """Stretch scores to [0, 1], the best to 1.

    Parameters
    ----------
    scores : (n,) floats
    depth : int, optional
        Only the `depth` best are stretched, between the last and the first of them,
        and all others are 0; of equals, the earlier row is in.

    Returns
    -------
    (n,) floats in [0, 1]
        If all that are stretched are equal there is nothing to tell them apart by:
        1 where they are positive (each is as good a match as the best), else 0.

    Raises
    ------
    ValueError
        If a score is not finite or `depth` is below 1.
    """
    values = _finite(scores)
    if depth is not None and depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
    result = np.zeros(len(values))
    if not len(values):
        return result
    kept: slice | npt.NDArray[np.intp] = slice(None)
    if depth is not None and depth < len(values):
        kept = np.argsort(-np.round(values, DECIMALS), kind="stable")[:depth]
    low, high = values[kept].min(), values[kept].max()
    if high > low:
        result[kept] = (values[kept] - low) / (high - low)
    elif high > 0:
        result[kept] = 1.0
    return result


def weighted_sum(
    parts: Sequence[npt.ArrayLike], weights: Sequence[float]
) -> npt.NDArray[np.float64]:
    """Sum of (n,) parts, each times its weight; at least one part.

    Raises
    ------
    ValueError
        If there is no part, or another number of weights than of parts.
    """
    if not parts or len(parts) != len(weights):
        raise ValueError(f"expected a weight a part, got {len(weights)}/{len(parts)}")
    return np.asarray(weights, dtype=np.float64) @ np.asarray(parts, dtype=np.float64)


def reciprocal_rank(rankings: Iterable[Sequence[Item]], k: float) -> dict[Item, float]:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the rankings.

    Parameters
    ----------
    rankings : iterable of sequences
        Each best first, without repeats; ranks count from 1, and an item that a
        ranking lacks gets nothing from it.
    k : float
        At least 0. Small values trust the first places more: 60 is the paper's, 1
        to 5 are better for a few hundred items.

    Returns
    -------
    dict
        Score per item, in the order in which the items are first met.

    Raises
    ------
    ValueError
        If `k` is negative.

    Notes
    -----
    Cormack, Clarke and Büttcher, SIGIR 2009.
    """
    if k < 0:
        raise ValueError(f"k must be at least 0, got {k}")
    fused: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            fused[item] = fused.get(item, 0.0) + 1.0 / (k + rank)
    return fused


def top(
    scores: npt.ArrayLike, ids: Sequence[str], k: int, floor: float | None = None
) -> npt.NDArray[np.intp]:
    """Row numbers of the `k` best scores, best first.

    Parameters
    ----------
    scores : (n,) floats
    ids : n strings
        Break ties, in code point order.
    k : int
        At least 0; more than n gives all.
    floor : float, optional
        Only scores above it count; the floor itself is out, so 0 keeps what matched.

    Returns
    -------
    (m,) ints, m <= k
        Ordered by the score rounded to 6 decimals, descending, then by id.

    Raises
    ------
    ValueError
        If a score is not finite, `k` is negative or the lengths differ.
    """
    values = _finite(scores)
    if len(values) != len(ids) or k < 0:
        raise ValueError(f"{len(values)} scores for {len(ids)} ids, k = {k}")
    rows = np.arange(len(values)) if floor is None else np.flatnonzero(values > floor)
    rounded = np.round(values, DECIMALS)
    if k < len(rows):
        last = (
            np.partition(rounded[rows], len(rows) - k)[len(rows) - k] if k else np.inf
        )
        rows = rows[rounded[rows] >= last]
    order = sorted(rows.tolist(), key=lambda row: (-rounded[row], ids[row]))
    return np.array(order[:k], dtype=np.intp)


def top_rows(
    scores: npt.NDArray[np.float64],
    place: npt.NDArray[np.intp],
    k: int,
    among: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.intp]:
    """Row numbers of the `k` best scores of each of q queries: `top` for many at once.

    Parameters
    ----------
    scores : (q, n) floats
        Finite.
    place : (n,) ints
        Place of each row among all when they are sorted by id: it breaks ties.
    k : int
        At least 0.
    among : (q, n) bools, optional
        The rows that may be taken.

    Returns
    -------
    (q, min(k, n)) ints
        As `top` orders them; -1 after the last where there are fewer.
    """
    n = len(place)
    k = min(k, n)
    steps = np.rint(scores * _STEPS)
    if not k or max(steps.max(initial=0), -steps.min(initial=0)) >= _EXACT / n:
        return _top_by_sorting(steps, place, k, among)
    # A whole number that is exact in float64 and orders by score, then by place: no
    # two rows share one, so a partial sort has one answer.
    keys = np.subtract(np.multiply(steps, n, out=steps), place, out=steps)
    if among is not None:
        # Distinct as well: a partial sort of equal numbers is many times slower.
        keys = np.where(among, keys, _BARRED * (1 + place / n))
    if k < n:
        keys = np.partition(keys, n - k, axis=1)[:, n - k :]
    keys = np.sort(keys, axis=1)[:, ::-1]
    taken = keys > _BARRED
    rows = np.full(keys.shape, -1, dtype=np.intp)
    at_place = np.empty(n, dtype=np.intp)
    at_place[place] = np.arange(n)
    rows[taken] = at_place[-keys[taken].astype(np.int64) % n]
    return rows


def _top_by_sorting(
    steps: npt.NDArray[np.float64],
    place: npt.NDArray[np.intp],
    k: int,
    among: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.intp]:
    """Do the same for scores too large for whole-number keys."""
    barred = np.zeros(steps.shape, bool) if among is None else ~among
    places = np.broadcast_to(place, steps.shape)
    order = np.lexsort((places, -steps, barred), axis=-1)[:, :k]
    return np.where(np.take_along_axis(barred, order, axis=1), -1, order)


def _finite(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Give the scores as a float64 array, refusing NaN and infinity."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"expected finite (n,) scores, got shape {values.shape}")
    return values
