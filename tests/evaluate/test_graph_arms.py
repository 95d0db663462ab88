"""Arms that use the graph, at the budget of plain search."""

import pytest

from skillmill.evaluate.graph_arms import (
    LAYERS,
    ArmSettings,
    neighbours_of,
    rank_with_graph,
)
from skillmill.library.cousage import CoUsage, LearningSettings
from tests.evaluate.graphs import ranking, similar, typed

IDS = list("abcdefgh")
TYPED = [
    typed("a complements f"),
    typed("d requires a"),
    typed("a feeds_into c", "rule"),
    typed("a feeds_into b"),
    typed("c complements g"),
]
NEAR = similar("ae", "ha", "ac")


def arms(entry, typed_=TYPED, near=NEAR, usage=None, **settings):
    made = rank_with_graph(
        [entry],
        IDS,
        typed_,
        near,
        ArmSettings(**{"budget": 4, "more": 5, **settings}),
        usage,
        LearningSettings(support=1, direction=0.6),
    )
    return {one.arm: one for one in made}


def items(found):
    return {name: "".join(one.items) for name, one in found.items()}


def test_typed_neighbours_come_by_priority_then_trust_then_id():
    assert neighbours_of("typed", TYPED, NEAR)["a"] == ["d", "c", "b", "f"]


def test_similar_neighbours_come_by_cosine_and_typed_ones_before_them():
    assert neighbours_of("similar", TYPED, NEAR)["a"] == ["e", "h", "c"]
    assert neighbours_of("both", TYPED, NEAR)["a"] == ["d", "c", "b", "f", "e", "h"]


def test_both_ends_know_each_other():
    assert neighbours_of("typed", TYPED, NEAR)["d"] == ["a"]


def test_every_arm_is_made_at_its_budget():
    found = items(arms(ranking("hybrid", "q", "abcdefg")))
    assert found["hybrid@1"] == "a"
    assert found["hybrid@4"] == "abcd"
    assert found["hybrid@5"] == "abcde"
    assert found["hybrid@1+typed"] == "adcb"
    assert found["hybrid@1+similar"] == "aehc"
    assert found["hybrid@1+both"] == "adcb"
    assert found["graph:typed"] == "acbd"  # a has 4 neighbours, c has 2, then by id
    assert len(found["hybrid@1+random"]) == 4
    assert found["hybrid@1+random"][0] == "a"
    assert {*found} == {
        "hybrid@1", "hybrid@4", "hybrid@5", "hybrid@1+random",
        *(f"{kind}{layer}" for layer in LAYERS
          for kind in ("hybrid@1+", "boost:", "graph:")),
    }  # fmt: skip


def test_farther_neighbours_fill_what_the_nearest_leave():
    found = items(arms(ranking("hybrid", "q", "bcd"), hops=3))
    assert found["hybrid@1+typed"] == "badc"
    near = items(arms(ranking("hybrid", "q", "bcd"), hops=1))
    assert near["hybrid@1+typed"] == "ba"


def test_the_random_control_depends_on_query_and_seed_alone():
    one = items(arms(ranking("hybrid", "q", "abc")))["hybrid@1+random"]
    assert (
        one == items(arms(ranking("hybrid", "q", "acb"), typed_=[]))["hybrid@1+random"]
    )
    others = {
        items(arms(ranking("hybrid", query, "abc"), seed=seed))["hybrid@1+random"]
        for query in ("q", "r", "s")
        for seed in range(3)
    }
    assert len(others) > 3


def test_activation_lifts_the_neighbours_of_good_results():
    found = arms(ranking("hybrid", "q", "abg"), boost=0.8, spread_hops=1, decay=1.0)
    typed_ = dict(zip(found["boost:typed"].items, found["boost:typed"].scores,
                      strict=True))  # fmt: skip
    # a: 4 neighbours, c: 2, others 1; a = 1, b = 1/2, g = 1/3
    assert typed_["a"] == pytest.approx(1 + 0.8 * (0.5 / 2), abs=1e-6)
    assert typed_["d"] == pytest.approx(0.8 / 2, abs=1e-6)
    assert typed_["c"] == pytest.approx(0.8 * (1 / 8**0.5 + (1 / 3) / 2**0.5), abs=1e-6)
    assert len(found["boost:typed"].items) == 4
    assert [*found["boost:typed"].scores] == sorted(
        found["boost:typed"].scores, reverse=True
    )


def test_without_edges_activation_changes_nothing():
    entry = ranking("hybrid", "q", "cabde")
    found = arms(entry, typed_=[], near=[])
    assert found["boost:both"].items == entry.items
    assert items(found)["graph:both"] == ""
    assert found["graph:both"].state == "empty"


def test_what_ten_skills_require_does_not_stand_above_the_two_that_were_hit_u58():
    auth = [typed(f"{name} requires z") for name in "abcdefghij"]
    (found,) = [
        one
        for one in rank_with_graph(
            [ranking("hybrid", "q", "ab")],
            list("abcdefghijz"),
            auth,
            [],
            ArmSettings(budget=6),
        )
        if one.arm == "boost:typed"
    ]
    assert found.items[:2] == ("a", "b")
    assert "z" in found.items[2:]


@pytest.mark.parametrize(
    ("state", "expected"), [("failed", "failed"), ("empty", "empty")]
)
def test_a_failed_entry_is_a_failed_arm_and_an_empty_one_an_empty_u32(state, expected):
    found = arms(ranking("hybrid", "q", "", state, "no endpoint"))
    for name in (
        "hybrid@1",
        "hybrid@4",
        "hybrid@1+both",
        "hybrid@1+random",
        "boost:both",
    ):
        assert (found[name].state, found[name].reason) == (expected, "no endpoint")
    assert found["graph:typed"].state == "ok"


def test_a_query_is_ranked_without_what_its_own_calls_taught():
    learned = [typed("a precedes h", "learned"), typed("a precedes b", "learned")]
    usage = CoUsage({"q": ("a", "h"), "r": ("a", "b"), "s": ("a", "b")})
    found = arms(ranking("hybrid", "q", "ac"), learned, [], usage)
    assert items(found)["hybrid@1+typed"] == "ab"
    other = arms(ranking("hybrid", "r", "ac"), learned, [], usage)
    assert items(other)["hybrid@1+typed"] == "abh"


def test_with_a_log_the_results_that_occur_in_it_are_a_control():
    usage = CoUsage({"t": ("c", "b")})
    found = items(arms(ranking("hybrid", "q", "abcd"), usage=usage))
    assert found["hybrid@4 logged"] == "bc"


def test_scores_fall_with_the_rank():
    found = arms(ranking("hybrid", "q", "abcdefg"))
    for one in found.values():
        assert list(one.scores) == sorted(one.scores, reverse=True)
        assert len(one.scores) == len(one.items)
