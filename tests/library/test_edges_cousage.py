"""A log of calls: what is read of it, what is refused, what is learned."""

import json

import pytest

from skillmill.errors import InputError
from skillmill.library.cousage import (
    Call,
    CoUsage,
    LearningSettings,
    load_calls,
    sequences,
)
from skillmill.library.declared import Names
from tests.library.linker import skill

NAMES = Names([skill(name) for name in "abcd"])


def call(task, step, name, outcome="ok", **more):
    row = {"version": 1, "task": task, "step": step, "skill": name, "outcome": outcome}
    return row | more


def load(tmp_path, *rows):
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(
        (row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows
    ))  # fmt: skip
    return load_calls(path, NAMES)


def test_calls_are_read_in_any_order(tmp_path):
    calls, report = load(
        tmp_path, call("t2", 1, "b"), call("t1", 2, "b"), call("t1", 1, "a", tool="x")
    )
    assert calls == [
        Call("t1", 1, "a", "ok"), Call("t1", 2, "b", "ok"), Call("t2", 1, "b", "ok"),
    ]  # fmt: skip
    assert (report.found, report.loaded) == (3, 3)


def test_every_problem_has_its_line(tmp_path):
    calls, report = load(
        tmp_path,
        call("t", 1, "a"),
        call("t", 1, "b"),
        call("t", 2, "a", version=2),
        {"version": 1, "task": "", "step": "3", "skill": 1.5, "outcome": "fine"},
        "no json",
        call("t", 4, "ghost"),
        call("t", True, "a"),
        call("t", -1, "a"),
    )
    assert calls == [Call("t", 1, "a", "ok")]
    assert (report.found, report.loaded, report.warned, report.failed) == (8, 1, 1, 6)
    assert [(p.line, p.code) for p in report.problems] == [
        (2, "repeated-step"), (3, "bad-call"), (4, "bad-call"), (5, "bad-row"),
        (6, "unknown-skill"), (7, "bad-call"), (8, "bad-call"),
    ]  # fmt: skip
    assert "`task` must be an id" in report.problems[2].message
    assert "`outcome` must be ok, failed or skipped" in report.problems[2].message


def test_a_log_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="JSON object"):
        load(tmp_path, "[]")


def test_only_what_worked_is_a_step_and_the_same_twice_is_one():
    calls = [
        Call("t", 1, "a", "ok"), Call("t", 2, "b", "failed"), Call("t", 3, "a", "ok"),
        Call("t", 9, "c", "ok"), Call("s", 1, "b", "skipped"),
    ]  # fmt: skip
    assert sequences(calls) == {"t": ("a", "c")}


LOG = CoUsage(
    {
        "t1": ("a", "b", "c"),
        "t2": ("a", "b"),
        "t3": ("b", "a", "b"),
        "t4": ("c", "d", "a"),
        "t5": ("d", "c"),
    }
)


def test_use_is_counted_once_a_task():
    assert LOG.together["a", "b"] == 3
    assert (LOG.next["a", "b"], LOG.next["b", "a"]) == (3, 1)
    assert LOG.neighbours()["a"] == [("b", 3.0), ("c", 2.0), ("d", 1.0)]
    assert LOG.skills() == set("abcd")


def test_what_mostly_follows_is_preceded_and_the_rest_complements():
    edges = LOG.edges(LearningSettings(support=2, direction=0.75))
    assert [(e.source, e.relation, e.target, e.weight) for e in edges] == [
        ("a", "precedes", "b", 0.75),
        # together in t1 and t4; used in t1, t2, t3, t4 and in t1, t4, t5
        ("a", "complements", "c", 0.4),
        ("c", "complements", "d", round(2 / 3, 6)),
    ]
    assert {e.provenance for e in edges} == {"learned"}


def test_a_direction_that_is_not_clear_enough_is_none():
    strict = LOG.edges(LearningSettings(support=2, direction=0.8))
    assert ("a", "precedes", "b") not in [
        (e.source, e.relation, e.target) for e in strict
    ]
    assert LOG.edges(LearningSettings(support=4)) == []


def test_one_task_can_be_left_out():
    without = LOG.without("t2")
    assert without.together["a", "b"] == 2
    assert LOG.without("none").together == LOG.together


def test_an_empty_log_says_nothing():
    assert CoUsage({}).edges(LearningSettings()) == []
    assert CoUsage({}).neighbours() == {}
