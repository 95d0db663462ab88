"""Intervals against statsmodels and scipy."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
)

from skillmill.compute.statistics import (
    bootstrap_mean,
    mcnemar_exact,
    newcombe_difference,
    wilson,
)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(
    ("successes", "n"), [(0, 7), (3, 7), (7, 7), (51, 312), (1, 1)]
)
def test_wilson_is_that_of_statsmodels(successes, n, level):
    expected = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    assert wilson(successes, n, level)[1:] == pytest.approx(expected, abs=1e-12)


def test_the_bootstrap_agrees_with_scipy_within_its_noise():
    values = np.random.default_rng(0).exponential(size=80)
    expected = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = bootstrap_mean(values, np.random.default_rng(2), samples=20_000)
    assert found.value == pytest.approx(values.mean())
    assert found[1:] == pytest.approx(tuple(expected), abs=0.01)


@pytest.mark.parametrize(
    ("first", "second"), [(0, 0), (1, 7), (6, 5), (12, 12), (40, 3)]
)
def test_mcnemar_is_that_of_statsmodels(first, second):
    expected = mcnemar([[9, first], [second, 4]], exact=True).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("counts", [(56, 70, 48, 80), (0, 10, 10, 20), (9, 9, 3, 5)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_unpaired_interval_is_that_of_statsmodels(counts, level):
    expected = confint_proportions_2indep(
        *counts, method="newcomb", compare="diff", alpha=1 - level
    )
    assert newcombe_difference(*counts, level)[1:] == pytest.approx(expected)
