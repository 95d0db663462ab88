"""What is asked of a chat model, how, and what comes of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from skillmill.errors import ConfigError
from skillmill.models.usage import Usage

Model = TypeVar("Model", bound=BaseModel)

#: live: ask what is not recorded. replay: that is an error. off: ask nothing at all.
Mode = Literal["live", "replay", "off"]

#: Parts of a request that no setting may name.
_OURS = ("messages", "model", "n", "response_format", "stream", "tool_choice", "tools")


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """How one role asks its model.

    Attributes
    ----------
    model, base_url : str
        As the endpoint knows them; the URL ends before `/chat/completions`.
    key_variable : str or None
        Name of the environment variable with the key; None: the endpoint needs none.
    timeout_s : float
        For one HTTP request from its start to the last byte of the reply.
    max_tries : int
        The most HTTP requests for one question, not counting those by which the
        client learns what the endpoint can do.
    max_seconds : float
        The most time for one question, waits included.
    concurrency : int
        Questions of this role under way at once.
    temperature, max_tokens, seed : number or None
        None: not sent, so the endpoint decides.
    extra : mapping
        Further parameters, sent as they are.
    context_tokens : int or None
        What the model can read; longer questions fail without being sent.
    price_in, price_out : float or None
        For a million tokens of prompt and of reply, in any one currency.
    """

    model: str
    base_url: str = field(repr=False)
    key_variable: str | None = None
    timeout_s: float = 60.0
    max_tries: int = 6
    max_seconds: float = 300.0
    concurrency: int = 8
    temperature: float | None = 0.0
    max_tokens: int | None = 2048
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)
    context_tokens: int | None = None
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        for name in ("timeout_s", "max_tries", "max_seconds", "concurrency"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(
                    f"model {self.model!r}: expected a number above zero as {name}, got"
                    f" {value!r}; mend it in the configuration",
                    record=name,
                )
        taken = sorted(set(_OURS) & self.extra.keys())
        if taken:
            raise ConfigError(
                f"model {self.model!r}: the extra parameters name {', '.join(taken)},"
                " which the client sets itself; take them out",
                record=taken[0],
            )

    @property
    def is_priced(self) -> bool:
        """Whether money can be counted."""
        return self.price_in is not None and self.price_out is not None

    def parameters(self) -> dict[str, Any]:
        """The parameters to send beside the model and its messages."""
        own = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        return {k: v for k, v in own.items() if v is not None} | dict(self.extra)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Price of so many tokens; None where the role has no price."""
        if self.price_in is None or self.price_out is None:
            return None
        return (
            prompt_tokens * self.price_in + completion_tokens * self.price_out
        ) / 1e6


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question: what a role asks about a record, and the reply it wants.

    `messages` are mappings with `role` and `content`; `version` is the prompt's.
    `sample` counts replies to one and the same question, and has no meaning at
    temperature 0.
    """

    role: str
    messages: Sequence[Mapping[str, str]]
    reply_model: type[BaseModel]
    schema_name: str
    stage: str
    record: str
    sample: int = 0
    version: str = ""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Model]):
    """What came of a question.

    Attributes
    ----------
    state : str
        `ok`, `failed` (it was asked in vain) or `skipped` (it was not asked).
    value : Model or None
        The validated reply; None unless `ok`.
    reason, message : str
        A code (docs/endpoints.md lists them) and a sentence; empty if `ok`.
    role, stage, record : str
        As in the request.
    usage : Usage
        Tokens of the replies to this question, also of recorded ones.
    from_record : bool
        Whether nothing was sent for it.
    """

    state: Literal["ok", "failed", "skipped"]
    value: Model | None
    reason: str
    message: str
    role: str
    stage: str
    record: str
    usage: Usage = field(default_factory=Usage)
    from_record: bool = False


def unanswered(
    request: ChatRequest, state: Literal["failed", "skipped"], reason: str, message: str
) -> Outcome[Any]:
    """The outcome of a question that was not sent."""
    return Outcome(
        state, None, reason, message, request.role, request.stage, request.record
    )


class Replies(Protocol):
    """Where replies are kept; `store.replies.ReplyRecords` is one."""

    def known(self, keys: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Give the rows of keys, good ones first, then by age."""
        ...

    def add(self, row: Mapping[str, object]) -> None:
        """Keep one row, safe when this returns."""
        ...

    def abilities(self, endpoint: str, model: str) -> Mapping[str, str]:
        """Give what is remembered of a model at an endpoint."""
        ...

    def remember(self, endpoint: str, model: str, abilities: Mapping[str, str]) -> None:
        """Note what a model at an endpoint can do."""
        ...
