"""Graph-of-Skills-style and SkillDAG-style arms, co-usage, and their controls."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from skillmill.evaluate.control_graphs import (
    dependencies_of,
    permuted,
    random_edges,
    shuffled_names,
)
from skillmill.evaluate.peer_arms import PeerData, PeerSettings, peer_arms
from skillmill.types import Edge
from tests.library.planted import edges, library, query, settings

RANKED = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.5}
PAPER = settings(mode="paper", primary="whole", supporting=2)


NOTHING = PeerData()


def arms(lib, data=NOTHING, **changes):
    return peer_arms(lib, data, replace(PeerSettings(), **changes), PAPER)


def items(lib, arm, budget, ranked=RANKED, **more):
    return arm(lib, query(lib, ranked, **more), budget).items


def test_gos_style_is_the_walk_of_networkx_over_weighted_relations():
    lib = library("abcdefg", edges(("f", "a"), ("g", "f")))
    data = PeerData(
        typed=[Edge("b", "g", "alternative_to", 1.0, "curated")],
        similar=[Edge("a", "e", "similar_to", 0.8, "embedding")],
    )
    arm = arms(lib, data, seeds=2)["gos-style"]
    graph = nx.Graph()
    graph.add_nodes_from("abcdefg")
    graph.add_weighted_edges_from(
        [("f", "a", 1.0), ("g", "f", 1.0), ("b", "g", 0.1), ("a", "e", 0.2 * 0.8)]
    )
    walked = nx.pagerank(graph, 0.8, {"a": 0.9, "b": 0.8}, max_iter=500, tol=1e-12)
    best = sorted(walked, key=lambda skill: (-round(walked[skill], 6), skill))[:4]
    assert list(items(lib, arm, 4)) == best
    assert set(best) >= {"a", "b", "f"}


def test_skilldag_style_brings_direct_prerequisites_and_gives_up_a_cycle():
    lib = library("abcdexy", edges(("x", "a"), ("y", "a"), ("c", "b"), ("a", "x")))
    arm = arms(lib)["skilldag-style"]
    found = items(lib, arm, 5)
    assert found[0] == "a"
    assert set(found[1:3]) <= {"x", "y", "b"}
    assert {"b", "c"} <= set(found)
    assert len(items(lib, arm, 2)) == 2
    alone = arms(library("abcde", []))["skilldag-style"]
    assert items(library("abcde", []), alone, 3) == ("a", "b", "c")


def test_at_most_so_many_prerequisites_come_along():
    lib = library("abcdexyz", edges(("x", "a"), ("y", "a"), ("z", "a")))
    assert items(lib, arms(lib, prerequisites=1)["skilldag-style"], 3) == (
        "a",
        "x",
        "b",
    )


NEEDED = {"task": ("a", "e"), "t2": ("a", "d"), "t3": ("a", "d"), "t4": ("b", "f")}


def test_co_usage_never_learns_from_the_task_itself_and_the_ceiling_does():
    lib = library("abcdef", [])
    made = arms(lib, PeerData(needed={"task": ("a", "e"), "t2": ("b", "f")}), shared=1)
    # Other tasks tell of b and f; only the task itself tells of a and e.
    assert items(lib, made["co-usage"], 3) == ("a", "b", "f")
    assert items(lib, made["co-usage"], 2) == ("a", "b")
    assert items(lib, made["ceiling:co-usage"], 2) == ("a", "e")


def test_most_used_neighbours_come_first_and_results_fill_what_is_left():
    lib = library("abcdef", [])
    made = arms(lib, PeerData(needed=NEEDED), shared=2)
    assert items(lib, made["co-usage"], 4) == ("a", "b", "d", "f")
    assert items(lib, made["co-usage"], 6) == ("a", "b", "c", "d", "f", "e")


def test_the_label_space_control_takes_the_next_results_that_any_other_task_needs():
    lib = library("abcdef", [])
    made = arms(lib, PeerData(needed=NEEDED), shared=2)
    assert items(lib, made["co-usage label-space"], 3) == ("a", "b", "d")
    own = arms(lib, PeerData(needed={"task": ("a", "e")}), shared=2)
    assert items(lib, own["co-usage label-space"], 3) == ("a", "b", "c")


def test_without_ground_truth_there_is_no_co_usage():
    made = arms(library("abc", []))
    assert not any("co-usage" in name for name in made)


@pytest.mark.parametrize(
    "name", sorted(arms(library("abcdef", edges(("f", "a"))), PeerData(needed=NEEDED)))
)
def test_every_arm_keeps_to_its_budget_and_passes_a_failed_ranking_on(name):
    lib = library("abcdef", edges(("f", "a")))
    arm = arms(lib, PeerData(needed=NEEDED))[name]
    for budget in (1, 2, 5):
        found = items(lib, arm, budget)
        assert 1 <= len(found) <= budget
        assert len(set(found)) == len(found)
    nothing = query(lib, {})
    nothing = replace(
        nothing, ranking=replace(nothing.ranking, state="failed", reason="r")
    )
    if not name.startswith("skilltrace"):
        made = arm(lib, nothing, 3)
        assert (made.items, made.state, made.reason) == ((), "failed", "r")


def test_a_permuted_graph_keeps_its_structure_and_other_names():
    ids = [f"s{n}" for n in range(30)]
    real = edges(*((ids[n], ids[n + 1]) for n in range(20)))
    names = shuffled_names(ids, np.random.default_rng(1))
    assert sorted(names) == sorted(names.values()) == sorted(ids)
    other = permuted(real, names)
    assert {(e.producer, e.consumer) for e in other} != {
        (e.producer, e.consumer) for e in real
    }
    one, two = (
        nx.DiGraph([(e.producer, e.consumer) for e in some]) for some in (real, other)
    )
    assert nx.is_isomorphic(one, two)


def test_random_edges_are_as_many_and_different_each_seed_but_the_same_for_one():
    ids = [f"s{n}" for n in range(12)]
    real = edges(*((ids[n], ids[n + 1]) for n in range(10)), weight=0.7)
    drawn = random_edges(real, ids, np.random.default_rng(4))
    pairs = [(e.producer, e.consumer) for e in drawn]
    assert len(set(pairs)) == len(real)
    assert all(a != b for a, b in pairs)
    assert {e.weight for e in drawn} == {0.7}
    assert drawn == random_edges(real, ids, np.random.default_rng(4))
    assert drawn != random_edges(real, ids, np.random.default_rng(5))
    assert len(random_edges(real, ids[:2], np.random.default_rng(0))) == 2
    assert random_edges(real, ids[:1], np.random.default_rng(0)) == []


def test_all_dependencies_of_a_graph_are_read_back():
    real = edges(("a", "b"), ("b", "c"))
    assert dependencies_of(library("abc", real).graph) == real
