"""Differences of pairs with their intervals, many measures at a time."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from skillmill.compute.statistics import Interval

#: Most counts that are drawn at once (8 bytes each).
_DRAWN_AT_ONCE = 4_000_000


def paired_intervals(
    columns: Sequence[npt.ArrayLike], seed: int, samples: int, level: float
) -> list[Interval | None]:
    """Mean of each column of differences with its percentile bootstrap interval.

    Parameters
    ----------
    columns : sequence of (n,) floats
        Differences of pairs, a column for each measure; lengths may differ.
    seed : int
        Columns of one length share their resamples, and an interval depends on the
        values, the seed and nothing else.
    samples : int
        Resamples of n pairs with replacement, at least 1.
    level : float
        Share of the resampled means between the ends, in (0, 1).

    Returns
    -------
    list of Interval or None
        In the order of the columns; None without pairs, both ends at the value with
        one, for nothing is known of its spread.

    Raises
    ------
    ValueError
        If a value is not finite, or `samples` or `level` is out of range.

    Notes
    -----
    Efron 1979, as `statistics.paired_difference`; drawn as counts per pair, so that all
    columns of one length cost one matrix product.
    """
    if samples < 1 or not 0 < level < 1:
        raise ValueError(f"expected samples >= 1 and 0 < level < 1: {samples}, {level}")
    known = [np.asarray(column, dtype=np.float64) for column in columns]
    if not all(column.ndim == 1 and np.isfinite(column).all() for column in known):
        raise ValueError("expected columns of finite (n,) values")
    found: list[Interval | None] = [None] * len(known)
    for n in sorted({len(column) for column in known} - {0}):
        places = [place for place, column in enumerate(known) if len(column) == n]
        values = np.column_stack([known[place] for place in places])
        means = _resampled(values, seed, samples)
        tail = (1 - level) / 2
        lows, highs = np.quantile(means, [tail, 1 - tail], axis=0)
        for place, *ends in zip(
            places, values.mean(axis=0), lows, highs, strict=True
        ):  # fmt: skip
            found[place] = Interval(*map(float, ends))
    return found


def _resampled(
    values: npt.NDArray[np.float64], seed: int, samples: int
) -> npt.NDArray[np.float64]:
    """Means (samples, m) of rows of `values` (n, m) drawn with replacement."""
    n = len(values)
    rng = np.random.default_rng([seed, n])
    block = max(1, _DRAWN_AT_ONCE // n)
    parts = []
    for start in range(0, samples, block):
        size = min(block, samples - start)
        counts = rng.multinomial(n, np.full(n, 1 / n), size=size)
        parts.append(counts @ values / n)
    return np.concatenate(parts)
