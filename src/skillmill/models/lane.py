"""One model at one endpoint, as all its questions share it.

What it can do, since when it must be left alone, and whether it is worth asking.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
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


class Lane:
    """Shared state of a model at an endpoint; changed in the event loop alone.

    Attributes
    ----------
    shape : Shape
        How questions are put: the best way that is known to work.
    notes : list of str
        What a reader of the results must know, each once.
    """

    def __init__(
        self, model: str, address: Address, pause: Pause, replies: Replies
    ) -> None:
        self.model = model
        self.address = address
        self.pause = pause
        self.sender: Sender | None = None
        self.notes: list[str] = []
        self.fruitless = 0
        self._replies = replies
        self._remembered = replies.abilities(address.url, model)
        self.shape = _shape_from(self._remembered)
        self._gate = asyncio.Lock()
        self._accepted = False
        self._proven: Rung | None = None
        self._is_doubtful = False
        self._failures = 0
        self._first_failure = ""
        for parameter, new_name in self.shape.changes.items():
            self._note_change(parameter, new_name)

    @property
    def name(self) -> str:
        """Model and endpoint, for messages."""
        return f"model {self.model!r} at {self.address.url}"

    @property
    def may_probe(self) -> bool:
        """Whether a refusal may mean that the rung is too high."""
        return not self._accepted and self.fruitless < _MOST_FRUITLESS

    @property
    def down(self) -> str:
        """Why it is no use to ask any more; '' while it is."""
        if self._failures < FAILURES_IN_A_ROW:
            return ""
        return f"{self.name} was given up; the first cause: {self._first_failure}"

    @asynccontextmanager
    async def entrance(self) -> AsyncIterator[None]:
        """Let questions in: one at a time until the first was taken, then all."""
        if not self._accepted:
            async with self._gate:
                if not self._accepted:
                    yield
                    return
        yield

    def accept(self, shape: Shape, *, doubtful: bool) -> None:
        """Adopt a shape that the endpoint took; `doubtful` if luck may have helped."""
        changes = {
            name: new
            for name, new in shape.changes.items()
            if self.shape.changes.get(name) != new
        }
        for name, new in changes.items():
            self._note_change(name, new)
        if changes:
            named = {f"change:{name}": new for name, new in changes.items()}
            self._replies.remember(self.address.url, self.model, named)
        if not self._accepted:
            self._is_doubtful = doubtful
            self.shape = shape
        else:
            # Others may have gone further down meanwhile.
            self.shape = Shape(self.shape.rung, {**self.shape.changes, **changes})
        self._accepted = True
        self._failures = 0

    def prove(self, rung: Rung) -> None:
        """Note that the reply on a rung was JSON, and remember the rung."""
        if self._proven is not None or rung != self.shape.rung:
            return
        self._proven = rung
        if rung != "json_schema":
            self._note(f"{self.name} is asked for JSON by {rung!r}, not by a schema")
        if self._remembered.get("rung") != rung and not self._is_doubtful:
            self._replies.remember(self.address.url, self.model, {"rung": rung})

    def doubt(self, rung: Rung) -> None:
        """Step down: the reply on a rung was no JSON, so the rung does nothing."""
        lower = self.shape.lowered()
        if self._proven is None and rung == self.shape.rung and lower is not None:
            _log.info("%s ignores %r; stepping down", self.name, rung)
            self.shape = lower

    def fail(self, fault: Fault) -> None:
        """Count a question that got no reply at all."""
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
                f"{self.name} may cut prompts: it counted {usage.prompt_tokens:,} tokens"
                f" where about {estimate:,} were sent; raise its context length (see"
                " docs/endpoints.md)",
                key="may cut prompts",
            )

    def _note_change(self, parameter: str, new_name: str) -> None:
        done = f"is sent as {new_name!r}" if new_name else "is not sent"
        lost = "; replies may differ from call to call"
        self._note(
            f"{self.name} refuses {parameter!r}, which {done}"
            + (lost if parameter in ("seed", "temperature") and not new_name else "")
        )

    def _note(self, text: str, key: str = "") -> None:
        if not any((key or text) in note for note in self.notes):
            self.notes.append(text)
            _log.warning("%s", text)


def _shape_from(remembered: Mapping[str, str]) -> Shape:
    """The shape that was remembered, or the best."""
    changes = {
        name.removeprefix("change:"): value
        for name, value in remembered.items()
        if name.startswith("change:")
    }
    rung = next((rung for rung in RUNGS if rung == remembered.get("rung")), RUNGS[0])
    return Shape(rung, changes)
