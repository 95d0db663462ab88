import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.compute.statistics import (
    bootstrap_mean,
    cluster_bootstrap_mean,
    known_mean,
    mcnemar_exact,
    newcombe_difference,
    newcombe_paired,
    paired_difference,
    wilson,
)


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def test_the_mean_leaves_out_what_could_not_be_computed_u28():
    assert known_mean([1.0, None, 0.0, None]) == (0.5, 2)
    assert known_mean([None]) == (None, 0)
    assert known_mean([]) == (None, 0)


def test_two_values_have_three_resampled_means(rng):
    # means 0, 1/2, 1 with chances 1/4, 1/2, 1/4: the middle 40 % is all 1/2
    assert bootstrap_mean([0.0, 1.0], rng, level=0.4) == (0.5, 0.5, 0.5)
    assert bootstrap_mean([0.0, 1.0], rng, level=0.95) == (0.5, 0, 1)


def test_the_interval_is_that_of_the_normal_law_for_many_values(rng):
    values = np.repeat([0.0, 1.0], 200)
    half = 1.959964 * 0.5 / 20
    interval = bootstrap_mean(values, rng)
    assert interval == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=0.004)


def test_the_same_seed_gives_the_same_interval():
    values = np.random.default_rng(1).random(50)
    one = bootstrap_mean(values, np.random.default_rng(7), samples=500)
    assert one == bootstrap_mean(values, np.random.default_rng(7), samples=500)
    assert one != bootstrap_mean(values, np.random.default_rng(8), samples=500)


def test_samples_drawn_in_blocks_are_all_there(rng):
    # 3000 values are drawn 333 samples at a time
    interval = bootstrap_mean(np.repeat([0.0, 1.0], 1500), rng, samples=1000)
    assert interval == pytest.approx((0.5, 0.482, 0.518), abs=0.003)


def test_no_value_has_no_interval_and_one_value_a_point(rng):
    assert bootstrap_mean([], rng) is None
    assert bootstrap_mean([0.3], rng) == (0.3, 0.3, 0.3)
    assert cluster_bootstrap_mean([], [], rng) is None
    assert paired_difference([], [], rng) is None


def test_whole_clusters_are_drawn(rng):
    # means 1 (aa), 0 (bb) and 3/4 (ab, half of the draws)
    values, clusters = [1.0, 0.0, 1.0, 1.0], ["a", "b", "a", "a"]
    middle = cluster_bootstrap_mean(values, clusters, rng, level=0.4)
    assert middle == (0.75, 0.75, 0.75)
    assert cluster_bootstrap_mean(values, clusters, rng) == (0.75, 0, 1)


def test_one_cluster_tells_nothing_of_its_spread(rng):
    assert cluster_bootstrap_mean([1.0, 0.0], [5, 5], rng) == (0.5, 0.5, 0.5)


def test_clusters_of_one_value_are_the_plain_bootstrap():
    values = [0.1, 0.5, 0.9, 0.2]
    plain = bootstrap_mean(values, np.random.default_rng(3))
    clustered = cluster_bootstrap_mean(values, "abcd", np.random.default_rng(3))
    assert clustered == pytest.approx(plain)


def test_a_constant_difference_has_no_spread(rng):
    assert paired_difference([0.75, 0.5], [0.5, 0.25], rng) == (0.25, 0.25, 0.25)
    assert paired_difference([1.0, 0.0], [0.0, 1.0], rng) == (0, -1, 1)


def test_wilson_by_hand():
    # z^2 = 3.841459: half a width of z sqrt(.025 + z^2 / 400) / (1 + z^2 / 10)
    share, low, high = wilson(5, 10)
    assert share == 0.5
    assert (low, high) == pytest.approx((0.236593, 0.763407), abs=1e-6)


def test_wilson_at_the_ends_keeps_a_width_and_stays_inside():
    # 0 of n: the upper end is z^2 / (n + z^2)
    assert wilson(0, 10) == pytest.approx((0, 0, 3.841459 / 13.841459))
    assert wilson(10, 10) == pytest.approx((1, 10 / 13.841459, 1))
    assert wilson(0, 0) is None


@pytest.mark.parametrize("bad", [[np.nan], [np.inf, 1], [[1.0]]])
def test_values_that_are_no_numbers_are_refused(bad, rng):
    with pytest.raises(ValueError, match="finite"):
        bootstrap_mean(bad, rng)


@pytest.mark.parametrize("bad", [{"samples": 0}, {"level": 1.0}, {"level": 0.0}])
def test_samples_and_level_must_be_in_range(bad, rng):
    with pytest.raises(ValueError, match=r"sample|level"):
        bootstrap_mean([1.0, 2.0], rng, **bad)


def test_lengths_must_agree(rng):
    with pytest.raises(ValueError, match="pairs"):
        paired_difference([1.0], [1.0, 2.0], rng)
    with pytest.raises(ValueError, match="clusters"):
        cluster_bootstrap_mean([1.0], ["a", "b"], rng)


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_wilson_refuses_impossible_counts(successes, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, n)


def test_the_paired_interval_is_that_of_the_published_example():
    # Newcombe 1998, Stat. Med. 17, 2635: (36, 12, 2, 0), method 10
    found = newcombe_paired(36, 12, 2, 0)
    assert found == pytest.approx((0.2, 0.0569, 0.3404), abs=5e-5)


def test_the_paired_interval_of_small_counts_is_the_published_one():
    # Fagerland et al. 2014, BMC Med. Res. Methodol.: (1, 1, 7, 12)
    found = newcombe_paired(1, 1, 7, 12)
    assert found == pytest.approx((-0.286, -0.507, -0.026), abs=5e-4)


def test_the_comparative_papers_interval_has_no_correction():
    # section 6.2: 6 gained, 5 lost of 117, 86 hits before
    found = newcombe_paired(81, 6, 5, 25, corrected=False)
    assert found == pytest.approx((0.0085, -0.048, 0.065), abs=5e-4)
    assert newcombe_paired(81, 6, 5, 25)[1] < found[1]


def test_paired_shares_that_agree_everywhere():
    assert newcombe_paired(0, 0, 0, 0) is None
    assert newcombe_paired(4, 0, 0, 0).value == 0
    _, low, high = newcombe_paired(5, 0, 0, 5)
    assert low == pytest.approx(-high)
    with pytest.raises(ValueError, match="at least 0"):
        newcombe_paired(1, -1, 0, 0)


@given(*[st.integers(0, 30)] * 4, st.booleans())
def test_the_paired_interval_turns_round_with_its_arms(both, one, other, no, corrected):
    there = newcombe_paired(both, one, other, no, corrected=corrected)
    back = newcombe_paired(both, other, one, no, corrected=corrected)
    if there is None:
        assert back is None
        return
    assert there == pytest.approx((-back.value, -back.high, -back.low), abs=1e-12)
    assert -1 - 1e-9 <= there.low <= there.value <= there.high <= 1 + 1e-9


def test_the_unpaired_interval_is_that_of_the_published_example():
    # Newcombe 1998, Stat. Med. 17, 873: 56/70 - 48/80, method 10
    found = newcombe_difference(56, 70, 48, 80)
    assert found == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    assert newcombe_difference(0, 0, 1, 2) is None


def test_mcnemar_is_exact_as_published():
    # Fagerland et al. 2013, BMC Med. Res. Methodol. 13: 1 against 7, p = 0.070
    assert mcnemar_exact(1, 7) == pytest.approx(0.0703, abs=5e-5)
    # Comparative paper, section 6.2: 6 gained, 5 lost
    assert mcnemar_exact(6, 5) == pytest.approx(1.0)


def test_mcnemar_by_hand():
    assert mcnemar_exact(0, 0) == 1
    assert mcnemar_exact(0, 3) == pytest.approx(2 / 8)
    assert mcnemar_exact(3, 0) == mcnemar_exact(0, 3)
    with pytest.raises(ValueError, match="at least 0"):
        mcnemar_exact(-1, 2)
