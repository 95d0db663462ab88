import numpy as np
import pytest

from skillmill.evaluate.trace_arms import (
    LOAD_ALL,
    at_own_budget,
    needs_trees_or_slots,
    pairs_at,
    rank_with_traces,
    trace_arms,
)
from skillmill.types import QueryScore
from tests.library.planted import edges, library, query, settings

LEAVES = ["weigh", "label", "post"]
#: a wins two leaves; one to one, label goes to b and post to c.
COSINES = [[0.9, 0.2, 0.0, 0.0], [0.8, 0.7, 0.0, 0.0], [0.0, 0.0, 0.5, 0.1]]


@pytest.fixture
def ranked():
    lib = library("abcd", edges(("d", "a"), source="rule"))
    asked = query(lib, {"c": 0.9, "a": 0.8, "b": 0.1}, LEAVES, COSINES)
    arms = trace_arms(settings(weights="cosine"), supporting=1)
    found = rank_with_traces(lib, [asked], arms, [2, 3])
    return {one.arm: one for one in found}


def items(ranked, arm):
    return list(ranked[arm].items)


def test_every_arm_has_one_signature_and_keeps_its_budget(ranked):
    names = set(trace_arms(settings(), 1)) - {LOAD_ALL}
    assert set(ranked) == {f"{n}@{k}" for n in names for k in (2, 3)} | {LOAD_ALL}
    for name, ranking in ranked.items():
        assert ranking.state == "ok"
        if "bundle" not in name and name != LOAD_ALL:
            assert len(ranking.items) <= int(name[-1])


def test_the_paper_rule_spends_a_place_on_what_the_walk_finds(ranked):
    assert items(ranked, "skilltrace@3") == ["a", "b", "d"]
    assert items(ranked, "skilltrace-dependencies@3") == ["a", "b", "c"]


def test_without_matching_one_skill_may_serve_several_leaves(ranked):
    assert items(ranked, "skilltrace-argmax@3") == ["a", "c"]
    assert items(ranked, "skilltrace-matching@3") == ["a", "c", "d"]


def test_without_a_tree_the_whole_task_seeds_the_walk(ranked):
    assert items(ranked, "skilltrace-tree@3") == ["c", "a", "d"]
    assert items(ranked, "vector@3") == ["c", "a", "b"]
    assert items(ranked, "hybrid@2") == ["c", "a"]


def test_a_bundle_adds_guessed_prerequisites_only_where_they_are_trusted(ranked):
    assert items(ranked, "bundle@2") == ["c", "a"]
    assert items(ranked, "bundle+rule@2") == ["c", "a", "d"]
    assert items(ranked, "hybrid as many as skilltrace@3") == ["c", "a", "b"]
    # The control has as many results, of the entry ranker alone.
    assert items(ranked, "hybrid as many as bundle+rule@2") == ["c", "a", "b"]


def test_load_all_has_everything_and_is_left_out_of_a_large_library(ranked):
    assert items(ranked, LOAD_ALL) == ["a", "b", "c", "d"]
    large = library([f"s{n:04d}" for n in range(501)], [])
    asked = query(large, {"s0001": 1.0})
    found = rank_with_traces(large, [asked], trace_arms(settings(), 1), [2])
    assert LOAD_ALL not in {one.arm for one in found}


def test_a_failed_tree_fails_the_arms_that_need_one_and_no_other():
    lib = library("ab", [])
    asked = query(lib, {"a": 1.0}, state="failed")
    found = rank_with_traces(lib, [asked], trace_arms(settings(), 1), [2])
    failed = {one.arm for one in found if one.state == "failed"}
    assert failed == {
        "skilltrace@2",
        "skilltrace-matching@2",
        "skilltrace-dependencies@2",
        "skilltrace-argmax@2",
        "skilltrace+fill@2",
        "matched+fill@2",
        "hybrid as many as skilltrace@2",
    }


def test_an_arm_is_scored_at_its_own_budget_and_whole():
    values = [
        QueryScore(arm, "t", "recall", k, 0.5)
        for arm in ("x@5", "x@6", LOAD_ALL)
        for k in (5, 6, 50)
    ]
    kept = {(v.arm, v.k) for v in at_own_budget(values, [5, 6], 50)}
    assert kept == {
        ("x@5", 5), ("x@5", 50), ("x@6", 6), ("x@6", 50),
        (LOAD_ALL, 5), (LOAD_ALL, 6), (LOAD_ALL, 50),
    }  # fmt: skip
    assert ("skilltrace@5", "hybrid@5") in pairs_at([5])


def test_whole_scores_may_be_a_prior_of_the_matching():
    # By cosine alone leaf 1 takes a; the whole task's scores turn it to c.
    lib = library("abc", [])
    asked = query(lib, {"c": 0.6}, ["x"], np.array([[0.5, 0.0, 0.4]]))
    with_prior = rank_with_traces(
        lib, [asked], trace_arms(settings(weights="both"), 0), [1]
    )
    alone = rank_with_traces(
        lib, [asked], trace_arms(settings(weights="cosine"), 0), [1]
    )
    first = {one.arm: one.items for one in with_prior}["skilltrace@1"]
    second = {one.arm: one.items for one in alone}["skilltrace@1"]
    assert (first, second) == (("c",), ("a",))


@pytest.mark.parametrize(
    ("arm", "rests"),
    [
        ("hybrid@6", False),
        ("vector@8 - hybrid@8", False),
        ("ceiling:co-usage@5", False),
        ("co-usage permuted@5", False),
        ("hybrid as many as bundle+rule@6", True),
        ("skilltrace@6 - hybrid@6", True),
        ("bundle@6", True),
    ],
)
def test_only_arms_that_read_trees_or_slots_can_be_heuristic(arm, rests):
    assert needs_trees_or_slots(arm) == rests
