"""Atoms with several vectors each; angles are in degrees."""

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.memory.assemble import memory_views
from skillmill.memory.nearness import best_cosines, one_each
from tests.memory.records import garden_view


def at(*degrees):
    """Unit vectors at some angles, (n, 2)."""
    return np.array([(np.cos(np.radians(d)), np.sin(np.radians(d))) for d in degrees])


def test_of_several_vectors_the_nearest_counts():
    found = best_cosines(at(0, 90, 60, 180), at(80, 10), (1, 2, 1))
    wanted = [np.cos(np.radians(d)) for d in (80, 10, 100, 10, 50, 170)]
    assert found.ravel() == pytest.approx(wanted)


def test_one_vector_each_is_a_plain_cosine():
    unit, asked = at(0, 90, 60), at(30)
    assert best_cosines(unit, asked, (1, 1, 1)).tolist() == (
        best_cosines(unit, asked, None).tolist()
    )


def test_without_atoms_there_is_nothing_near():
    assert best_cosines(np.zeros((0, 2)), at(10), None).shape == (1, 0)


def test_where_one_vector_is_wanted_it_is_the_mean_direction():
    found = one_each({"a": 3 * at(20), "b": at(0, 90).astype(np.float32)})
    assert found["a"].tolist() == (3 * at(20))[0].tolist()
    assert found["b"] == pytest.approx(at(45)[0], abs=1e-6)


def test_a_memory_scores_each_atom_by_its_nearest_part():
    whole = garden_view()
    vectors = np.concatenate([whole.vectors[:1], at(270), whole.vectors[1:]])
    view = garden_view(vectors=vectors, parts=(2, 1, 1, 1))
    asked = np.array([[0.0, -2.0], [1.0, 0.0]])
    assert view.cosines(asked)[0, 0] == pytest.approx(1)
    assert view.cosines(asked)[:, 1:].tolist() == whole.cosines(asked)[:, 1:].tolist()
    assert view.without_direction == ()


def test_an_atom_lacks_direction_only_if_all_its_parts_do():
    vectors = np.array([[0.0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [1, 1]])
    view = garden_view(vectors=vectors, parts=(2, 2, 1, 1))
    assert view.without_direction == (view.ids[0],)


def test_vectors_that_do_not_fit_the_parts_are_refused():
    with pytest.raises(StoreError, match="4 vectors for 4 atoms"):
        garden_view(parts=(2, 1, 1, 1))


def test_views_are_assembled_with_and_without_several_parts():
    view = garden_view()
    single = dict(zip(view.ids, view.vectors, strict=True))
    several = {**single, view.ids[1]: at(10, 20)}
    for vectors, parts in ((single, None), (several, (1, 2, 1, 1))):
        made = memory_views(
            {"garden": ("Ines",)}, list(view.atoms), vectors, [], {}, []
        )["garden"]
        assert made.parts == parts
        assert len(made.vectors) == sum(parts or (1, 1, 1, 1))
