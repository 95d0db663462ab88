"""NDCG against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from skillmill.compute.scoring import ndcg_standard

ITEMS = list("abcdefgh")


@given(st.permutations(ITEMS), st.sets(st.sampled_from(ITEMS)), st.integers(1, 8))
def test_ndcg_is_that_of_scikit_learn(ranked, relevant, k):
    truth = np.array([[float(item in relevant) for item in ranked]])
    falling = np.arange(len(ranked), 0, -1, dtype=float)[None, :]
    found = ndcg_standard(ranked, relevant, k)
    if relevant:
        assert found == pytest.approx(ndcg_score(truth, falling, k=k))
    else:
        assert found is None
