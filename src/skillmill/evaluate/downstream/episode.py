"""One episode: an agent acts in a world until it succeeds, breaks or runs out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from skillmill.models.usage import Usage

EpisodeState = Literal["success", "failure", "error"]

#: The most steps of an episode (SkillTrace, appendix).
MOST_STEPS = 30


@dataclass(frozen=True, slots=True)
class Sight:
    """What an agent perceives: text, what it may do now, and whether it is done."""

    text: str
    commands: tuple[str, ...] = ()
    is_won: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what came of it."""

    command: str
    seen: str


@dataclass(frozen=True, slots=True)
class Move:
    """What an agent decides: a command ('' if it said none), at what cost.

    `fault` is the code of a broken infrastructure; '' if there is none. `is_recorded`
    tells that nothing was asked for it, so that its time means nothing.
    """

    command: str
    usage: Usage = Usage()  # noqa: RUF009 frozen
    fault: str = ""
    is_recorded: bool = False


@dataclass(frozen=True, slots=True)
class Episode:
    """How an episode went, with what it cost.

    `is_recorded` tells that some of its moves were: its time means nothing.
    """

    state: EpisodeState
    reason: str
    steps: tuple[Step, ...]
    usage: Usage
    is_recorded: bool = False


class World(Protocol):
    """A household to act in."""

    def start(self) -> Sight:
        """Begin anew."""
        ...

    def act(self, command: str) -> Sight:
        """Do something; what is not possible changes nothing and says so."""
        ...


class Agent(Protocol):
    """What decides."""

    def decide(self, first: Sight, past: Sequence[Step], now: Sight) -> Move:
        """Choose a command, from the first sight, what was done, and the last sight."""
        ...


def play(world: World, agent: Agent, most_steps: int = MOST_STEPS) -> Episode:
    """Play one episode.

    A command that the world does not take, and none at all, is a step like any other.

    Returns
    -------
    Episode
        `failure` with the reason `out-of-steps`, or `error` with the agent's fault: an
        episode that the infrastructure broke is incomplete, not failed.

    Raises
    ------
    ValueError
        If no step is allowed.
    """
    if most_steps < 1:
        raise ValueError(f"expected at least one step, got {most_steps}")
    first = now = world.start()
    past: list[Step] = []
    usage, is_recorded = Usage(), False

    def ended(state: EpisodeState, reason: str) -> Episode:
        return Episode(state, reason, tuple(past), usage, is_recorded)

    while not now.is_won:
        if len(past) == most_steps:
            return ended("failure", "out-of-steps")
        move = agent.decide(first, past, now)
        usage += move.usage
        is_recorded = is_recorded or move.is_recorded
        if move.fault:
            return ended("error", move.fault)
        now = world.act(move.command)
        past.append(Step(move.command, now.text))
    return ended("success", "")
