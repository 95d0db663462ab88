"""Episodes: steps, ends and costs."""

import pytest

from skillmill.evaluate.downstream.episode import Episode, Move, Sight, Step, play
from skillmill.evaluate.downstream.household_agents import (
    GivenSkill,
    ScriptedAgent,
    fit_skills,
    move_of,
)
from skillmill.models.chat import Outcome
from skillmill.models.replies_agent import ActionReply
from skillmill.models.usage import Usage


class Door:
    """A world that is won by opening a door."""

    def start(self):
        return Sight("A door.", ("open door", "look"))

    def act(self, command):
        is_open = command == "open door"
        return Sight("It opens." if is_open else "Nothing happens.", (), is_open)


class Asked:
    """Gives its moves in order, and notes what it was shown."""

    def __init__(self, *moves):
        self.moves = list(moves)
        self.shown = []

    def decide(self, first, past, now):
        self.shown.append((first.text, [s.command for s in past], now.text))
        return self.moves[len(past)]


def test_an_episode_is_won_by_the_command_that_wins_it():
    done = play(Door(), ScriptedAgent(["look", "open door", "look"]))
    assert (done.state, done.reason) == ("success", "")
    assert done.steps == (
        Step("look", "Nothing happens."),
        Step("open door", "It opens."),
    )


def test_the_cap_counts_every_step_also_those_without_a_command():
    done = play(Door(), ScriptedAgent([]), 4)
    assert (done.state, done.reason, len(done.steps)) == ("failure", "out-of-steps", 4)
    at_the_cap = play(Door(), ScriptedAgent(["look", "open door"]), 2)
    assert at_the_cap.state == "success"


def test_a_fault_of_the_infrastructure_ends_in_an_error_with_what_was_spent():
    agent = Asked(Move("look", Usage(10, 2)), Move("", Usage(5, 0), fault="time-out"))
    done = play(Door(), agent)
    assert done == Episode(
        "error", "time-out", (Step("look", "Nothing happens."),), Usage(15, 2)
    )
    assert agent.shown == [
        ("A door.", [], "A door."),
        ("A door.", ["look"], "Nothing happens."),
    ]


def test_no_step_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one step"):
        play(Door(), ScriptedAgent([]), 0)


def outcome(state, value=None, reason="", recorded=False):
    return Outcome(
        state, value, reason, "", "agent", "alfworld", "r", Usage(3, 1), recorded
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            outcome("ok", ActionReply(action="  open   door\n"), recorded=True),
            Move("open door", Usage(3, 1), is_recorded=True),
        ),
        (outcome("failed", reason="broken-json"), Move("", Usage(3, 1))),
        (outcome("failed", reason="refusal"), Move("", Usage(3, 1))),
        (
            outcome("skipped", reason="endpoint-down"),
            Move("", Usage(3, 1), fault="endpoint-down"),
        ),
        (
            outcome("failed", reason="too-long"),
            Move("", Usage(3, 1), fault="too-long"),
        ),
    ],
)
def test_a_reply_that_is_none_is_the_models_and_no_reply_the_infrastructures(
    given, expected
):
    assert move_of(given) == expected


def test_skills_share_their_room_and_a_cut_is_marked():
    skills = [GivenSkill("a", "x" * 100), GivenSkill("b", "y" * 8), GivenSkill("c", "")]
    fitted = fit_skills(skills, 10)  # 40 characters: none for c, 8 for b, 32 for a
    assert [skill.text for skill in fitted] == ["x" * 32 + " [cut]", "y" * 8, ""]
    assert fit_skills(skills, 1000) == skills
    assert fit_skills([], 5) == []
