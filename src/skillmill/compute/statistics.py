"""Means with their uncertainty, by resampling or in closed form."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, ndtri

#: Most values that are drawn at once, so that memory does not grow with the number
#: of samples (8 bytes each, a few copies).
_DRAWN_AT_ONCE = 1_000_000


class Interval(NamedTuple):
    """An estimate with the ends of its interval, in the unit of the values."""

    value: float
    low: float
    high: float


def known_mean(values: Iterable[float | None]) -> tuple[float | None, int]:
    """Mean of the values that are not None, and how many they are.

    None if there is none: what could not be computed is left out, not counted as 0.
    """
    known = [value for value in values if value is not None]
    return (math.fsum(known) / len(known) if known else None), len(known)


def bootstrap_mean(
    values: npt.ArrayLike,
    rng: np.random.Generator,
    samples: int = 10_000,
    level: float = 0.95,
) -> Interval | None:
    """Mean with its percentile bootstrap interval (Efron 1979).

    Parameters
    ----------
    values : (n,) floats
    rng : numpy Generator
        The same state gives the same interval.
    samples : int
        Resamples of n values with replacement, at least 1.
    level : float
        Share of the resampled means between the ends, in (0, 1).

    Returns
    -------
    Interval or None
        None without values; with one value both ends are that value, for nothing is
        known of its spread.

    Raises
    ------
    ValueError
        If a value is not finite, or `samples` or `level` is out of range.
    """
    known = _finite(values)
    return _resampled(known, np.ones(len(known)), rng, samples, level)


def cluster_bootstrap_mean(
    values: npt.ArrayLike,
    clusters: Sequence[Hashable],
    rng: np.random.Generator,
    samples: int = 10_000,
    level: float = 0.95,
) -> Interval | None:
    """Mean with an interval from drawing whole clusters with replacement.

    For values that are not independent, such as questions about one conversation.
    `clusters` holds the cluster of each value; clusters count in order of first
    appearance, so their names do not matter. All else as in `bootstrap_mean`: the
    mean is over values, not over the means of clusters.

    Raises
    ------
    ValueError
        Also if there is another number of clusters than of values.
    """
    known = _finite(values)
    if len(clusters) != len(known):
        raise ValueError(f"{len(clusters)} clusters for {len(known)} values")
    number: dict[Hashable, int] = {}
    member = np.array(
        [number.setdefault(cluster, len(number)) for cluster in clusters], dtype=np.intp
    )
    sums = np.bincount(member, weights=known).astype(np.float64)
    sizes = np.bincount(member).astype(np.float64)
    return _resampled(sums, sizes, rng, samples, level)


def paired_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    rng: np.random.Generator,
    samples: int = 10_000,
    level: float = 0.95,
) -> Interval | None:
    """Mean of `a` minus `b` over the same queries, with its bootstrap interval.

    Both (n,), in the same order; all else as in `bootstrap_mean`.

    Raises
    ------
    ValueError
        Also if the lengths differ.
    """
    first, second = _finite(a), _finite(b)
    if len(first) != len(second):
        raise ValueError(f"expected pairs, got {len(first)} and {len(second)} values")
    return bootstrap_mean(first - second, rng, samples, level)


def wilson(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """Share of successes with Wilson's score interval; None if `n` is 0.

    The ends stay in [0, 1] and are apart even at 0 or `n` successes.

    Raises
    ------
    ValueError
        If not 0 <= successes <= n, or `level` is out of range.

    Notes
    -----
    Wilson 1927; Brown, Cai and DasGupta 2001, eq. 4.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"expected 0 to {n} successes, got {successes}")
    z = float(ndtri(0.5 + _checked_level(level) / 2))
    if n == 0:
        return None
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    spread = math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    half = z * spread / (1 + z * z / n)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def newcombe_paired(
    both: int,
    first: int,
    second: int,
    neither: int,
    level: float = 0.95,
    *,
    corrected: bool = True,
) -> Interval | None:
    """Difference of two shares of the same queries, with Newcombe's paired interval.

    Parameters
    ----------
    both, first, second, neither : int
        Queries on which both arms, only the first, only the second, or none succeed.
    level : float
        In (0, 1).
    corrected : bool
        Whether a positive correlation is corrected for continuity, as Newcombe does;
        the Comparative paper's interval (section 6.2) is the one without.

    Returns
    -------
    Interval or None
        Share of the first minus that of the second; None without queries.

    Raises
    ------
    ValueError
        If a count is negative, or `level` is out of range.

    Notes
    -----
    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: Wilson's intervals
    of both shares, joined by their correlation.
    """
    n = _counted(both, first, second, neither)
    one = wilson(both + first, n, level)
    other = wilson(both + second, n, level)
    if one is None or other is None:
        return None
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    cross = float(both * neither - first * second)
    if corrected and cross > 0:
        cross = max(cross - n / 2, 0.0)
    phi = cross / math.sqrt(margins) if margins else 0.0
    difference = (first - second) / n

    def side(down: float, up: float) -> float:
        return math.sqrt(down * down - 2 * phi * down * up + up * up)

    return Interval(
        difference,
        difference - side(one.value - one.low, other.high - other.value),
        difference + side(other.value - other.low, one.high - one.value),
    )


def newcombe_difference(
    first: int, n_first: int, second: int, n_second: int, level: float = 0.95
) -> Interval | None:
    """Difference of the shares of two sets of queries, with Newcombe's interval.

    `first` of `n_first` minus `second` of `n_second`; None if a set is empty.

    Raises
    ------
    ValueError
        As `wilson`.

    Notes
    -----
    Newcombe 1998, Statistics in Medicine 17, 873-890, method 10.
    """
    one, other = wilson(first, n_first, level), wilson(second, n_second, level)
    if one is None or other is None:
        return None
    difference = one.value - other.value
    return Interval(
        difference,
        difference - math.hypot(one.value - one.low, other.high - other.value),
        difference + math.hypot(one.high - one.value, other.value - other.low),
    )


def mcnemar_exact(first: int, second: int) -> float:
    """Two-sided p of McNemar's exact test.

    `first` and `second` count the queries on which only the one or only the other
    arm succeeds; 1 where there are none.

    Raises
    ------
    ValueError
        If a count is negative.
    """
    n = _counted(first, second)
    if first == second:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(first, second), n, 0.5)))


def _counted(*counts: int) -> int:
    """Sum of counts, none of which may be negative."""
    if min(counts) < 0:
        raise ValueError(f"counts must be at least 0, got {counts}")
    return sum(counts)


def _resampled(
    sums: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.float64],
    rng: np.random.Generator,
    samples: int,
    level: float,
) -> Interval | None:
    """Mean over units of `sizes` values that add up to `sums`, units redrawn."""
    tail = (1 - _checked_level(level)) / 2
    if samples < 1:
        raise ValueError(f"expected at least one sample, got {samples}")
    n = len(sums)
    if n == 0:
        return None
    mean = float(sums.sum() / sizes.sum())
    if n == 1:
        return Interval(mean, mean, mean)
    # Units of one size: every resample has as many values, and they need no adding up.
    alike = n * sizes[0] if (sizes == sizes[0]).all() else None
    means = np.empty(samples)
    block = max(1, _DRAWN_AT_ONCE // n)
    for start in range(0, samples, block):
        drawn = rng.integers(n, size=(min(block, samples - start), n))
        values = sizes[drawn].sum(axis=1) if alike is None else alike
        means[start : start + len(drawn)] = sums[drawn].sum(axis=1) / values
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(mean, float(low), float(high))


def _finite(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Give the values as a float64 array, refusing NaN and infinity."""
    known = np.asarray(values, dtype=np.float64)
    if known.ndim != 1 or not np.isfinite(known).all():
        raise ValueError(f"expected finite (n,) values, got shape {known.shape}")
    return known


def _checked_level(level: float) -> float:
    """Give the level if it is in (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    return level
