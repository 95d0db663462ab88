import dataclasses

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.memory.relations import similarity_edges, temporal_neighbours
from tests.memory.records import atom

HALF = 0.5**0.5


def ends(edges):
    return [(edge.source[-3:], edge.target[-3:]) for edge in edges]


def test_an_atom_is_joined_to_its_nearest_others_with_their_cosine():
    atoms = [atom(0, "a"), atom(1, "b"), atom(2, "c")]
    vectors = np.array([[1.0, 0], [1, 1], [0, 1]])
    edges = similarity_edges(atoms, [a.id for a in atoms], vectors, neighbours=1)
    assert ends(edges) == [("1/0", "1/1"), ("1/1", "1/0"), ("1/2", "1/1")]
    assert [edge.weight for edge in edges] == [round(HALF, 6)] * 3
    assert {(e.relation, e.provenance) for e in edges} == {("similarity", "embedding")}


def test_cosines_that_are_not_positive_make_no_edge():
    atoms = [atom(0, "a"), atom(1, "b"), atom(2, "c")]
    vectors = np.array([[1.0, 0], [0, 1], [-1, -1e-9]])
    assert similarity_edges(atoms, [a.id for a in atoms], vectors) == []


def test_the_floor_is_inclusive():
    atoms = [atom(0, "a"), atom(1, "b")]
    vectors = np.array([[1.0, 0], [0.6, 0.8]])
    ids = [a.id for a in atoms]
    assert len(similarity_edges(atoms, ids, vectors, floor=0.6)) == 2
    assert similarity_edges(atoms, ids, vectors, floor=0.61) == []


def test_conversations_are_never_joined():
    atoms = [atom(0, "a"), atom(0, "a", conversation="kitchen"), atom(1, "b")]
    edges = similarity_edges(atoms, [a.id for a in atoms], np.ones((3, 2)))
    assert {(edge.source, edge.target) for edge in edges} == {
        ("garden/1/0", "garden/1/1"),
        ("garden/1/1", "garden/1/0"),
    }


def test_vectors_may_come_in_another_order_than_the_atoms():
    atoms = [atom(0, "a"), atom(1, "b"), atom(2, "c")]
    vectors = np.array([[0.0, 1], [1, 1], [1, 0]])
    edges = similarity_edges(
        atoms, [a.id for a in reversed(atoms)], vectors, neighbours=1
    )
    assert ends(edges) == [("1/0", "1/1"), ("1/1", "1/0"), ("1/2", "1/1")]


def test_an_atom_without_a_vector_is_named():
    with pytest.raises(StoreError, match=r"1 of 2 atoms .* 'garden/1/1'"):
        similarity_edges([atom(0, "a"), atom(1, "b")], ["garden/1/0"], np.ones((1, 2)))


def test_a_vector_without_direction_is_joined_to_nothing_u59():
    atoms = [atom(0, "a"), atom(1, "b"), atom(2, "c")]
    vectors = np.array([[1.0, 0], [0, 0], [1, np.inf]])
    assert similarity_edges(atoms, [a.id for a in atoms], vectors) == []


def test_no_atoms_give_no_edges():
    assert similarity_edges([], [], np.zeros((0, 2))) == []
    assert temporal_neighbours([]) == []


def test_neighbours_in_a_session_are_joined_both_ways():
    edges = temporal_neighbours([atom(2, "c"), atom(0, "a"), atom(1, "b")])
    assert ends(edges) == [
        ("1/0", "1/1"),
        ("1/1", "1/0"),
        ("1/1", "1/2"),
        ("1/2", "1/1"),
    ]
    assert {(e.relation, e.weight, e.provenance) for e in edges} == {
        ("TemporalNeighbor", 1.0, "rule")
    }


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (atom(1, "b", day="2024-03-03"), "another day"),
        (atom(1, "b", day=None), "no day"),
        (atom(1, "b", session=2), "another session"),
        (atom(1, "b", conversation="kitchen"), "another conversation"),
    ],
)
def test_neighbours_must_share_a_day_and_a_session(other, why):
    assert temporal_neighbours([atom(0, "a"), other]) == [], why


def test_two_atoms_without_a_day_share_none():
    assert temporal_neighbours([atom(0, "a", day=None), atom(1, "b", day=None)]) == []


def test_one_shared_day_of_several_is_enough():
    several = dataclasses.replace(
        atom(1, "b"), time_keys=("2024-01-01", "2024-03-02", "2024-05-05")
    )
    assert len(temporal_neighbours([atom(0, "a"), several])) == 2
