"""What the page's drawing of the skill graph is made from."""

from itertools import combinations
from math import hypot

import pytest

from skillmill.report.skillgraph import GraphNode, GraphTask, SkillGraph, graph_data
from skillmill.report.sunflower import SPACING, sunflower
from skillmill.types import Edge

NODES = [
    GraphNode("craft/saw", "saw", "craft"),
    GraphNode("craft/glue", "glue", "craft"),
    GraphNode("craft/sand", "sand", "craft"),
    GraphNode("alone", "alone", "attic"),
]
NEAR = [
    Edge("craft/saw", "craft/glue", "similar_to", 0.8, "embedding"),
    Edge("craft/glue", "craft/saw", "similar_to", 0.8, "embedding"),
    Edge("craft/glue", "craft/sand", "similar_to", 0.9, "embedding"),
]
TYPED = Edge("craft/sand", "craft/saw", "requires", None, "curated")


def test_a_neighbour_pair_named_from_both_sides_is_one_edge():
    data = graph_data(SkillGraph(NODES, NEAR), edge_limit=9)
    names = [row[0] for row in data["nodes"]]
    assert names == ["alone", "craft/glue", "craft/sand", "craft/saw"]
    assert data["edges"] == [[0, 0, 1, 2], [0, 0, 3, 1]]
    assert [row[5] for row in data["nodes"]] == [0, 2, 1, 1]


def test_typed_edges_come_first_and_the_weakest_neighbours_are_left_out():
    data = graph_data(SkillGraph(NODES, [*NEAR, TYPED]), edge_limit=2)
    assert data["layers"] == ["requires", "similar_to"]
    assert data["provenances"] == ["curated", "embedding"]
    assert data["edges"] == [[0, 0, 2, 3], [1, 1, 1, 2]]
    assert data["left_out"] == [("similar_to", 1)]


def test_an_edge_to_a_skill_that_is_not_there_is_not_drawn():
    stray = Edge("craft/saw", "gone", "requires", None, "llm")
    assert graph_data(SkillGraph(NODES, [stray]), edge_limit=9)["edges"] == []


def test_a_department_of_fewer_than_three_skills_has_no_disc_of_its_own():
    data = graph_data(SkillGraph(NODES), edge_limit=9)
    assert [(name, n) for name, _, _, _, n in data["groups"]] == [("craft", 3), ("", 1)]


def test_a_task_names_places_and_keeps_the_first_five_found():
    found = ("craft/saw", "alone", "gone", "craft/glue", "craft/sand", "craft/saw")
    task = GraphTask("t", "Saw a plank", ("craft/saw", "gone"), {"hybrid": found})
    data = graph_data(SkillGraph(NODES, (), [task]), edge_limit=9)
    assert data["arms"] == ["hybrid"]
    assert data["tasks"] == [["t", "Saw a plank", [3], [[3, 0, 1, 2]]]]


def test_hidden_characters_in_a_name_are_spelled_out():
    data = graph_data(SkillGraph([GraphNode("a", "a\u202eb", "")]), edge_limit=9)
    assert data["nodes"][0][1] == "a⟨U+202E⟩b"


def test_without_a_skill_there_is_nothing_to_draw():
    assert graph_data(SkillGraph((), NEAR), edge_limit=9) is None


def test_discs_keep_apart_and_hold_their_dots():
    sizes = [90, 40, 40, 7, 3, 1]
    discs, spots = sunflower(sizes)
    assert discs[0][:2] == (0.0, 0.0)
    assert [len(dots) for dots in spots] == sizes
    for (x, y, r), (u, v, s) in combinations(discs, 2):
        assert hypot(x - u, y - v) >= r + s + SPACING - 0.3
    for (x, y, r), dots in zip(discs, spots, strict=True):
        assert dots[0] == (x, y)
        assert all(hypot(x - u, y - v) <= r for u, v in dots)
        gaps = [hypot(a[0] - b[0], a[1] - b[1]) for a, b in combinations(dots, 2)]
        assert min(gaps, default=SPACING) >= 0.5 * SPACING


def test_no_group_is_no_disc_and_an_empty_group_is_refused():
    assert sunflower([]) == ([], [])
    with pytest.raises(ValueError, match="positive group sizes"):
        sunflower([3, 0])
