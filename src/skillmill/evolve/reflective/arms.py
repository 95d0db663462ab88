"""All reflective rivals on one study: each learns, then answers, within one budget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.compute.textscore import f1_bag
from skillmill.evaluate.differences import differences
from skillmill.evolve.reflective.adapter import (
    Adapter,
    Attempt,
    Client,
    Encode,
    Judge,
    Notes,
    Rival,
    Task,
)
from skillmill.evolve.reflective.cheatsheet import CheatSheet
from skillmill.evolve.reflective.instructions import ReflectivePrompts
from skillmill.evolve.reflective.memory_skills import MemorySkills, Sessions
from skillmill.evolve.reflective.reasoning import ReasoningItems
from skillmill.types import QueryScore

#: The same reader, nothing learnt.
PLAIN = "rival:no-guidance"
#: Roles that rivals ask, beside the judge.
ROLES = (
    "curate_sheet",
    "distil_reasoning",
    "guided_answer",
    "note_memory",
    "revise_memory_skills",
    "rewrite_instruction",
)


@dataclass(frozen=True, eq=False)
class Answered:
    """What an arm answered, and how many calls it learnt and answered with."""

    arm: str
    attempts: Sequence[Attempt]
    learning: int
    answering: int
    failures: Sequence[str]


def rivals_of(encode: Encode, sessions: Sessions) -> tuple[Rival, ...]:
    """Every rival, in the order of its name's publication."""
    return (
        CheatSheet(),
        ReasoningItems(encode),
        ReflectivePrompts(),
        MemorySkills(encode, sessions),
    )


def answered_by_all(
    rivals: Sequence[Rival],
    client: Client,
    judge: Judge,
    train: Sequence[Task],
    test: Sequence[Task],
    calls: int,
    rng: Callable[[str], np.random.Generator],
) -> list[Answered]:
    """The reader without guidance, then each rival.

    Parameters
    ----------
    judge : callable
        Its own calls do not count.
    calls : int
        That each rival may learn with; answering is free of it.
    rng : callable
        Randomness by the name of the rival.
    """
    plain = Adapter(client, judge, len(test))
    done = plain.attempt(test, Notes(""))
    found = [Answered(PLAIN, done, 0, plain.calls, plain.failures)]
    homes = list(dict.fromkeys(task.conversation for task in test))
    for rival in rivals:
        learning = Adapter(client, judge, calls)
        learned = rival.learn(train, learning, rng(rival.name))
        needless = len(test) + sum(
            len(own) for own in getattr(rival, "sessions", {}).values()
        )
        answering = Adapter(client, judge, needless)
        if isinstance(rival, MemorySkills):
            learned = rival.remember(learned, homes, answering)  # type: ignore[arg-type]
        done = answering.attempt(test, learned)
        failures = [*learning.failures, *answering.failures]
        found.append(
            Answered(rival.name, done, learning.calls, answering.calls, failures)
        )
    return found


def values_of(answered: Sequence[Answered]) -> list[QueryScore]:
    """Verdict and word overlap of every answer, and paired differences from plain."""
    values = [
        QueryScore(one.arm, attempt.task.id, metric, None, value)
        for one in answered
        for attempt in one.attempts
        for metric, value in (
            ("judge", attempt.score),
            ("f1_bag", f1_bag(attempt.answer, attempt.task.gold)),
        )
    ]
    pairs = [(one.arm, PLAIN) for one in answered if one.arm != PLAIN]
    return values + differences(values, pairs, {("judge", None)})
