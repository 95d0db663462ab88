"""Linear correlation with its interval."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri


class Correlation(NamedTuple):
    """Pearson's r of n pairs; the ends are None below four pairs."""

    r: float
    n: int
    low: float | None
    high: float | None


def pearson(
    x: npt.ArrayLike, y: npt.ArrayLike, level: float = 0.95
) -> Correlation | None:
    """Pearson's r with Fisher's interval.

    Parameters
    ----------
    x, y : (n,) floats
        In the same order.
    level : float
        In (0, 1).

    Returns
    -------
    Correlation or None
        None with fewer than three pairs (two always lie on a line), or where either
        side does not vary.

    Raises
    ------
    ValueError
        If the shapes differ, a value is not finite, or `level` is out of range.

    Notes
    -----
    Fisher 1921: atanh(r) is about normal with variance 1 / (n - 3).
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    first = np.asarray(x, dtype=np.float64)
    second = np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"expected pairs, got shapes {first.shape}, {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("expected finite values")
    n = len(first)
    if n < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    a, b = first - first.mean(), second - second.mean()
    spread = math.sqrt(float(a @ a)) * math.sqrt(float(b @ b))
    r = min(1.0, max(-1.0, float(a @ b) / spread))
    if n == 3 or abs(r) == 1:
        return Correlation(r, n, None, None)
    half = float(ndtri(0.5 + level / 2)) / math.sqrt(n - 3)
    centre = math.atanh(r)
    return Correlation(r, n, math.tanh(centre - half), math.tanh(centre + half))
