"""What acts in a household: a language model, a script, or a planner that cheats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillmill.evaluate.downstream.episode import Move, Sight, Step
from skillmill.evaluate.downstream.household import Household
from skillmill.models.chat import Outcome
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_agent import ActionReply
from skillmill.models.usage import CHARACTERS_PER_TOKEN

ROLE = "agent"

#: Reasons that are the model's own: it had its say, and it was no command.
_ITS_OWN = frozenset(
    {
        "ambiguous",
        "broken-json",
        "content-filter",
        "invalid",
        "length",
        "no-content",
        "no-json",
        "only-reasoning",
        "refusal",
    }
)


@dataclass(frozen=True, slots=True)
class GivenSkill:
    """A skill as an agent reads it."""

    name: str
    text: str


def fit_skills(skills: Sequence[GivenSkill], tokens: int) -> list[GivenSkill]:
    """The skills, each cut to its equal share of so many tokens (four characters each).

    What the short ones leave goes to the long ones; a cut is marked.
    """
    room = tokens * CHARACTERS_PER_TOKEN
    cut: dict[int, GivenSkill] = {}
    by_length = sorted(range(len(skills)), key=lambda n: (len(skills[n].text), n))
    for left, number in zip(range(len(skills), 0, -1), by_length, strict=True):
        skill = skills[number]
        share = room // left
        text = skill.text
        if len(text) > share:
            text = f"{text[:share].rstrip()} [cut]"
        cut[number] = GivenSkill(skill.name, text)
        room -= min(len(skill.text), share)
    return [cut[number] for number in range(len(skills))]


class ModelAgent:
    """A language model, asked for each step; every reply is recorded.

    Parameters
    ----------
    client : ChatClient
        Knows the role `agent`.
    record : str
        What the replies are recorded under: game and method.
    skills : sequence of GivenSkill
    tells_commands : bool
        Whether the commands that work are shown at each step.
    sample : int
        Counts attempts at one game, where the model's temperature is not 0.
    """

    def __init__(
        self,
        client: ChatClient,
        record: str,
        skills: Sequence[GivenSkill],
        *,
        tells_commands: bool = False,
        sample: int = 0,
    ) -> None:
        self._client = client
        self._record = record
        self._skills = [{"name": s.name, "text": s.text} for s in skills]
        self._tells_commands = tells_commands
        self._sample = sample

    def decide(self, first: Sight, past: Sequence[Step], now: Sight) -> Move:
        """Ask the model."""
        outcome = self._client.ask(
            ROLE,
            render(ROLE, **self._values(first, past, now)),
            ActionReply,
            schema_name="action",
            stage="alfworld",
            record=f"{self._record}/{len(past)}",
            sample=self._sample,
            version=prompt_version(ROLE),
        )
        return move_of(outcome)

    def _values(
        self, first: Sight, past: Sequence[Step], now: Sight
    ) -> Mapping[str, Any]:
        return {
            "skills": self._skills,
            "first": first.text,
            "past": [{"action": s.command, "seen": s.seen} for s in past],
            "now": now.text,
            "commands": list(now.commands) if self._tells_commands else [],
        }


def move_of(outcome: Outcome[ActionReply]) -> Move:
    """The move of a reply; one that cannot be read is no command.

    A question that was not answered is a fault of the infrastructure.
    """
    if outcome.state == "ok" and outcome.value is not None:
        command = " ".join(outcome.value.action.split())
        return Move(command, outcome.usage, is_recorded=outcome.from_record)
    if outcome.reason in _ITS_OWN:
        return Move("", outcome.usage, is_recorded=outcome.from_record)
    return Move("", outcome.usage, fault=outcome.reason)


class ScriptedAgent:
    """Says its commands one after the other, then nothing."""

    def __init__(self, commands: Sequence[str]) -> None:
        self._commands = tuple(commands)

    def decide(self, first: Sight, past: Sequence[Step], now: Sight) -> Move:
        """Give the next command."""
        number = len(past)
        return Move(self._commands[number] if number < len(self._commands) else "")


class PlannerAgent:
    """A ceiling: follows a planner that sees the whole household and the goal."""

    def __init__(self, household: Household) -> None:
        self._household = household

    def decide(self, first: Sight, past: Sequence[Step], now: Sight) -> Move:
        """Give the planner's next command."""
        plan = self._household.plan
        return Move(plan[0] if plan else "")
