"""What jobs note of the language models that they asked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from skillmill.interfaces.job import Counts
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.usage import Usage
from skillmill.store.usage import UsedTokens


class Asks(Protocol):
    """Whoever asks language models; `models.llm.ChatClient` is one."""

    def ask_many(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        """Ask questions; outcomes come in their order."""
        ...


@dataclass(frozen=True)
class Listener:
    """Asks through another, and remembers what came of it."""

    client: Asks
    outcomes: list[Outcome[Any]] = field(default_factory=list)

    def ask_many(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        """Ask questions; outcomes come in their order."""
        found = self.client.ask_many(requests)
        self.outcomes.extend(found)
        return found


def count_replies(counts: Counts, outcomes: Iterable[Outcome[Any]]) -> None:
    """Count what was asked now, and what had been recorded before."""
    for outcome in outcomes:
        if outcome.state == "skipped":
            continue
        counts.reused += outcome.from_record
        counts.computed += not outcome.from_record


def used_tokens(
    outcomes: Iterable[Outcome[Any]], models: Mapping[str, str]
) -> list[UsedTokens]:
    """Tokens of the replies, by role and stage; recorded replies count like new ones.

    Parameters
    ----------
    outcomes : iterable of Outcome
    models : mapping of str to str
        Role -> model.
    """
    groups: dict[tuple[str, str], list[Usage]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.usage.tokens:
            groups[outcome.role, outcome.stage].append(outcome.usage)
    return [
        _row(role, stage, models[role], usages)
        for (role, stage), usages in sorted(groups.items())
    ]


def _row(role: str, stage: str, model: str, usages: Sequence[Usage]) -> UsedTokens:
    total = sum(usages, Usage())
    guessed = sum(usage.estimated for usage in usages)
    return UsedTokens(
        role,
        stage,
        model,
        len(usages),
        guessed,
        total.prompt_tokens,
        total.completion_tokens,
    )
