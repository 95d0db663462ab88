"""Tokens and money: counted per role and stage, estimated, and bounded."""

import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from skillmill.errors import LimitError

#: ASSUME: characters per token; English prose has 4 to 5, code and CJK text fewer.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of prompts and replies; `estimated` if the server did not report them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """What one role spent in one stage.

    `recorded` questions cost nothing, `calls` HTTP requests were sent for the others.
    `money` is None if a reply had no price. Tokens of `estimated` replies are a guess.
    """

    role: str
    stage: str
    questions: int = 0
    recorded: int = 0
    failed: int = 0
    calls: int = 0
    replies: int = 0
    estimated: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent; None: no limit.

    Attributes
    ----------
    calls : int or None
        HTTP requests, retries and probes included; never exceeded.
    tokens : int or None
    money : float or None
        Checked before each request is sent, so the replies to those already under
        way may go over it.
    before : Spent or None
        What counts as spent from the start, such as by earlier jobs of a run.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    before: Spent | None = None


def estimate_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """Guess the tokens of messages from their characters; rounded up."""
    characters = sum(len(message["content"]) for message in messages)
    return math.ceil(characters / CHARACTERS_PER_TOKEN)


class Ledger:
    """Counts what is spent; may be shared by threads."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._lock = threading.Lock()
        self._spent: dict[tuple[str, str], Spent] = {}

    def rows(self) -> list[Spent]:
        """What was spent so far, sorted by role and stage."""
        with self._lock:
            return [self._spent[key] for key in sorted(self._spent)]

    def total(self) -> Spent:
        """The sum over roles and stages; its money counts the priced replies alone."""
        return _sum(self.rows())

    def count_question(
        self, role: str, stage: str, *, recorded: bool, failed: bool
    ) -> None:
        """Count a question that has its outcome."""
        with self._lock:
            old = self._row(role, stage)
            self._spent[role, stage] = replace(
                old,
                questions=old.questions + 1,
                recorded=old.recorded + recorded,
                failed=old.failed + failed,
            )

    def count_call(self, role: str, stage: str) -> None:
        """Count a request that is about to be sent.

        Raises
        ------
        LimitError
            If the budget is spent; then it must not be sent.
        """
        with self._lock:
            self._check_budget()
            old = self._row(role, stage)
            self._spent[role, stage] = replace(old, calls=old.calls + 1)

    def count_reply(
        self, role: str, stage: str, usage: Usage, money: float | None
    ) -> None:
        """Count a reply that was paid for."""
        with self._lock:
            old = self._row(role, stage)
            unpriced = old.money is None or money is None
            self._spent[role, stage] = replace(
                old,
                replies=old.replies + 1,
                estimated=old.estimated + usage.estimated,
                prompt_tokens=old.prompt_tokens + usage.prompt_tokens,
                completion_tokens=old.completion_tokens + usage.completion_tokens,
                money=None if unpriced else (old.money or 0.0) + (money or 0.0),
            )

    def _row(self, role: str, stage: str) -> Spent:
        return self._spent.get((role, stage)) or Spent(role, stage)

    def _check_budget(self) -> None:
        before = (self._budget.before,) if self._budget.before else ()
        total = _sum([*before, *self._spent.values()])
        limits = {
            "calls": (total.calls, self._budget.calls),
            "tokens": (
                total.prompt_tokens + total.completion_tokens,
                self._budget.tokens,
            ),
            "money": (total.money or 0.0, self._budget.money),
        }
        for name, (spent, limit) in limits.items():
            if limit is not None and spent >= limit:
                raise LimitError(
                    f"the budget of {limit:,} {name} is spent: {describe(total)}; every"
                    " reply is recorded, so raise the budget and run again to go on"
                    " from here",
                    record=name,
                )


def describe(spent: Spent) -> str:
    """Say in a phrase what was spent."""
    money = f", {spent.money:.4f} in money" if spent.money else ""
    return (
        f"{spent.calls:,} calls, {spent.prompt_tokens:,} tokens of prompts and"
        f" {spent.completion_tokens:,} of replies{money}"
    )


def _sum(rows: Iterable[Spent]) -> Spent:
    total = Spent("all", "all")
    for row in rows:
        total = replace(
            total,
            questions=total.questions + row.questions,
            recorded=total.recorded + row.recorded,
            failed=total.failed + row.failed,
            calls=total.calls + row.calls,
            replies=total.replies + row.replies,
            estimated=total.estimated + row.estimated,
            prompt_tokens=total.prompt_tokens + row.prompt_tokens,
            completion_tokens=total.completion_tokens + row.completion_tokens,
            money=(total.money or 0.0) + (row.money or 0.0),
        )
    return total
