"""Which attempts count, and what they are worth."""

from dataclasses import replace

import pytest

from skillmill.errors import InputError
from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.downstream import tables
from skillmill.evaluate.downstream.counting import NO_TRIAL, counted, stratum_of
from skillmill.evaluate.downstream.success import success_scores
from skillmill.types import Trial


def trial(task, state="failure", method="trace", backbone="m", attempt=1, **more):
    return Trial("alfworld", task, method, backbone, attempt, state, **more)


def test_one_retry_after_an_infrastructure_error_counts():
    rows = counted([trial("t", "success", attempt=2), trial("t", "error")])
    assert [(r.trial.attempt, r.retried, r.ignored) for r in rows] == [(2, True, 0)]


def test_a_second_error_is_an_error_and_a_third_attempt_is_ignored():
    rows = counted(
        [trial("t", "error"), trial("t", "error", attempt=2),
         trial("t", "success", attempt=3)]
    )  # fmt: skip
    assert (rows[0].trial.state, rows[0].ignored) == ("error", 1)


def test_a_second_attempt_after_a_failure_never_counts():
    rows = counted([trial("t", "failure"), trial("t", "success", attempt=2)])
    assert (rows[0].trial.state, rows[0].ignored, rows[0].retried) == (
        "failure",
        1,
        False,
    )


def test_a_task_that_a_method_left_out_is_an_error_of_that_method():
    rows = counted([trial("a", "success"), trial("b"), trial("a", method="gos")])
    left = [row.trial for row in rows if row.trial.reason == NO_TRIAL]
    assert [(t.method, t.task, t.state) for t in left] == [("gos", "b", "error")]


@pytest.mark.parametrize(
    ("leaves", "stratum"), [(1, "easy"), (2, "medium"), (3, "hard"), (9, "hard")]
)
def test_strata_by_leaves_are_the_papers(leaves, stratum):
    assert stratum_of(leaves) == stratum
    rows = counted([trial("t", leaves=leaves), trial("t", method="gos")])
    assert {row.trial.stratum for row in rows} == {stratum}


def test_no_leaf_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one leaf"):
        stratum_of(0)


@pytest.mark.parametrize("fact", [{"leaves": 2}, {"stratum": "hard"}, {"domain": "x"}])
def test_a_task_in_two_strata_is_refused(fact):
    first = trial("t", leaves=1, stratum="easy", domain="heat")
    with pytest.raises(InputError, match=f"task 't': expected one {next(iter(fact))}"):
        counted([first, trial("t", method="gos", **fact)])


def test_two_benchmarks_are_not_pooled():
    other = replace(trial("t"), benchmark="skillsbench")
    with pytest.raises(InputError, match="alfworld and skillsbench cannot be pooled"):
        counted([trial("t"), other])
    assert counted([]) == []


EVERY = [
    trial("a", "success", reward=1.0, stratum="easy", seconds=10.0, steps=4,
          prompt_tokens=100, completion_tokens=10, usd=0.5),
    trial("b", "failure", reward=0.5, stratum="easy", seconds=30.0, steps=6),
    trial("c", "error", stratum="hard", reason="docker", seconds=5.0, usd=0.25),
    trial("c", "success", attempt=2, reward=1.0, stratum="hard", seconds=20.0),
    trial("d", "error", domain="heat", reason="docker"),
    trial("a", "failure", method="gos", reward=0.0, seconds=9.0),
]  # fmt: skip


def test_scores_count_errors_as_no_success_and_apart():
    table, _ = success_scores(counted(EVERY), "s", Resampling(50, 0.95, 0))
    rows = {(r.arm, r.category, r.metric): (r.value, r.n) for r in table}
    assert rows["trace@m", "all", "success"] == (0.5, 4)
    assert rows["trace@m", "all", "success_of_valid"] == (
        pytest.approx(2 / 3, abs=1e-6),
        3,
    )
    assert rows["trace@m", "all", "infrastructure"] == (0.25, 4)
    assert rows["trace@m", "all", "reward"] == (0.625, 4)
    assert rows["trace@m", "stratum:easy", "success"] == (0.5, 2)
    assert rows["trace@m", "domain:heat", "success"] == (0.0, 1)
    assert rows["gos@m", "all", "success"] == (0.0, 4)
    assert rows["gos@m", "all", "infrastructure"] == (0.75, 4)
    assert rows["gos@m - trace@m", "all", "success_difference"] == (-0.5, 4)


def test_a_trial_that_ended_without_reward_leaves_that_mean():
    table, _ = success_scores(
        counted([trial("a", "success")]), "s", Resampling(9, 0.95, 0)
    )
    rows = {r.metric: (r.value, r.n) for r in table}
    assert (rows["reward"], rows["success"]) == ((None, 0), (1.0, 1))


def test_the_success_table_counts_everything():
    gos, trace = tables.success_rows(counted(EVERY))
    assert (gos["tasks"], gos["success"], gos["errors"], gos["missing"]) == (4, 0, 3, 3)
    assert (trace["success"], trace["percent"], trace["errors"], trace["retried"]) == (
        2, 50.0, 1, 1
    )  # fmt: skip
    parts = tables.success_rows(counted(EVERY), lambda t: t.stratum)
    assert [(p["method"], p["part"], p["tasks"]) for p in parts][-3:] == [
        ("trace", "", 1), ("trace", "easy", 2), ("trace", "hard", 1)
    ]  # fmt: skip


def test_costs_are_means_of_what_ended_and_totals_of_all_that_was_paid():
    _, trace = tables.cost_rows(counted(EVERY), EVERY)
    assert (trace["attempts"], trace["all_usd"], trace["all_tokens"]) == (5, 0.75, 110)
    assert (trace["mean_seconds"], trace["n_seconds"]) == (20.0, 3)
    assert (trace["mean_steps"], trace["n_steps"]) == (5.0, 2)


def test_time_against_success_over_tasks_and_over_backbones():
    rows = counted(
        [
            trial(task, state, backbone=backbone, seconds=seconds)
            for backbone, seconds, states in (
                ("x", 10.0, ("success", "success")),
                ("y", 20.0, ("success", "failure")),
                ("z", 30.0, ("failure", "failure")),
            )
            for task, state in zip("ab", states, strict=True)
        ]
    )
    found = {
        (r["over"], r["backbone"]): (r["r"], r["n"]) for r in tables.time_rows(rows)
    }
    assert found["backbones", ""] == (-1.0, 3)
    assert found["tasks", "x"] == (None, 2)


def test_methods_by_backbones():
    rows = counted([*EVERY, trial("a", "success", backbone="k")])
    by_method = {r["method"]: r for r in tables.backbone_rows(rows)}
    assert by_method["trace"] == {
        "method": "trace", "k": 25.0, "n k": 4, "m": 50.0, "n m": 4
    }  # fmt: skip
    assert by_method["gos"] == {"method": "gos", "m": 0.0, "n m": 4}
