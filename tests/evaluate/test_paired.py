"""Arms against each other, misses and costs; worked by hand."""

import json

import numpy as np
import pytest

from skillmill.evaluate.echo import inflation_rows
from skillmill.evaluate.graph_arms import ArmSettings
from skillmill.evaluate.misses import Searched, cost_rows, miss_rows
from skillmill.evaluate.paired import (
    compare,
    entry_rows,
    found_by_arm,
    hits_of,
    planned_pairs,
)
from skillmill.store.graph import Candidate
from tests.evaluate.graphs import ranking, similar, task, typed
from tests.library.linker import skill

TASKS = [
    task("t1", "a", "direct"),
    task("t2", "b", "direct"),
    task("t3", "c", "indirect"),
    task("t4", "dz", "indirect"),
]
FOUND = found_by_arm(
    [
        ranking("hybrid", "t1", "abc"),
        ranking("hybrid", "t2", "abc"),
        ranking("hybrid", "t3", "abx"),
        ranking("hybrid", "t4", "", "failed", "time-out"),
        ranking("other", "t1", "xyz"),
        ranking("other", "t2", "xbz"),
        ranking("other", "t3", "xyc"),
        ranking("other", "t4", "d"),
    ]
)


def test_a_failed_or_missing_ranking_is_a_miss_that_counts_u32():
    assert hits_of(FOUND["hybrid"], TASKS, 3) == {
        "t1": True, "t2": True, "t3": False, "t4": False,
    }  # fmt: skip
    assert hits_of({}, TASKS, 3) == dict.fromkeys(["t1", "t2", "t3", "t4"], False)
    assert hits_of({}, [task("t", "")], 3) == {}


def test_two_arms_are_compared_task_by_task():
    rows = {
        r.category: r for r in compare(FOUND, TASKS, [("hybrid", "other", 3)], 0.95)
    }
    assert rows.keys() == {"all", "direct", "indirect"}
    whole = rows["all"]
    assert whole[3:8] == (3, 4, 1, 1, 2)
    assert (whole.difference, whole.p) == (-0.25, 1.0)
    assert whole.low < -0.25 < whole.high
    assert rows["direct"][4:8] == (2, 1, 1, 0)
    assert rows["indirect"].p == 0.5


def test_a_comparison_with_an_arm_that_is_not_there_is_left_out():
    assert compare(FOUND, TASKS, [("hybrid", "none", 3)], 0.95) == []
    assert compare(FOUND, [], [("hybrid", "other", 3)], 0.95) == []


def test_the_papers_comparisons_are_planned():
    pairs = planned_pairs(ArmSettings(entry="keyword"))
    assert ("keyword@1+both", "keyword@6", 6) in pairs
    assert ("keyword@1+typed", "keyword@1+similar", 6) in pairs
    assert ("boost:similar", "keyword", 5) in pairs
    assert ("keyword@1+similar", "keyword@1+random", 6) in pairs
    assert len(pairs) == len({*pairs})


def test_hits_are_split_by_whether_the_entry_was_right():
    rows = {
        (r.arm, r.entry): (r.n, r.hits, r.share)
        for r in entry_rows(FOUND, TASKS, ["hybrid", "other", "none"], "hybrid", 3)
    }
    assert rows == {
        ("hybrid", "right"): (1, 1, 1.0),
        ("hybrid", "wrong"): (3, 1, 0.333333),
        ("other", "right"): (1, 0, 0.0),
        ("other", "wrong"): (3, 3, 1.0),
    }
    none = entry_rows(FOUND, TASKS[:1], ["hybrid"], "hybrid", 3)[1]
    assert none[3:] == (0, 0, None, None, None)


def miss_table(**changes):
    searched = Searched(
        {"t1": "ab", "t2": "cd", "t3": "", "t4": "aq"},
        [task("t1", "a"), task("t2", "ex"), task("t3", "a"), task("t4", "aef")],
        budget=2,
        hops=3,
    )
    rows = miss_rows(
        searched,
        list("abcdefxq"),
        [typed("c requires b"), typed("b precedes e")],
        similar("df"),
        changes.get("candidates", []),
        np.random.default_rng(0),
        2,
    )
    table = {}
    for row in rows:
        table.setdefault((row.unit, row.layer, row.start), []).append(row.n)
    return table


def test_misses_are_counted_by_their_distance_from_the_results():
    table = miss_table()
    # missed: e, x of t2 from c (d); a of t3 from nothing; e, f of t4 from a (q)
    assert table["skill", "typed", "first"] == [4, 0, 1, 0]  # c - b - e
    assert table["skill", "similar", "all"] == [5, 0, 0, 0]
    assert table["skill", "both", "all"] == [4, 0, 1, 0]
    # t4 has a hit; t2 and t3 have none
    assert table["task", "typed", "first"] == [1, 0, 1, 0]
    assert table["task", "similar", "first"] == [2, 0, 0, 0]


def test_candidates_bound_what_a_choice_among_them_can_reach():
    table = miss_table(candidates=[Candidate("x", "d", "tool")])
    assert table["skill", "candidates", "all"] == [4, 1, 0, 0]


def test_random_pairs_are_a_control_with_means():
    table = miss_table()
    for unit, total in (("skill", 5), ("task", 2)):
        assert sum(table[unit, "random", "all"]) == pytest.approx(total)


def test_costs_count_the_characters_of_what_is_read():
    skills = [skill("a", "Sort."), skill("b", "Dry it.")]
    one, other = (
        len(json.dumps({"id": s.id, "name": s.name, "description": s.description}))
        for s in skills
    )
    brief = len(json.dumps({"id": "b", "name": "b"}))
    found = {
        "hybrid@2": {"t1": "ab", "t2": ""},
        "hybrid@1+both": {"t1": "ab", "t2": "a"},
    }
    rows = {r.regime: r for r in cost_rows(skills, found, ArmSettings(budget=2))}
    assert rows["load all"][1:4] == (2, 2.0, one + other)
    assert rows["search"][1:4] == (2, 1.0, (one + other) / 2)
    assert rows["graph"][1:4] == (2, 1.5, round((one + brief + one) / 2, 3))
    assert rows["load all"].tokens == (one + other) / 4
    assert [r.regime for r in cost_rows(skills, {}, ArmSettings())] == ["load all"]


ECHOING = [task("e1", "a", "echo"), task("e2", "b", "echo")]


def test_echo_is_the_difference_between_two_sets_of_tasks():
    found = {"hybrid": {"e1": "a", "e2": "b", **FOUND["hybrid"]}}
    (row,) = inflation_rows(found, [*TASKS, *ECHOING], [3], 0.95)
    assert row[:7] == ("hybrid", 3, 2, 1.0, 4, 0.5, 0.5)
    assert row.low < 0.5 < row.high


def test_without_echoing_tasks_there_is_nothing_to_compare():
    assert inflation_rows(FOUND, TASKS, [3], 0.95) == []
    found = {"hybrid": {"e1": "a"}}
    (row,) = inflation_rows(found, ECHOING, [1], 0.95)
    assert row[3:] == (0.5, 0, None, None, None, None)
