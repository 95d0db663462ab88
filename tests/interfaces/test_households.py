"""ALFWorld's rules, played: scripted, by a planner, and by a scripted endpoint."""

import json

import pytest
from click.testing import CliRunner

from skillmill.config import check_config
from skillmill.data.alfworldgames import Game, find_games
from skillmill.errors import ConfigError, InputError
from skillmill.evaluate.downstream.episode import play
from skillmill.evaluate.downstream.household import Household, _names, is_installed
from skillmill.evaluate.downstream.household_agents import (
    GivenSkill,
    PlannerAgent,
    ScriptedAgent,
)
from skillmill.interfaces import household_plan, households
from skillmill.interfaces.cli import main
from skillmill.store.trials import load_trials
from tests.conftest import REPOSITORY
from tests.models.endpoint import URL, Script, refuses, says

OWN = REPOSITORY / "data" / "alfworld"
GAMES = {game.id: game for game in find_games(OWN / "games")[0]}
#: A way through one household, written by hand.
WAY = (
    "go to drawer 1",
    "open drawer 1",
    "take potato 1 from drawer 1",
    "go to microwave 1",
    "heat potato 1 with microwave 1",
    "go to diningtable 1",
    "move potato 1 to diningtable 1",
)
plays = pytest.mark.skipif(
    not is_installed(),
    reason="TextWorld and ALFWorld are not installed: make test-alfworld",
)


def asked(**more):
    given = {
        "method": "hand", "library": OWN / "skills", "predictions": None, "budget": 6,
        "skill_tokens": 500, "leaves": None, "steps": 30, "seed": 42,
        "tell_commands": False, "limit": None,
    }  # fmt: skip
    return household_plan.Asked(**(given | more))


def config(**more):
    model = {"model": "tiny", "base_url": URL, "price_in": 1.0, "price_out": 2.0}
    section = {"mode": "live", "roles": {"agent": model | more}}
    return check_config({"models": section})


def acts(*commands):
    return [says(json.dumps({"thought": "t", "action": c})) for c in commands]


@plays
@pytest.mark.parametrize("name", sorted(GAMES))
def test_the_planner_solves_each_household_within_the_cap(name):
    household = Household(GAMES[name], with_plan=True)
    done = play(household, PlannerAgent(household))
    assert done.state == "success"
    assert len(done.steps) <= 8


@plays
def test_a_whole_episode_by_a_scripted_agent():
    household = Household(GAMES["kitchen-potato"])
    first = household.start()
    assert "Your task is to: put a hot potato in diningtable." in first.text
    assert "go to fridge 1" in first.commands
    done = play(household, ScriptedAgent(WAY))
    assert done.state == "success"
    assert [step.command for step in done.steps] == list(WAY)
    assert "potato 1" in done.steps[1].seen


@plays
def test_the_rules_hold_a_cold_potato_is_no_hot_one_and_hands_hold_one_thing():
    household = Household(GAMES["kitchen-potato"])
    cold = [step for step in WAY if not step.startswith("heat")]
    done = play(household, ScriptedAgent(cold), 12)
    assert (done.state, len(done.steps)) == ("failure", 12)
    both = [*WAY[:3], "go to fridge 1", "open fridge 1", "take egg 1 from fridge 1"]
    assert play(household, ScriptedAgent(both), 6).steps[-1].seen == "Nothing happens."


@plays
def test_the_same_household_looks_the_same_every_time():
    seen = {
        play(Household(GAMES["living-book"], 42), ScriptedAgent(["look"]), 2)
        for _ in range(2)
    }
    assert len(seen) == 1


@plays
@pytest.mark.parametrize(
    "problem",
    [
        "",
        "(define (problem x) (:domain alfred)",
        GAMES["kitchen-potato"].problem.replace("isHot", "isGlad"),
        GAMES["kitchen-potato"].problem.replace("(heatable Potato_bar_1)", ""),
    ],
)
def test_a_problem_that_cannot_be_played_is_named(problem):
    broken = Game("torn", "pick_and_place_simple", "Pick & Place", "g", problem)
    with pytest.raises(InputError, match="game 'torn': expected a household"):
        Household(broken).start()


def test_domain_randomisation_numbers_things_of_a_kind_by_the_seed():
    ids = [f"mug_bar_{n}" for n in range(9)]
    plain, one, two = _names(ids), _names(ids, 1), _names(ids, 2)
    assert sorted(plain.values()) == sorted(one.values()) == sorted(two.values())
    assert len({str(names) for names in (plain, one, two)}) == 3
    assert one == _names(ids, 1)


def test_names_are_numbered_as_alfworld_does():
    ids = ["agent1", "mug_bar_b", "mug_bar_a", "sink_bar_x_bar_sinkbasin"]
    assert _names(ids) == {
        "agent1": "agent1",
        "mug_bar_a": "mug 2",
        "mug_bar_b": "mug 1",
        "sink_bar_x_bar_sinkbasin": "sinkbasin 1",
    }


@plays
def test_a_model_plays_and_its_trial_has_steps_tokens_and_success(tmp_path):
    script = Script(*acts(*WAY))
    plan, _ = household_plan.plan_of([GAMES["kitchen-potato"]], asked())
    done = households.play_with_model(plan, config(), "s", tmp_path, script.client())
    [trial] = load_trials(tmp_path, "s")
    assert done.trials == (trial,)
    assert (trial.state, trial.steps, trial.attempt) == ("success", 7, 1)
    assert (trial.prompt_tokens, trial.completion_tokens) == (140, 35)
    assert trial.usd == pytest.approx((140 * 1.0 + 35 * 2.0) / 1e6)
    assert (trial.domain, trial.method, trial.backbone) == (
        "Heat & Place",
        "hand",
        "tiny",
    )
    assert trial.seconds > 0
    last = script.asked[-1]["messages"][-1]["content"]
    assert "heat {object} with {microwave}" in last  # the skill
    assert "heat potato 1 with microwave 1" in last  # what was done
    again = households.play_with_model(plan, config(), "s", tmp_path, script.client())
    assert (again.trials, again.done_before) == ((), 1)


@plays
def test_recorded_replies_play_the_same_episode_without_a_time(tmp_path):
    plan, _ = household_plan.plan_of([GAMES["kitchen-potato"]], asked())
    households.play_with_model(
        plan, config(), "s", tmp_path, Script(*acts(*WAY)).client()
    )
    silent = Script(refuses(500, "must not be asked"))
    households.play_with_model(plan, config(), "t", tmp_path, silent.client())
    [first], [second] = load_trials(tmp_path, "s"), load_trials(tmp_path, "t")
    assert silent.asked == []
    assert (second.state, second.steps, second.seconds) == (first.state, 7, None)


@plays
def test_an_endpoint_that_breaks_is_tried_once_more_and_is_no_failure(tmp_path):
    script = Script(refuses(403, "no"))
    plan, _ = household_plan.plan_of([GAMES["kitchen-mug"]], asked())
    done = households.play_with_model(plan, config(), "s", tmp_path, script.client())
    assert [(t.attempt, t.state, t.reason) for t in done.trials] == [
        (1, "error", "forbidden"),
        (2, "error", "forbidden"),
    ]
    assert {t.reward for t in done.trials} == {None}
    again = households.play_with_model(plan, config(), "s", tmp_path, script.client())
    assert again.trials == ()


@plays
def test_a_game_that_cannot_be_played_is_an_error_that_is_not_tried_again(tmp_path):
    broken = Game("torn", "pick_and_place_simple", "Pick & Place", "g", "(define")
    plan, _ = household_plan.plan_of([broken], asked())
    for _ in range(2):
        households.play_with_planner(plan, "s", tmp_path)
    [trial] = load_trials(tmp_path, "s")
    assert (trial.state, trial.reason, trial.attempt) == ("error", "broken-game", 1)


@plays
def test_the_command_plays_the_ceiling_and_shows_strata(tmp_path):
    leaves = tmp_path / "leaves.json"
    leaves.write_text(json.dumps(dict.fromkeys(GAMES, 2) | {"kitchen-mug": 1}))
    own = ["--study", "home", "--records", str(tmp_path / "records")]
    run = CliRunner().invoke
    done = run(
        main,
        ["downstream", "alfworld", str(OWN / "games"), "--planner", "--leaves",
         str(leaves), *own],
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "6 attempts: 6 successes, 0 failures, 0 errors" in done.stderr
    shown = run(main, ["downstream", "show", "--table", "strata", "--json", *own])
    rows = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [(r["method"], r["part"], r["tasks"], r["success"]) for r in rows] == [
        ("ceiling:planner", "easy", 1, 1),
        ("ceiling:planner", "medium", 5, 5),
    ]


def test_goals_are_written_as_tasks():
    done = CliRunner().invoke(
        main, ["downstream", "alfworld-tasks", str(OWN / "games")]
    )
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0] == {
        "id": "bath-cloth",
        "text": "put a clean cloth in countertop",
        "categories": ["Clean & Place"],
    }


def test_leaves_are_counted_as_the_configuration_takes_goals_apart():
    two = Game(
        "two", "pick_two_obj_and_place", "d", "Convert the scans and sort them.", ""
    )
    none = Game("none", "pick_and_place_simple", "d", " ", "")
    counts, failed = household_plan.count_leaves([two, two, none], check_config({}))
    assert counts == {"two": 2}
    assert list(failed) == ["none"]
    done = CliRunner().invoke(
        main, ["downstream", "alfworld-leaves", str(OWN / "games")]
    )
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == dict.fromkeys(sorted(GAMES), 1)


def test_the_shipped_tasks_are_the_goals_of_the_shipped_games():
    rows = [
        json.loads(line)
        for line in (OWN / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert {r["id"]: r["text"] for r in rows} == {g.id: g.goal for g in GAMES.values()}
    known = {path.parent.name for path in (OWN / "skills").rglob("SKILL.md")}
    assert {skill for row in rows for skill in row["relevant"]} == known


def test_what_an_agent_reads_is_predicted_or_everything_or_nothing(tmp_path):
    games = [GAMES["kitchen-mug"], GAMES["kitchen-pan"]]
    bundle = tmp_path / "p.json"
    bundle.write_text('{"kitchen-mug": ["pick-and-place", "find-object"]}')
    given, without = household_plan.choose_skills(games, OWN / "skills", bundle, 1, 999)
    assert without == 1
    [skill] = given["kitchen-mug"]
    assert isinstance(skill, GivenSkill)
    assert (skill.name, given["kitchen-pan"]) == ("pick-and-place", [])
    every, _ = household_plan.choose_skills(games, OWN / "skills", None, 1, 999)
    assert len(every["kitchen-pan"]) == 7
    assert household_plan.choose_skills(games, None, None, 1, 9)[0]["kitchen-mug"] == []
    bundle.write_text('{"kitchen-mug": ["dance"]}')
    with pytest.raises(InputError, match="'dance' is not in the library"):
        household_plan.choose_skills(games, OWN / "skills", bundle, 1, 999)


@pytest.mark.parametrize("text", ['{"a": 0}', '{"a": "1"}', "[1]", '{"a": true}'])
def test_leaves_that_are_no_counts_are_refused(tmp_path, text):
    path = tmp_path / "leaves.json"
    path.write_text(text)
    with pytest.raises(InputError, match="number of leaves from 1"):
        household_plan.read_leaves(path)


def test_without_a_model_or_the_extra_the_way_out_is_named(tmp_path, monkeypatch):
    plan, _ = household_plan.plan_of([GAMES["kitchen-mug"]], asked())
    with pytest.raises(ConfigError, match=r"models\.roles\.agent"):
        households.play_with_model(plan, check_config({}), "s", tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'skillmill\[alfworld\]'"):
        Household(GAMES["kitchen-mug"])
