"""Nearest neighbours after an edit: what did not change is not compared again."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import DECIMALS
from skillmill.compute.vectors import Pairs, nearest, nearest_of, unit_rows

#: Share of rows to compare anew from which all are.
_MOST = 0.1
#: New rows that are compared with all others at once.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Known:
    """What `nearest` once found: a mark of each row, and its pairs.

    A mark says who a row is and what its vector was: equal marks, equal rows.
    """

    marks: npt.NDArray[np.str_]
    source: npt.NDArray[np.intp]
    target: npt.NDArray[np.intp]
    cosine: npt.NDArray[np.float64]


def nearest_again(
    vectors: npt.ArrayLike,
    marks: npt.NDArray[np.str_],
    k: int,
    floor: float,
    known: Known | None,
) -> tuple[Pairs, int]:
    """What `nearest` finds, and how many rows were compared with all others for it.

    Parameters
    ----------
    vectors : (n, d) floats
    marks : (n,) strings, distinct
    k, floor
        As in `nearest`; those of `known`, too.
    known : Known or None
        An earlier answer. A row is compared with all if it is new or changed, or if it
        had `k` neighbours and lost one of them; others may only gain new rows.

    Notes
    -----
    Where rows that stay have changed their order, or many rows are new, all are
    compared: ties go to the lower row.
    """
    unit, lost = unit_rows(np.asarray(vectors, dtype=np.float64))
    n = len(unit)
    place = {mark: row for row, mark in enumerate(marks.tolist())}
    if known is None or len(place) < n:
        return nearest(vectors, k, floor), n
    moved = np.array([place.get(mark, -1) for mark in known.marks.tolist()], np.intp)
    stays = moved[moved >= 0]
    if not len(stays) or (np.diff(stays) < 0).any():
        return nearest(vectors, k, floor), n
    is_new = np.ones(n, dtype=bool)
    is_new[stays] = False
    source, target = moved[known.source], moved[known.target]
    had = np.bincount(source[source >= 0], minlength=n)
    bereft = source[(source >= 0) & (target < 0)]
    again = is_new.copy()
    again[bereft[had[bereft] >= k]] = True
    rows = np.flatnonzero(again)
    if len(rows) > _MOST * n:
        return nearest(vectors, k, floor), n
    fresh = nearest_of(unit, lost, rows, k)
    kept = (source >= 0) & (target >= 0)
    kept[kept] = ~again[source[kept]]
    old = source[kept], target[kept], known.cosine[kept]
    bound = _bounds(old, n, k, floor)
    bound[again] = np.inf
    bound[lost] = np.inf
    new = np.setdiff1d(np.flatnonzero(is_new), lost)
    joined = _joined([fresh, old, *_gained(unit, new, bound)], n, k)
    enough = joined[2] >= floor
    return (joined[0][enough], joined[1][enough], joined[2][enough]), len(rows)


def _bounds(pairs: Pairs, n: int, k: int, floor: float) -> npt.NDArray[np.float64]:
    """The least cosine by which a row may gain a neighbour, (n,)."""
    source, _, cosine = pairs
    worst = np.full(n, np.inf)
    np.minimum.at(worst, source, cosine)
    return np.where(np.bincount(source, minlength=n) >= k, worst, floor)


def _gained(
    unit: npt.NDArray[np.floating],
    new: npt.NDArray[np.intp],
    bound: npt.NDArray[np.float64],
) -> Iterator[Pairs]:
    """New rows as neighbours of others, some at a time."""
    for start in range(0, len(new), _AT_ONCE):
        some = new[start : start + _AT_ONCE]
        cosine = np.round(np.clip(unit[some] @ unit.T, -1, 1), DECIMALS) + 0.0
        number, source = np.nonzero(cosine >= bound)
        yield source, some[number], cosine[number, source]


def _joined(parts: list[Pairs], n: int, k: int) -> Pairs:
    """The `k` best pairs of each source, nearest first; of equals, the lower target."""
    source, target, cosine = (
        np.concatenate([part[side] for part in parts]) for side in range(3)
    )
    order = np.lexsort((target, -cosine, source))
    source, target, cosine = source[order], target[order], cosine[order]
    first = np.searchsorted(source, np.arange(n))
    best = np.arange(len(source)) - first[source] < k
    return source[best], target[best], cosine[best]
