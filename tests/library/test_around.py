"""Roles of neighbours: who comes before, after, or instead."""

import pytest

from skillmill.library.around import ROLES, by_role, neighbours
from skillmill.library.vocabulary import PART_OF, RELATIONS
from skillmill.types import Edge


def edge(source, relation, target, provenance="rule", weight=None):
    return Edge(source, target, relation, weight, provenance)


@pytest.mark.parametrize(
    ("relation", "as_source", "as_target"),
    [
        ("requires", "before", "after"),
        ("verifies", "before", "after"),
        ("feeds_into", "after", "before"),
        ("routes_to", "after", "before"),
        ("precedes", "after", "before"),
        ("alternative_to", "alternative", "alternative"),
        ("complements", "together", "together"),
        ("specializes", "general", "special"),
        ("part_of", "general", "special"),
        ("similar_to", None, None),
    ],
)
def test_what_the_far_end_is_follows_from_the_end_one_stands_at(
    relation, as_source, as_target
):
    one = edge("a", relation, "b")
    assert [n.role for n in neighbours("a", [one])] == [as_source]
    assert [n.role for n in neighbours("b", [one])] == [as_target]
    assert neighbours("c", [one]) == []


def test_every_relation_of_the_vocabulary_has_a_role():
    for relation in (*RELATIONS, PART_OF):
        assert neighbours("a", [edge("a", relation, "b")])[0].role in ROLES


def test_neighbours_are_ordered_by_priority_trust_weight_and_id():
    edges = [
        edge("a", "similar_to", "z", "embedding", 0.9),
        edge("y", "similar_to", "a", "embedding", 0.95),
        edge("a", "feeds_into", "m", "llm"),
        edge("a", "feeds_into", "k", "rule"),
        edge("a", "precedes", "p", "learned", 0.8),
        edge("a", "precedes", "q", "learned", 0.9),
        edge("x", "requires", "a", "curated"),
    ]
    found = [one.skill for one in neighbours("a", edges)]
    assert found == ["x", "k", "m", "q", "p", "y", "z"]


def test_similarity_stored_both_ways_is_one_neighbour():
    edges = [
        edge("a", "similar_to", "b", "embedding", 0.6),
        edge("b", "similar_to", "a", "embedding", 0.6),
    ]
    assert len(neighbours("a", edges)) == 1


def test_a_role_names_each_skill_once_in_order():
    edges = [
        edge("a", "requires", "b"),
        edge("c", "feeds_into", "a"),
        edge("b", "precedes", "a"),
        edge("a", "similar_to", "d", "embedding", 0.7),
    ]
    found = by_role(neighbours("a", edges))
    assert list(found) == list(ROLES)
    assert found["before"] == ["b", "c"]
    assert found["after"] == found["alternative"] == []
