"""One client for every chat model: plain calls outside, many at once inside.

What is recorded is never asked again; what is asked is recorded as it comes.
"""

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from skillmill.errors import ConfigError, ModelError
from skillmill.models.asking import Asking
from skillmill.models.background import BackgroundLoop
from skillmill.models.chat import (
    ChatRequest,
    Mode,
    Model,
    Outcome,
    Replies,
    RoleSettings,
    unanswered,
)
from skillmill.models.endpoint import Address, Sender, read_address, read_secret
from skillmill.models.exchange import Tools
from skillmill.models.forecast import Forecast, forecast
from skillmill.models.lane import Lane
from skillmill.models.readjson import mend_text
from skillmill.models.recorded import Plan, recall
from skillmill.models.retry import Clock, Pause
from skillmill.models.usage import Budget, Ledger

if TYPE_CHECKING:
    import httpx2

_OFF = "no language model is used: the mode is off"

__all__ = ["ChatClient", "ChatRequest", "Outcome", "RoleSettings"]


class ChatClient:
    """Asks chat models on behalf of roles; may be shared by threads.

    Use it as a context manager.

    Parameters
    ----------
    roles : mapping of str to RoleSettings
        Who may ask, and how.
    replies : Replies
        Where replies are looked up and kept; the caller closes it.
    mode : str
        `live` asks what is not recorded, in `replay` that is an error, `off` asks
        nothing and looks nothing up.
    budget : Budget
        The most that this client may spend.
    http_client : httpx2.AsyncClient or None
        Used in place of an own one, and left open.
    rng : numpy.random.Generator
        Spreads the waits before retries.
    clock : Clock
        Tells the time and waits.
    begin : callable
        Called with a stage and the number of its questions as they are begun; what it
        gives is called as each of them ends.

    Attributes
    ----------
    ledger : Ledger
        What was asked and spent, by role and stage.

    Raises
    ------
    ConfigError
        If a base URL cannot be used, or the budget counts money and a role has no
        price.
    """

    def __init__(
        self,
        roles: Mapping[str, RoleSettings],
        replies: Replies,
        *,
        rng: np.random.Generator,
        mode: Mode = "live",
        budget: Budget = Budget(),  # noqa: B008 frozen
        http_client: "httpx2.AsyncClient | None" = None,
        clock: Clock = Clock(),  # noqa: B008 frozen
        begin: Callable[[str, int], Callable[[], None]] = lambda *_: lambda: None,
    ) -> None:
        self.mode = mode
        self.ledger = Ledger(budget)
        self._roles = dict(roles)
        self._replies = replies
        self._http_client = http_client
        self._clock = clock
        tools = Tools(replies, self.ledger, clock, rng)
        self._asking = Asking(
            {name: role.concurrency for name, role in roles.items()}, tools, begin
        )
        self._background = BackgroundLoop()
        self._lock = threading.Lock()
        self._lanes: dict[tuple[str, str, str | None], Lane] = {}
        self._pauses: dict[str, Pause] = {}
        for name, role in roles.items():
            read_address(role.base_url)
            if budget.money is not None and not role.is_priced:
                raise ConfigError(
                    f"role {name!r}: the budget counts money, and the role has no"
                    " price_in and price_out; set both (0 for a model of your own)",
                    record=name,
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def notes(self) -> list[str]:
        """What a reader of the log must know of the endpoints."""
        with self._lock:
            lanes = list(self._lanes.values())
        return sorted({note for lane in lanes for note in lane.notes})

    @property
    def refusals(self) -> list[str]:
        """Parameters that are not sent as configured, for the provenance."""
        with self._lock:
            lanes = list(self._lanes.values())
        return sorted({told for lane in lanes for told in lane.refusals})

    def ask(
        self,
        role: str,
        messages: Sequence[Mapping[str, str]],
        reply_model: type[Model],
        *,
        schema_name: str,
        stage: str,
        record: str,
        sample: int = 0,
        version: str = "",
    ) -> Outcome[Model]:
        """Ask one question; see `ask_many`."""
        request = ChatRequest(
            role, messages, reply_model, schema_name, stage, record, sample, version
        )
        return cast(Outcome[Model], self.ask_many([request])[0])

    def ask_many(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        """Ask questions, as many at once as their roles allow.

        Returns
        -------
        list of Outcome
            In the order of the requests. Equal questions are asked once.

        Raises
        ------
        ConfigError
            If a role is unknown, or the key to its endpoint is not set.
        ModelError
            In replay, if a reply is not recorded.
        LimitError
            If the budget is spent; what came before is recorded.
        StoreError
            If a reply cannot be recorded; then no more is asked.
        """
        if self.mode == "off":
            return [unanswered(r, "skipped", "off", _OFF) for r in requests]
        plans = [self._plan(request) for request in requests]
        recalled = recall(plans, self._replies)
        outcomes = [item.outcome for item in recalled]
        if self.mode == "replay":
            outcomes = [item.outcome or item.failure for item in recalled]
            _refuse_missing(plans, outcomes)
        groups: dict[tuple[str, int], list[int]] = {}
        for number, outcome in enumerate(outcomes):
            if outcome is None:
                plan = plans[number]
                group = plan.current_key(), plan.request.sample
                groups.setdefault(group, []).append(number)
        if groups:
            firsts = [plans[members[0]] for members in groups.values()]
            answers = self._asked(firsts)
            for members, answer in zip(groups.values(), answers, strict=True):
                for number in members:
                    outcomes[number] = _for_request(answer, plans[number].request)
        done = [outcome for outcome in outcomes if outcome is not None]
        self._count(done)
        return done

    def estimate(self, requests: Sequence[ChatRequest]) -> list[Forecast]:
        """Tell what `ask_many` would send and spend, by role and stage; send nothing.

        Raises
        ------
        ConfigError
            If a role is unknown.
        """
        if self.mode == "off":
            return []
        plans = [self._plan(request) for request in requests]
        known = [item.outcome is not None for item in recall(plans, self._replies)]
        return forecast(plans, known)

    def close(self) -> None:
        """Close the connections; what is under way must have ended."""
        with self._lock:
            senders = [
                lane.sender for lane in self._lanes.values() if "sender" in vars(lane)
            ]
        for sender in senders:
            self._background.run(sender.close())
        self._background.close()

    def _plan(self, request: ChatRequest) -> Plan:
        settings = self._roles.get(request.role)
        if settings is None:
            raise ConfigError(
                f"record {request.record!r}: role {request.role!r} has no model; known:"
                f" {', '.join(sorted(self._roles)) or 'none'}",
                record=request.role,
            )
        messages = [
            {"role": part["role"], "content": mend_text(part["content"])}
            for part in request.messages
        ]
        return Plan(request, settings, self._lane(request.role, settings), messages)

    def _lane(self, role: str, settings: RoleSettings) -> Lane:
        key = settings.base_url, settings.model, settings.key_variable
        with self._lock:
            if key not in self._lanes:
                address = read_address(settings.base_url)
                pause = self._pauses.setdefault(address.url, Pause(self._clock))
                new_sender = functools.partial(
                    _new_sender, address, settings.key_variable, role, self._http_client
                )
                self._lanes[key] = Lane(
                    settings.model, address, pause, self._replies, new_sender
                )
            return self._lanes[key]

    def _asked(self, plans: Sequence[Plan]) -> list[Outcome[Any]]:
        for plan in plans:
            # A missing key is told here, before anything is sent.
            plan.lane.sender  # noqa: B018
        return self._background.run(self._asking.ask_all(plans))

    def _count(self, outcomes: Sequence[Outcome[Any]]) -> None:
        for outcome in outcomes:
            self.ledger.count_question(
                outcome.role,
                outcome.stage,
                recorded=outcome.from_record,
                failed=outcome.state != "ok",
            )


def _new_sender(
    address: Address,
    key_variable: str | None,
    role: str,
    http_client: "httpx2.AsyncClient | None",
) -> Sender:
    return Sender(address, read_secret(address, key_variable, role), http_client)


def _refuse_missing(
    plans: Sequence[Plan], outcomes: Sequence[Outcome[Any] | None]
) -> None:
    """Refuse to replay what is not recorded."""
    missing = [
        plan.request
        for plan, outcome in zip(plans, outcomes, strict=True)
        if outcome is None
    ]
    if missing:
        first = missing[0]
        raise ModelError(
            f"replay: {len(missing)} of {len(plans)} replies are not recorded, the"
            f" first for role {first.role!r}, stage {first.stage!r}, record"
            f" {first.record!r}; run once in mode live to record them, or import them"
            " with `skillmill replies import`",
            record=first.record,
        )


def _for_request(outcome: Outcome[Any], request: ChatRequest) -> Outcome[Any]:
    """Give an outcome to another question that is equal."""
    if outcome.record == request.record and outcome.stage == request.stage:
        return outcome
    return replace(
        outcome,
        stage=request.stage,
        record=request.record,
        from_record=outcome.state == "ok",
    )
