"""Lessons of single attempts, found by likeness of the question (ReasoningBank)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from skillmill.evolve.reflective.adapter import (
    Adapter,
    Encode,
    Task,
    nearest,
)


@dataclass(frozen=True, eq=False)
class Bank:
    """Lessons and the vectors by which they are found.

    Attributes
    ----------
    lessons : tuple of str
    vectors : (n, d) floats
        Of the question that each lesson was drawn from.
    encode : callable
    shown : int
        Lessons that the reader is told.
    """

    encode: Encode
    shown: int
    lessons: tuple[str, ...] = ()
    vectors: npt.NDArray[np.floating] = field(default_factory=lambda: np.zeros((0, 0)))

    def guidance(self, task: Task) -> str:
        """The lessons of the questions most like this one, best first."""
        if not self.lessons:
            return ""
        query = self.encode([task.question])[0]
        places = nearest(query, self.vectors, self.shown)
        return "\n".join(self.lessons[place] for place in places)

    def evidence(self, task: Task) -> tuple[Mapping[str, object], ...]:
        """The task's own."""
        return task.evidence

    def grown(self, question: str, lessons: Sequence[str]) -> "Bank":
        """The bank with the lessons of one more question."""
        if not lessons:
            return self
        rows = np.tile(self.encode([question]), (len(lessons), 1))
        both = np.concatenate([self.vectors, rows]) if self.lessons else rows
        return Bank(self.encode, self.shown, (*self.lessons, *lessons), both)


@dataclass(frozen=True, slots=True)
class ReasoningItems:
    """Attempts each task with the bank so far, then draws lessons from it.

    Successes and failures both teach.
    """

    encode: Encode
    shown: int = 3
    name: str = "rival:reasoning-items"

    def learn(
        self, tasks: Sequence[Task], adapter: Adapter, rng: np.random.Generator
    ) -> Bank:
        """The bank after all tasks that the budget allows."""
        bank = Bank(self.encode, self.shown)
        for task in tasks:
            if adapter.left < 2:
                break
            attempt = adapter.attempt([task], bank)[0]
            reply = adapter.reflect("distil_reasoning", task.id, attempt=attempt.told())
            items = reply.items if reply is not None else []
            lessons = [f"{i.title}: {i.description} {i.content}" for i in items]
            bank = bank.grown(task.question, lessons)
        return bank
