"""Intervals of many paired differences at a time."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from skillmill.compute.paired import paired_intervals


def test_the_ends_are_those_of_scipys_percentile_bootstrap():
    values = np.random.default_rng(1).normal(0.1, 0.4, 60)
    (found,) = paired_intervals([values], seed=0, samples=20_000, level=0.9)
    other = bootstrap(
        (values,), np.mean, n_resamples=20_000, confidence_level=0.9,
        method="percentile", random_state=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(other.low, abs=0.004)
    assert found.high == pytest.approx(other.high, abs=0.004)


def test_an_interval_does_not_depend_on_the_other_columns():
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=n) for n in (9, 4, 9, 4, 7)]
    together = paired_intervals(columns, seed=5, samples=500, level=0.95)
    for column, found in zip(columns, together, strict=True):
        (alone,) = paired_intervals([column], seed=5, samples=500, level=0.95)
        assert found == pytest.approx(alone, abs=1e-12)


def test_without_pairs_there_is_no_interval_and_one_pair_has_no_spread():
    assert paired_intervals([[], [0.5]], 0, 10, 0.95) == [None, (0.5, 0.5, 0.5)]
    assert paired_intervals([], 0, 10, 0.95) == []


@pytest.mark.parametrize(
    ("column", "samples", "level"),
    [
        ([float("nan")], 10, 0.95),
        ([1.0], 0, 0.95),
        ([1.0], 10, 1.0),
        ([[1.0]], 10, 0.9),
    ],
)
def test_what_has_no_mean_or_no_level_is_refused(column, samples, level):
    with pytest.raises(ValueError, match="expected"):
        paired_intervals([column], 0, samples, level)
