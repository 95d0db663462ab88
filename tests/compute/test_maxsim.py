import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.compute.maxsim import maxsim
from skillmill.compute.vectors import unit_rows

EAST, NORTH, WEST = [1.0, 0], [0, 1.0], [-1.0, 0]


def slowly(queries, tokens, offsets):
    """The definition, word by word."""
    scores = np.zeros((len(queries), len(offsets) - 1))
    for i, query in enumerate(queries):
        for j in range(len(offsets) - 1):
            text = [
                list(map(float, row)) for row in tokens[offsets[j] : offsets[j + 1]]
            ]
            if len(query) and text:
                best = [
                    max(sum(a * b for a, b in zip(q, t, strict=True)) for t in text)
                    for q in query
                ]
                scores[i, j] = sum(best) / len(best)
    return scores


def test_each_query_token_looks_for_its_nearest_and_the_cosines_are_averaged():
    tokens = np.array([EAST, NORTH, WEST, WEST])
    query = np.array([EAST, EAST, NORTH, WEST])
    found = maxsim([query], tokens, np.array([0, 2, 3, 4]))
    # Text 0: 1, 1, 1, 0; texts 1 and 2: -1, -1, 0, 1.
    assert found.tolist() == [[0.75, -0.25, -0.25]]


def test_a_query_or_a_text_without_tokens_scores_zero():
    tokens = np.array([EAST, NORTH])
    offsets = np.array([0, 0, 2, 2])
    assert maxsim([np.array([EAST])], tokens, offsets).tolist() == [[0, 1, 0]]
    assert maxsim([np.zeros((0, 2))], tokens, offsets).tolist() == [[0, 0, 0]]
    assert maxsim([], tokens, offsets).shape == (0, 3)
    assert maxsim([np.array([EAST])], np.zeros((0, 2)), np.array([0])).shape == (1, 0)


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=12),
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.integers(1, 60),
    st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_random_texts_score_as_by_the_definition(lengths, asked, cells, seed):
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *lengths])
    tokens = unit_rows(rng.normal(size=(offsets[-1], 5)))[0].astype(np.float16)
    queries = [unit_rows(rng.normal(size=(k, 5)))[0] for k in asked]
    found = maxsim(queries, tokens, offsets, cells)
    assert found == pytest.approx(slowly(queries, tokens, offsets), abs=2e-3)
    assert found == pytest.approx(maxsim(queries, tokens, offsets), abs=1e-6)


def test_the_scores_of_a_query_do_not_depend_on_those_asked_with_it():
    rng = np.random.default_rng(3)
    tokens = unit_rows(rng.normal(size=(500, 64)))[0].astype(np.float16)
    offsets = np.arange(0, 501, 5)
    queries = [unit_rows(rng.normal(size=(k, 64)))[0] for k in (3, 11, 7)]
    together = maxsim(queries, tokens, offsets)
    for i, query in enumerate(queries):
        assert (maxsim([query], tokens, offsets)[0] == together[i]).all()


def test_half_floats_cost_less_than_a_thousandth_of_a_cosine():
    rng = np.random.default_rng(4)
    tokens = unit_rows(rng.normal(size=(300, 384)))[0]
    query = unit_rows(rng.normal(size=(9, 384)))[0]
    offsets = np.arange(0, 301, 10)
    exact = maxsim([query], tokens, offsets)
    assert (
        np.abs(maxsim([query], tokens.astype(np.float16), offsets) - exact).max() < 1e-3
    )


@pytest.mark.parametrize(
    ("queries", "offsets", "cells", "message"),
    [
        ([np.ones((1, 3))], [0, 2], 9, r"query tokens \(1, 3\)"),
        ([np.ones(2)], [0, 2], 9, r"query tokens \(2,\)"),
        ([np.ones((1, 2))], [0, 1], 9, "do not cut"),
        ([np.ones((1, 2))], [1, 2], 9, "do not cut"),
        ([np.ones((1, 2))], [0, 2, 1, 2], 9, "do not cut"),
        ([np.ones((1, 2))], [], 9, "do not cut"),
        ([np.ones((1, 2))], [0, 2], 0, "cells must be at least 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(queries, offsets, cells, message):
    with pytest.raises(ValueError, match=message):
        maxsim(queries, np.array([EAST, NORTH]), np.array(offsets, int), cells)
