"""Instructions evolved by reflection, with a Pareto front over tasks (GEPA)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.evolve.reflective.adapter import Adapter, Notes, Task

#: The instruction that all others descend from.
FIRST = "Answer from the records alone, as briefly as you can."


@dataclass(frozen=True, slots=True)
class Candidate:
    """An instruction and its score on each task of the Pareto set."""

    notes: Notes
    scores: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean score, in six decimals."""
        return round(sum(self.scores) / len(self.scores), 6) if self.scores else 0.0


def wins(pool: Sequence[Candidate]) -> list[int]:
    """On how many tasks each candidate is among the best.

    A candidate that another equals or beats on every task has none, so that the front
    holds no dominated one; of equals the first stays.
    """
    scores = np.array([candidate.scores for candidate in pool])
    kept = [
        not any(_dominates(scores, other, one) for other in range(len(pool)))
        for one in range(len(pool))
    ]
    front = np.array(kept)
    best = scores[front].max(axis=0)
    counts = (scores == best).sum(axis=1)
    return [int(n) if kept[place] else 0 for place, n in enumerate(counts)]


def _dominates(scores: np.ndarray, one: int, other: int) -> bool:
    """Whether one candidate makes another superfluous."""
    if one == other or (scores[one] < scores[other]).any():
        return False
    return bool((scores[one] > scores[other]).any()) or one < other


@dataclass(frozen=True, slots=True)
class ReflectivePrompts:
    """Mutates instructions by reflection, keeping those that are best somewhere.

    A parent is drawn in proportion to the tasks it is best on. Its child is tried on
    the same few tasks; only one that does better there is run on the whole Pareto set.

    Attributes
    ----------
    few : int
        Tasks that a reflection sees.
    pareto : int
        Tasks of the Pareto set, taken from the front; the rest feed reflections.
    """

    few: int = 3
    pareto: int = 10
    name: str = "rival:reflective-prompts"

    def learn(
        self, tasks: Sequence[Task], adapter: Adapter, rng: np.random.Generator
    ) -> Notes:
        """The candidate with the highest mean on the Pareto set; ties to the first."""
        held, rest = list(tasks[: self.pareto]), list(tasks[self.pareto :])
        first = Notes(FIRST)
        if not rest or adapter.left < len(held):
            return first
        pool = [Candidate(first, self._scores(held, first, adapter))]
        # Parent and child on a few tasks, a reflection, and then the Pareto set.
        while adapter.left >= 2 * self.few + 1 + len(held):
            child = self._child(pool, rest, adapter, rng)
            if child is not None:
                pool.append(Candidate(child, self._scores(held, child, adapter)))
        best = max(candidate.mean for candidate in pool)
        return next(one.notes for one in pool if one.mean == best)

    def _child(
        self,
        pool: Sequence[Candidate],
        rest: Sequence[Task],
        adapter: Adapter,
        rng: np.random.Generator,
    ) -> Notes | None:
        """An instruction that beats its parent on a few tasks; None if it does not."""
        counts = np.array(wins(pool), dtype=float)
        parent = pool[int(rng.choice(len(pool), p=counts / counts.sum()))].notes
        places = rng.permutation(len(rest))[: self.few]
        few = [rest[int(place)] for place in places]
        before = adapter.attempt(few, parent)
        reply = adapter.reflect(
            "rewrite_instruction",
            f"call {adapter.calls}",
            instruction=parent.text,
            attempts=[attempt.told() for attempt in before],
        )
        if reply is None:
            return None
        child = Notes(reply.instruction)
        after = adapter.attempt(few, child)
        gained = sum(a.score for a in after) > sum(a.score for a in before)
        return child if gained else None

    @staticmethod
    def _scores(
        tasks: Sequence[Task], notes: Notes, adapter: Adapter
    ) -> tuple[float, ...]:
        return tuple(attempt.score for attempt in adapter.attempt(tasks, notes))
