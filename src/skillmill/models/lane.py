"""One model at one endpoint, as all its questions share it.

What it can do, since when it must be left alone, and whether it is worth asking.
"""

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from skillmill.models.answer import Fault
from skillmill.models.chat import Replies
from skillmill.models.endpoint import Address, Sender
from skillmill.models.ladder import RUNGS, Rung, Shape
from skillmill.models.retry import Pause
from skillmill.models.usage import Usage

_log = logging.getLogger(__name__)

#: After so many questions in a row without any reply, the endpoint counts as down.
FAILURES_IN_A_ROW = 8
#: Questions that were refused on every rung before rungs are no longer tried.
_MOST_FRUITLESS = 2
#: A prompt is suspect if the server counts fewer than this share of our estimate ...
_SUSPECT_SHARE = 0.6
#: ... unless it is short, where the estimate is too rough.
_LEAST_ESTIMATE = 1000
#: Stands for all schemas without a rung of their own.
_ALL = "*"


class Lane:
    """Shared state of a model at an endpoint; changed in the event loop alone.

    The first question that is taken settles the rung for all. A schema that is refused
    later, by a server that took others, has a rung of its own.

    Attributes
    ----------
    notes : list of str
        What a reader of the results must know, each once.
    refusals : list of str
        Those on parameters that are not sent as they are configured. They are
        remembered, so recorded replies come with them, too.
    """

    def __init__(
        self,
        model: str,
        address: Address,
        pause: Pause,
        replies: Replies,
        new_sender: Callable[[], Sender],
    ) -> None:
        self.model = model
        self.address = address
        self.pause = pause
        self.notes: list[str] = []
        self.refusals: list[str] = []
        self._replies = replies
        self._new_sender = new_sender
        self._remembered = dict(replies.abilities(address.url, model))
        self._rungs = _rungs_from(self._remembered)
        self._changes = _changes_from(self._remembered)
        self._gate = asyncio.Lock()
        self._accepted: set[str] = set()
        self._proven: set[Rung] = set()
        self._doubtful: set[str] = set()
        self._fruitless = 0
        self._failures = 0
        self._first_failure = ""
        for parameter, new_name in self._changes.items():
            self._note_change(parameter, new_name)

    @functools.cached_property
    def sender(self) -> Sender:
        """What sends, made when it is first needed: only then must there be a key."""
        return self._new_sender()

    @property
    def name(self) -> str:
        """Model and endpoint, for messages."""
        return f"model {self.model!r} at {self.address.url}"

    @property
    def down(self) -> str:
        """Why it is no use to ask any more; '' while it is."""
        if self._failures < FAILURES_IN_A_ROW:
            return ""
        return f"{self.name} was given up; the first cause: {self._first_failure}"

    def shape(self, schema: str) -> Shape:
        """How to put a question that wants a reply of a schema: the best known way."""
        rung = self._rungs.get(schema) or self._rungs.get(_ALL) or RUNGS[0]
        return Shape(rung, self._changes)

    def may_probe(self, schema: str) -> bool:
        """Whether a refusal may mean that the rung is too high."""
        return schema not in self._accepted and self._fruitless < _MOST_FRUITLESS

    @asynccontextmanager
    async def entrance(self, schema: str) -> AsyncIterator[None]:
        """Let questions in: one at a time until the first was taken, then all."""
        if schema not in self._accepted:
            async with self._gate:
                if schema not in self._accepted:
                    yield
                    return
        yield

    def accept(self, schema: str, shape: Shape, *, doubtful: bool) -> None:
        """Adopt a shape that the endpoint took; `doubtful` if luck may have helped."""
        changes = {
            name: new
            for name, new in shape.changes.items()
            if self._changes.get(name) != new
        }
        for name, new in changes.items():
            self._note_change(name, new)
        if changes:
            self._changes |= changes
            self._remember({f"change:{name}": new for name, new in changes.items()})
        if schema not in self._accepted and shape.rung != self.shape(schema).rung:
            scope = schema if self._accepted else _ALL
            self._rungs[scope] = shape.rung
            if doubtful:
                self._doubtful.add(scope)
        self._accepted.add(schema)
        self._failures, self._first_failure = 0, ""

    def refuse(self) -> None:
        """Count a question that was refused on every rung."""
        self._fruitless += 1

    def prove(self, rung: Rung) -> None:
        """Note that a reply on a rung was JSON; remember the rungs that were found."""
        if rung not in self._proven and rung != RUNGS[0]:
            self._note(f"{self.name} is asked for JSON by {rung!r}, not by a schema")
        self._proven.add(rung)
        self._remember(
            {
                f"rung:{scope}": found
                for scope, found in self._rungs.items()
                if found == rung
                and scope not in self._doubtful
                and self._remembered.get(f"rung:{scope}") != found
            }
        )

    def doubt(self, rung: Rung) -> None:
        """Step down: the reply on a rung was no JSON, so the rung does nothing."""
        current = Shape(self._rungs.get(_ALL) or RUNGS[0])
        lower = current.lowered()
        if not self._proven and rung == current.rung and lower is not None:
            _log.info("%s ignores %r; stepping down", self.name, rung)
            self._rungs[_ALL] = lower.rung

    def fail(self, fault: Fault) -> None:
        """Count a question that got no reply, unless the question may be the cause."""
        if fault.reason == "refused":
            return
        self._first_failure = self._first_failure or fault.message
        # A wrong key or name stays wrong, whatever the record.
        hopeless = fault.status in (401, 404) and not self._accepted
        self._failures += FAILURES_IN_A_ROW if hopeless else 1
        if self.down:
            _log.warning("%s", self.down)

    def check_prompt(self, estimate: int, usage: Usage | None) -> None:
        """Warn, once, if the server seems to have read only a part of a prompt."""
        if usage is None or estimate < _LEAST_ESTIMATE:
            return
        if usage.prompt_tokens < _SUSPECT_SHARE * estimate:
            self._note(
                f"{self.name} may cut prompts: it counted {usage.prompt_tokens:,}"
                f" tokens where about {estimate:,} were sent; raise its context length"
                " (see docs/endpoints.md)",
                key="may cut prompts",
            )

    def _remember(self, abilities: Mapping[str, str]) -> None:
        if abilities:
            self._remembered |= abilities
            self._replies.remember(self.address.url, self.model, abilities)

    def _note_change(self, parameter: str, new_name: str) -> None:
        done = f"is sent as {new_name!r}" if new_name else "is not sent"
        told = f"{self.name} refuses {parameter!r}, which {done}"
        if parameter in ("seed", "temperature") and not new_name:
            told += "; replies may differ from call to call"
        self.refusals.append(told)
        self._note(told)

    def _note(self, text: str, key: str = "") -> None:
        if not any((key or text) in note for note in self.notes):
            self.notes.append(text)
            _log.warning("%s", text)


def _rungs_from(remembered: Mapping[str, str]) -> dict[str, Rung]:
    """The rungs that were remembered, by schema; what is unknown is left out."""
    return {
        name.removeprefix("rung:"): rung
        for name, value in remembered.items()
        for rung in RUNGS
        if name.startswith("rung:") and rung == value
    }


def _changes_from(remembered: Mapping[str, str]) -> dict[str, str]:
    """What parameters became, as remembered."""
    return {
        name.removeprefix("change:"): value
        for name, value in remembered.items()
        if name.startswith("change:")
    }
