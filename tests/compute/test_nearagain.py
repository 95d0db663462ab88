"""Neighbours after an edit are those of a comparison of all."""

import numpy as np
import pytest

from skillmill.compute.nearagain import Known, nearest_again
from skillmill.compute.vectors import nearest

FLOOR = 0.2


def rows(rng, n):
    """Vectors with duplicates and some without direction."""
    made = rng.normal(size=(n, 5)).round(1)
    made[rng.integers(n, size=n // 4)] = made[0]
    made[rng.integers(n, size=2)] = 0
    return made


def known_of(names, matrix, k):
    return Known(np.array(names), *nearest(matrix, k, FLOOR))


def edited(rng, names, matrix, edits):
    """Names and rows after a few changes, removals and additions; sorted by name."""
    held = dict(zip(names, matrix, strict=True))
    for number in range(edits):
        old = rng.choice(sorted(held))
        match rng.integers(3):
            case 0:
                del held[old]
            case 1:  # the mark of a changed row is another one
                held[f"{old}~"] = rng.normal(size=5)
                del held[old]
            case _:
                held[f"{rng.integers(100):03}+{number}"] = held[old].copy()
    order = sorted(held)
    return order, np.array([held[name] for name in order])


@pytest.mark.parametrize("seed", range(40))
def test_an_edited_library_has_the_neighbours_of_a_clean_build(seed):
    rng = np.random.default_rng(seed)
    names = [f"{n:03}" for n in range(60)]
    before, k = rows(rng, 60), int(rng.integers(1, 9))
    after, matrix = edited(rng, names, before, int(rng.integers(4)))
    found, compared = nearest_again(
        matrix, np.array(after), k, FLOOR, known_of(names, before, k)
    )
    for mine, whole in zip(found, nearest(matrix, k, FLOOR), strict=True):
        np.testing.assert_array_equal(mine, whole)
    assert compared <= len(after)


def test_what_did_not_change_is_not_compared_again():
    rng = np.random.default_rng(0)
    names = [f"{n:03}" for n in range(200)]
    matrix = rng.normal(size=(200, 30))
    known = known_of(names, matrix, 3)
    assert nearest_again(matrix, np.array(names), 3, FLOOR, known)[1] == 0
    matrix[7] = rng.normal(size=30)
    names[7] += "~"
    found, compared = nearest_again(matrix, np.array(names), 3, FLOOR, known)
    assert 1 <= compared < 20
    for mine, whole in zip(found, nearest(matrix, 3, FLOOR), strict=True):
        np.testing.assert_array_equal(mine, whole)


def test_another_order_compares_all_since_ties_go_to_the_lower_row():
    names = ["a", "b", "c", "d"]
    matrix = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1]])
    known = known_of(names, matrix, 1)
    found, compared = nearest_again(matrix, np.array(names[::-1]), 1, FLOOR, known)
    assert compared == 4
    np.testing.assert_array_equal(found[1], nearest(matrix, 1, FLOOR)[1])
