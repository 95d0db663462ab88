import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skillmill.compute.vectors import cosine_scores, nearest, unit_rows

EAST, NORTH_EAST, NORTH, SOUTH = [1.0, 0.0], [2.0, 2.0], [0.0, 1.0], [0.0, -1.0]
ZERO, BROKEN = [0.0, 0.0], [np.inf, 1.0]
HALF = round(0.5**0.5, 6)  # the cosine of 45 degrees


def test_rows_are_scaled_to_length_one():
    unit, zero_rows = unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]]))
    assert unit.tolist() == [[0.6, 0.8], [0.0, -1.0]]
    assert zero_rows.tolist() == []


def test_zero_and_non_finite_rows_are_flagged_and_become_zero_u59():
    unit, zero_rows = unit_rows(np.array([ZERO, EAST, BROKEN, [np.nan, 1.0]]))
    assert zero_rows.tolist() == [0, 2, 3]
    assert unit.tolist() == [ZERO, EAST, ZERO, ZERO]


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_squares_that_overflow_or_vanish_do_not_matter(scale):
    unit, zero_rows = unit_rows(np.array([[3.0, 4.0]]) * scale)
    assert unit == pytest.approx(np.array([[0.6, 0.8]]))
    assert zero_rows.tolist() == []


def test_the_caller_s_matrix_is_left_alone_and_float32_stays():
    matrix = np.array([[3.0, 4.0]], dtype=np.float32)
    unit, _ = unit_rows(matrix)
    assert matrix.tolist() == [[3.0, 4.0]]
    assert unit.dtype == np.float32


@pytest.mark.parametrize("shape", [(0, 2), (0, 0), (2, 0)])
def test_a_matrix_without_values_has_no_directions(shape):
    unit, zero_rows = unit_rows(np.zeros(shape))
    assert unit.shape == shape
    assert len(zero_rows) == shape[0]


def test_a_single_vector_is_no_matrix():
    with pytest.raises(ValueError, match=r"\(n, d\) matrix, got shape \(2,\)"):
        unit_rows(np.array(EAST))


def test_a_zero_vector_scores_zero_and_hides_no_hit_u59():
    scores = cosine_scores([ZERO, EAST, [0.5, 0.5]], EAST)
    assert scores == pytest.approx([0, 1, 0.5**0.5])


def test_no_cosine_is_ever_nan_u59():
    assert cosine_scores([ZERO, EAST, BROKEN], EAST).tolist() == [0, 1, 0]
    assert cosine_scores([EAST, NORTH], [np.nan, 0]).tolist() == [0, 0]
    assert cosine_scores(np.empty((0, 2)), EAST).tolist() == []


def test_a_row_is_joined_to_others_nearest_first():
    source, target, cosine = nearest([EAST, NORTH_EAST, NORTH], k=2, floor=-1)
    assert source.tolist() == [0, 0, 1, 1, 2, 2]
    assert target.tolist() == [1, 2, 0, 2, 1, 0]
    assert cosine.tolist() == [HALF, 0, HALF, HALF, HALF, 0]


@pytest.mark.parametrize(("floor", "edges"), [(-1.0, 2), (-0.9, 0)])
def test_the_floor_is_inclusive(floor, edges):
    source, _, _ = nearest([NORTH, SOUTH], k=8, floor=floor)
    assert len(source) == edges


def test_the_smallest_floor_above_zero_drops_right_angles():
    source, target, _ = nearest([EAST, NORTH_EAST, NORTH], k=8, floor=5e-324)
    assert list(zip(source, target, strict=True)) == [(0, 1), (1, 0), (1, 2), (2, 1)]


def test_of_equal_rows_the_lower_is_nearer_in_every_block():
    source, target, cosine = nearest([EAST] * 5, k=2, floor=0, block=2)
    assert source.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert target.tolist() == [1, 2, 0, 2, 0, 1, 0, 1, 0, 1]
    assert cosine.tolist() == [1] * 10


def test_rows_without_direction_are_nobody_s_neighbours_u59():
    source, target, cosine = nearest([ZERO, EAST, NORTH, BROKEN], k=3, floor=-1)
    assert source.tolist() == [1, 2]
    assert target.tolist() == [2, 1]
    assert cosine.tolist() == [0, 0]


@pytest.mark.parametrize("matrix", [np.empty((0, 3)), [EAST]])
def test_fewer_than_two_rows_have_no_neighbours(matrix):
    assert [len(column) for column in nearest(matrix, k=3, floor=-1)] == [0, 0, 0]


@pytest.mark.parametrize(("k", "block"), [(0, 8), (1, 0)])
def test_k_and_block_start_at_one(k, block):
    with pytest.raises(ValueError, match="at least 1"):
        nearest([EAST, NORTH], k=k, floor=0, block=block)


@given(
    hnp.arrays(np.float32, (9, 3), elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0])),
    st.integers(1, 10),
    st.integers(1, 10),
)
@settings(max_examples=60, deadline=None)
def test_any_block_size_gives_what_a_full_sort_gives(matrix, k, block):
    unit, lost = unit_rows(matrix.astype(np.float64))
    expected = []
    for row in range(9):
        others = [
            (-round(float(unit[row] @ unit[other]), 6), other)
            for other in range(9)
            if other != row and not {row, other} & set(lost.tolist())
        ]
        expected += [(row, other, -minus) for minus, other in sorted(others)[:k]]
    source, target, cosine = nearest(matrix, k, -1.0, block)
    found = zip(source.tolist(), target.tolist(), cosine.tolist(), strict=True)
    assert list(found) == expected


def test_real_numbers_give_the_same_edges_for_any_block_size():
    matrix = np.random.default_rng(0).normal(size=(300, 24)).astype(np.float32)
    whole = nearest(matrix, 7, -1.0, block=300)
    for block in (1, 7, 64, 299, 5000):
        for column, expected in zip(
            nearest(matrix, 7, -1.0, block), whole, strict=True
        ):
            assert column.tolist() == expected.tolist()
