"""Pearson's r."""

import numpy as np
import pytest
from scipy import stats

from skillmill.compute.correlation import pearson


def test_r_and_interval_equal_scipys():
    rng = np.random.default_rng(5)
    for n in (4, 10, 200):
        x = rng.normal(size=n)
        y = 0.3 * x + rng.normal(size=n)
        theirs = stats.pearsonr(x, y)
        ours = pearson(x, y)
        assert (ours.r, ours.n) == (pytest.approx(theirs.statistic), n)
        low, high = theirs.confidence_interval(0.95)
        assert (ours.low, ours.high) == pytest.approx((low, high))


def test_three_pairs_have_no_interval_and_two_no_meaning():
    assert pearson([1, 2, 3], [1, 2, 4]).low is None
    assert pearson([1, 2, 3], [3, 2, 1])[:2] == (pytest.approx(-1), 3)
    assert pearson([1, 2], [1, 2]) is None
    assert pearson([], []) is None


def test_a_side_that_does_not_vary_has_no_correlation():
    assert pearson([1, 1, 1, 1], [1, 2, 3, 4]) is None


@pytest.mark.parametrize(
    ("x", "y", "level"),
    [([1, 2], [1], 0.9), ([1, 2, np.nan], [1, 2, 3], 0.9), ([1], [1], 1.0)],
)
def test_what_are_no_pairs_is_refused(x, y, level):
    with pytest.raises(ValueError, match=r"expected|level"):
        pearson(x, y, level)
