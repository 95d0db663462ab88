"""Rolling out candidates, and which of them a frontier keeps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.compute.frontier import cannot_enter, frontier, race_order
from skillmill.evolve.rollouts import Arena
from skillmill.evolve.table import DECIMALS, RewardTable
from skillmill.types import RetrievalSkill

#: A race looks whether it is lost after each such share of the questions.
RACE_PARTS = 16


@dataclass(frozen=True, eq=False)
class Rolled:
    """Rollouts of candidates on some questions.

    Attributes
    ----------
    table : RewardTable
        Skills that were there before, then candidates with all of their rollouts.
    partial : mapping
        Candidates that lost the race: content hash -> the rewards they had by then.
    rollouts : int
        (skill, question) pairs of all candidates.
    """

    table: RewardTable
    partial: Mapping[str, Sequence[float]]
    rollouts: int

    def rewards(self, skill: str) -> Sequence[float]:
        """What a candidate was rewarded with, all or up to the point where it lost."""
        if skill in self.partial:
            return self.partial[skill]
        found: list[float] = self.table.row(skill).tolist()
        return found


def roll_out(
    arena: Arena,
    known: RewardTable,
    candidates: Sequence[RetrievalSkill],
    *,
    racing: bool,
    floors: Mapping[str, float] | None = None,
) -> Rolled:
    """Roll out candidates on the questions of a table.

    Parameters
    ----------
    known : RewardTable
        The skills that candidates must hold their own against.
    racing : bool
        Whether a candidate that cannot enter the frontier any more is stopped.
    floors : mapping, optional
        Content hash -> mean reward; a candidate that may still reach it is not stopped.
    """
    complete: dict[str, list[float]] = {}
    partial: dict[str, list[float]] = {}
    rollouts = 0
    arena.look_up(candidates, known.queries)
    for skill in candidates:
        name = skill.content_hash
        if racing and len(known.skills):
            floor = (floors or {}).get(name, 2.0)
            rewards = _raced(arena, known, skill, floor)
        else:
            rewards = list(arena.rewards(skill, known.queries))
        held = [value for value in rewards if value is not None]
        rollouts += len(held)
        if len(held) == len(rewards):
            complete[name] = held
        else:
            partial[name] = held
    table = known.extended(list(complete), np.array(list(complete.values())))
    return Rolled(table, partial, rollouts)


def _raced(
    arena: Arena, known: RewardTable, skill: RetrievalSkill, floor: float
) -> list[float | None]:
    """Rewards of a candidate, None from where it had lost."""
    order = race_order(known.rewards)
    size = max(1, -(-len(order) // RACE_PARTS))
    rewards: list[float | None] = [None] * len(order)
    for start in range(0, len(order), size):
        if cannot_enter(known.rewards, rewards) and _highest_mean(rewards) < floor:
            break
        part = order[start : start + size]
        values = arena.rewards(skill, [known.queries[place] for place in part])
        for place, value in zip(part, values, strict=True):
            rewards[place] = value
    return rewards


def _highest_mean(rewards: Sequence[float | None]) -> float:
    """Mean with 1 for what is missing."""
    filled = [1.0 if value is None else value for value in rewards]
    return round(sum(filled) / len(filled), DECIMALS) if filled else 0.0


def on_frontier(table: RewardTable, *, keep_best: bool) -> tuple[str, ...]:
    """The skills of a table that Phi keeps, in its order."""
    kept = frontier(table.rewards, keep_best=keep_best)
    return tuple(table.skills[row] for row in kept)
