"""Random pairs: distinct, free, evenly drawn."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.compute import randompairs
from skillmill.compute.randompairs import random_pairs


@given(st.lists(st.integers(0, 9)))
def test_repeats_go_and_the_first_of_each_stays_in_order(codes):
    found = randompairs._without_repeats(np.array(codes, dtype=np.intp))
    assert found.tolist() == list(dict.fromkeys(codes))


@settings(max_examples=30)
@given(st.integers(0, 9), st.integers(0, 50), st.integers(0, 10))
def test_random_pairs_are_distinct_free_and_as_many_as_there_are(n, count, held):
    rng = np.random.default_rng(n * 100 + count)
    taken = [(i, j) for j in range(n) for i in range(j)][:held]
    drawn = random_pairs(n, count, taken, rng)
    pairs = {tuple(pair) for pair in drawn.tolist()}
    assert len(pairs) == len(drawn) == min(count, n * (n - 1) // 2 - len(taken))
    assert all(one < other < n for one, other in pairs)
    assert not pairs & set(taken)


def test_random_pairs_are_drawn_evenly():
    rng = np.random.default_rng(0)
    counts = np.zeros((5, 5))
    for _ in range(2000):
        ((one, other),) = random_pairs(5, 1, (), rng).tolist()
        counts[one, other] += 1
    drawn = counts[np.triu_indices(5, 1)]
    assert drawn.sum() == 2000
    # ten pairs, 200 each; four standard deviations are 54
    assert abs(drawn - 200).max() < 54
