"""The one way in which all reflective rivals ask, are judged and are bounded.

A rival learns from attempts at training tasks and is left with something that helps on
others. It reaches models through `Adapter` alone, which counts every call, so that all
have one budget; evolution's rollouts can be given the same.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import prompt_version, render, reply_model

STAGE = "rivals"
#: Records that an attempt is given.
RECORDS = 10

_log = logging.getLogger(__name__)


class Client(Protocol):
    """Whoever asks language models; `models.llm.ChatClient` is one."""

    def ask_many(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        """Ask questions; outcomes come in their order."""
        ...


#: Question, right answer, answer given -> 1 if right, else 0.
Judge = Callable[[str, str, str], float]
#: Texts -> (n, d) unit vectors.
Encode = Callable[[Sequence[str]], npt.NDArray[np.floating]]


@dataclass(frozen=True, slots=True)
class Task:
    """A question with its right answer and what plain retrieval found for it.

    `evidence` are records as prompts show them, best first, with `id` and `text`.
    """

    id: str
    conversation: str
    question: str
    gold: str
    asked_on: str | None = None
    evidence: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer to a task and what it is worth; a failed one is worth 0."""

    task: Task
    answer: str
    score: float
    failure: str = ""

    def told(self) -> dict[str, object]:
        """The attempt as a reflection sees it."""
        return {
            "question": self.task.question,
            "records": list(self.task.evidence),
            "answer_given": self.answer or f"(none: {self.failure})",
            "right_answer": self.task.gold,
            "judged": "right" if self.score >= 1 else "wrong",
        }


class Learned(Protocol):
    """What a rival has learnt."""

    def guidance(self, task: Task) -> str:
        """What the reader is told beside the records."""
        ...

    def evidence(self, task: Task) -> tuple[Mapping[str, object], ...]:
        """The records that the reader is given."""
        ...


@dataclass(eq=False)
class Adapter:
    """Attempts and reflections, counted.

    Attributes
    ----------
    client : Client
    judge : callable
    budget : int
        The most calls while learning; attempts and reflections count alike.
    calls : int
        Made so far.
    failures : list of str
        Replies that could not be used, and why.
    """

    client: Client
    judge: Judge
    budget: int
    calls: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Calls that may still be made."""
        return max(0, self.budget - self.calls)

    def attempt(self, tasks: Sequence[Task], learned: Learned) -> list[Attempt]:
        """Answer tasks with what was learnt, as many as the budget allows."""
        taken = list(tasks)[: self.left]
        requests = [
            _request(
                "guided_answer",
                task.id,
                question=task.question,
                asked_on=task.asked_on or "",
                guidance=learned.guidance(task),
                evidence=list(learned.evidence(task)[:RECORDS]),
            )
            for task in taken
        ]
        outcomes = self._asked(requests)
        return [
            self._judged(task, outcome)
            for task, outcome in zip(taken, outcomes, strict=True)
        ]

    def reflect(self, role: str, record: str, **values: object) -> Any:  # noqa: ANN401 a reply of any role
        """The validated reply of a role; None if there is none or no call is left."""
        if not self.left:
            return None
        outcome = self._asked([_request(role, record, **values)])[0]
        if outcome.state != "ok":
            self.failures.append(f"{role}, {record}: {outcome.message}")
            _log.warning("%s", self.failures[-1])
        return outcome.value

    def _asked(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        self.calls += len(requests)
        return self.client.ask_many(requests) if requests else []

    def _judged(self, task: Task, outcome: Outcome[Any]) -> Attempt:
        if outcome.state != "ok" or outcome.value is None:
            self.failures.append(f"guided_answer, {task.id}: {outcome.message}")
            return Attempt(task, "", 0.0, outcome.message)
        answer = outcome.value.answer
        return Attempt(task, answer, self.judge(task.question, task.gold, answer))


class Rival(Protocol):
    """A way of learning from attempts."""

    @property
    def name(self) -> str:
        """Name of its arm."""
        ...

    def learn(
        self, tasks: Sequence[Task], adapter: Adapter, rng: np.random.Generator
    ) -> Learned:
        """Learn from tasks in the order given until they or the budget are spent."""
        ...


@dataclass(frozen=True, slots=True)
class Notes:
    """One text for every task, and the records that plain retrieval found."""

    text: str

    def guidance(self, task: Task) -> str:
        """The text, whatever the task."""
        return self.text

    def evidence(self, task: Task) -> tuple[Mapping[str, object], ...]:
        """The task's own."""
        return task.evidence


def batches(tasks: Sequence[Task], size: int) -> list[Sequence[Task]]:
    """Tasks cut into runs of one size, the last maybe shorter."""
    return [tasks[start : start + size] for start in range(0, len(tasks), size)]


def nearest(
    query: npt.NDArray[np.floating], rows: npt.NDArray[np.floating], k: int
) -> list[int]:
    """Rows most like a query by cosine of unit vectors, best first, ties by number."""
    cosines = np.round(rows @ query, 6)
    return [int(n) for n in np.argsort(-cosines, kind="stable")[:k]]


def _request(role: str, record: str, **values: object) -> ChatRequest:
    return ChatRequest(
        role=role,
        messages=render(role, **values),
        reply_model=reply_model(role),
        schema_name=role,
        stage=STAGE,
        record=record,
        version=prompt_version(role),
    )
