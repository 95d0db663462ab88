"""Games of ALFWorld, found and left out."""

import json

import pytest

from skillmill.data.alfworldgames import DOMAINS, find_games
from skillmill.errors import InputError
from tests.conftest import REPOSITORY

OWN = REPOSITORY / "data" / "alfworld" / "games"
PARAMS = {"object_target": "Mug", "parent_target": "Shelf", "toggle_target": "DeskLamp"}


def game(root, name, kind="pick_and_place_simple", params=PARAMS, **published):
    folder = root / name
    folder.mkdir(parents=True)
    about = {"task_type": kind, "pddl_params": params}
    (folder / "traj_data.json").write_text(json.dumps(about))
    if published:
        (folder / "game.tw-pddl").write_text(json.dumps(published))
    else:
        (folder / "initial_state.pddl").write_text("(define)")
    return folder


def test_the_shipped_households_have_one_of_each_type():
    games, report = find_games(OWN)
    assert (report.found, report.failed) == (6, 0)
    assert {g.task_type for g in games} == set(DOMAINS)
    assert {g.id: g.goal for g in games}[
        "kitchen-potato"
    ] == "put a hot potato in diningtable"


@pytest.mark.parametrize(
    ("kind", "goal"),
    [
        ("pick_and_place_simple", "put a mug in shelf"),
        ("look_at_obj_in_light", "look at mug under the desklamp"),
        ("pick_two_obj_and_place", "put two mug in shelf"),
    ],
)
def test_a_household_is_told_its_goal_by_its_type(tmp_path, kind, goal):
    game(tmp_path, "a/b", kind)
    [found], _ = find_games(tmp_path)
    assert (found.id, found.goal, found.rules) == ("a/b", goal, "")


def test_a_published_game_brings_goal_and_rules(tmp_path):
    game(
        tmp_path, "trial_1", pddl_problem="P", pddl_domain="D", solvable=True,
        grammar='{"rhs": "Your task is to: heat some egg and put it in fridge."}',
    )  # fmt: skip
    [found], _ = find_games(tmp_path)
    assert found.goal == "heat some egg and put it in fridge"
    assert (found.problem, found.rules, found.domain) == ("P", "D", "Pick & Place")


def test_what_alfworld_does_not_play_is_left_out_and_what_is_broken_fails(tmp_path):
    game(tmp_path, "good")
    game(tmp_path, "pick_movable-1")
    game(tmp_path, "AppleSliced")
    game(tmp_path, "other", "pick_and_dance")
    whole = {"pddl_problem": "", "pddl_domain": ""}
    game(tmp_path, "dead", solvable=False, grammar="", **whole)
    game(tmp_path, "mute", grammar="no task", **whole)
    game(tmp_path, "lame", params={})
    (game(tmp_path, "torn") / "traj_data.json").write_text("{")
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "traj_data.json").write_text("{}")
    games, report = find_games(tmp_path)
    assert [g.id for g in games] == ["good"]
    assert (report.found, report.loaded, report.failed) == (8, 5, 3)
    left = {p.record for p in report.problems if p.code == "left-out"}
    assert left == {"pick_movable-1", "AppleSliced", "other", "dead"}


def test_a_folder_without_games_is_refused_with_the_way_to_some(tmp_path):
    with pytest.raises(InputError, match="alfworld-download"):
        find_games(tmp_path)
