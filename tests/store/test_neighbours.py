"""Neighbours kept beside the artifacts save work and never stop a run."""

import numpy as np
import pytest

from skillmill.store.neighbours import (
    load_neighbours,
    marks_of,
    neighbours_file,
    save_neighbours,
)

KEPT = (np.array(["a"]), np.array([0]), np.array([1]), np.array([0.5]))


def test_what_is_kept_comes_back_for_the_same_settings_alone(tmp_path):
    path = neighbours_file(tmp_path, "s")
    assert load_neighbours(path, 8, 0.5) is None
    save_neighbours(path, 8, 0.5, KEPT)
    back = load_neighbours(path, 8, 0.5)
    assert [values.tolist() for values in back] == [["a"], [0], [1], [0.5]]
    assert load_neighbours(path, 7, 0.5) is None
    assert load_neighbours(path, 8, 0.6) is None
    assert [p.name for p in path.parent.iterdir()] == ["s.npz"]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no zip", b"x" * 500])
def test_a_damaged_file_is_as_good_as_none(tmp_path, damage):
    path = neighbours_file(tmp_path, "s")
    save_neighbours(path, 8, 0.5, KEPT)
    path.write_bytes(damage)
    assert load_neighbours(path, 8, 0.5) is None
    whole = tmp_path / "whole.npz"
    save_neighbours(whole, 8, 0.5, KEPT)
    path.write_bytes(whole.read_bytes()[:-40])
    assert load_neighbours(path, 8, 0.5) is None


def test_a_mark_tells_the_skill_and_its_vector_apart():
    rows = np.array([[1, 2], [1, 2], [1, 3]], dtype=np.float32)
    marks = marks_of(["a", "b", "a"], rows)
    assert len(set(marks.tolist())) == 3
    assert marks_of(["a", "b", "a"], rows.copy()).tolist() == marks.tolist()
