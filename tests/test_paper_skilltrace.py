"""The paper's settings of SkillTrace load, and hold the paper's numbers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillmill.config import check_config
from skillmill.data.alfworldgames import Game
from skillmill.errors import ConfigError, InputError
from skillmill.evaluate.downstream.counting import stratum_of
from skillmill.evaluate.downstream.strata import check_strata
from skillmill.evaluate.peer_arms import PeerSettings
from skillmill.interfaces import household_plan
from skillmill.interfaces.configured import read_config
from skillmill.interfaces.downstream import counted_of
from skillmill.library.dependencies import DependencySettings
from skillmill.library.querytree import TreeSettings
from skillmill.library.tracing import TraceSettings
from skillmill.types import Trial
from tests.conftest import REPOSITORY

PAPER = REPOSITORY / "configs" / "paper" / "skilltrace.yaml"


def paper(*more: Path) -> object:
    return read_config([Path(PAPER), *more])


def trial(state, attempt):
    return Trial("alfworld", "t", "trace", "m", attempt, state)


def test_the_papers_numbers_are_in_the_configuration():
    config = paper()
    trace = config.library.trace
    assert (trace.dependencies.candidates, trace.dependencies.threshold) == (8, 0.6)
    assert (trace.restart, trace.max_steps, trace.tolerance) == (0.2, 50, 1e-6)
    assert (trace.mode, trace.weights, trace.budget) == ("paper", "cosine", 6)
    assert config.encoder.name == "endpoint:text-embedding-3-large"
    assert config.encoder.dimension == 3072
    assert config.models.is_asked("decompose")
    assert config.models.is_asked("io_schema")


def test_settings_of_the_configuration_are_those_that_the_code_takes():
    for config in (paper(), read_config()):
        trace = config.library.trace
        own = trace.model_dump(exclude={"tree", "dependencies", "arms"})
        assert TraceSettings(**own).budget == trace.budget
        DependencySettings(**trace.dependencies.model_dump(exclude={"soft"}))
        TreeSettings(**trace.tree.model_dump())


def test_the_defaults_of_the_code_are_those_of_the_configuration():
    trace = read_config().library.trace
    own = trace.model_dump(exclude={"tree", "dependencies", "arms"})
    assert TraceSettings(**own) == TraceSettings()
    dependencies = trace.dependencies.model_dump(exclude={"soft"})
    assert DependencySettings(**dependencies) == DependencySettings()
    assert TreeSettings(**trace.tree.model_dump()) == TreeSettings()


def test_the_arms_take_seeds_and_caps_of_the_benchmark():
    """GoS starts at 4 and returns 5 on SkillsBench, 5 and 4 on ALFWorld."""
    arms = paper().library.trace.arms
    assert (arms.peers.seeds, arms.budgets) == (4, [5, 6])
    home = paper(REPOSITORY / "configs" / "alfworld.yaml").library.trace
    assert (home.arms.peers.seeds, home.arms.budgets, home.budget) == (5, [4, 6], 6)
    weights = PeerSettings(**arms.peers.model_dump()).relation_weights
    assert weights == {
        "dependency": 1.0, "workflow": 0.5, "semantic": 0.2, "alternative": 0.1
    }  # fmt: skip


def test_an_episode_is_played_as_the_configuration_says(tmp_path):
    section = paper().downstream
    rules = section.alfworld.model_copy(update={"strata": None, "steps": 7, "seed": 3})
    mine = section.model_copy(update={"alfworld": rules, "retries": 2})
    asked = household_plan.Asked(
        "m", None, None, None, 99, None, None, None, tell_commands=False, limit=None
    )
    game = Game("g", "pick_and_place_simple", "d", "goal", "")
    plan, _ = household_plan.plan_of([game], asked, mine)
    assert (plan.most_steps, plan.seed, plan.most_attempts) == (7, 3, 3)
    assert plan.randomise is False
    with pytest.raises(InputError, match=r"expected 140 .*73 medium.*got 1 "):
        household_plan.plan_of([game], asked, section)


def test_one_retry_counts_and_an_invalid_trial_is_an_error():
    section = paper().downstream
    rules = section.alfworld.model_copy(update={"strata": None})
    section = section.model_copy(update={"alfworld": rules})
    trials = [trial("error", 1), trial("error", 2), trial("success", 3)]
    assert counted_of(trials, section)[0].trial.state == "error"
    more = section.model_copy(update={"retries": 2})
    assert counted_of(trials, more)[0].trial.state == "success"
    softer = section.model_copy(update={"invalid": "failure"})
    row = counted_of(trials, softer)[0].trial
    assert (row.state, row.reward) == ("failure", 0.0)


def test_the_split_of_a_benchmark_is_checked_by_its_strata():
    section = paper().downstream
    split = section.split()
    core = ["core"] * 6 + ["extended"] * 53 + ["extreme"] * 28
    check_strata(core, split["strata"], "tasks", split["key"])
    with pytest.raises(InputError, match=r"expected 87 .*got 87 \(7 core"):
        check_strata(["core", *core[:-1]], split["strata"], "tasks", split["key"])
    with pytest.raises(
        InputError, match=r"set downstream\.skillsbench\.strata to null"
    ):
        check_strata([], split["strata"], "tasks", split["key"])
    assert split["names"]["hard"] == "extreme"
    games = [1] * 43 + [2] * 73 + [3] * 24
    alfworld = section.alfworld.strata
    check_strata(map(stratum_of, games), alfworld, "games", "key")
    check_strata([""] * 140, alfworld, "games", "key")
    with pytest.raises(InputError, match="got 140"):
        check_strata(map(stratum_of, [3, *games[1:]]), alfworld, "games", "key")


@pytest.mark.parametrize(
    "wrong", [{"attempts": 2}, {"invalid": "success"}, {"benchmark": "other"}]
)
def test_a_protocol_that_is_none_is_refused(wrong):
    with pytest.raises(ConfigError, match=f"downstream.{next(iter(wrong))}"):
        check_config({"downstream": wrong})


@pytest.mark.workflow
@pytest.mark.slow
def test_the_overlay_dry_runs_without_models_or_keys(tmp_path):
    folder = tmp_path / "data" / "skillsbench"
    (folder / "skills" / "one").mkdir(parents=True)
    (folder / "skills" / "one" / "SKILL.md").write_text("---\nname: one\n---\n")
    for name in ("tasks.jsonl", "not_redistributed.json"):
        (folder / name).write_text("[]")
    done = subprocess.run(
        [
            sys.executable, "-m", "snakemake", "-s", str(REPOSITORY / "Snakefile"),
            "--workflow-profile", str(REPOSITORY / "profiles" / "default"),
            "-n", "-d", str(tmp_path), "--configfile", str(PAPER), "--", "library",
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "SKILLMILL_DATA": str(tmp_path / "data")},
        cwd=tmp_path,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    planned = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    assert {"tasks", "trees", "slots", "traces", "trace_scores"} <= planned
