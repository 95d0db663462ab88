import numpy as np
import pytest

from skillmill.models.heuristics.related import CosineRelated

EAST, NORTH, NORTH_EAST = [3.0, 0.0], [0.0, 2.0], [1.0, 1.0]


def test_the_threshold_is_inclusive_and_lengths_do_not_matter():
    """The cosine of 60 degrees is one half."""
    sixty = [0.5, 0.75**0.5]
    assert CosineRelated(0.5).related([EAST], [sixty]).tolist() == [True]
    assert CosineRelated(0.51).related([EAST], [sixty]).tolist() == [False]


def test_pairs_are_judged_row_by_row():
    rows = CosineRelated().related([EAST, EAST], [NORTH, NORTH_EAST])
    assert rows.tolist() == [False, True]


def test_a_zero_vector_is_related_to_nothing():
    assert CosineRelated(-1.0).related([[0.0, 0.0]], [EAST]).tolist() == [False]


def test_no_pairs_give_no_answers():
    assert CosineRelated().related(np.zeros((0, 2)), np.zeros((0, 2))).tolist() == []


def test_unequal_shapes_are_refused():
    with pytest.raises(ValueError, match="two equal"):
        CosineRelated().related([EAST], [EAST, NORTH])
