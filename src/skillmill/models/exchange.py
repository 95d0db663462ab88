"""One question put to an endpoint until there is a verdict on the reply."""

import asyncio
import json
import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skillmill.models.answer import Answer, Fault, refused_parameter
from skillmill.models.chat import Outcome, Replies
from skillmill.models.ladder import Shape
from skillmill.models.recorded import Messages, Plan, ToMend, Verdict, judge
from skillmill.models.retry import Clock, Patience, asked_wait, next_wait
from skillmill.models.usage import Ledger, Usage, estimate_tokens

_log = logging.getLogger(__name__)

#: Statuses by which servers say that they do not know a part of a request.
_UNKNOWN_PART = frozenset({400, 415, 422})
#: Server errors on one rung before it counts as the cause; one status says so itself.
_ERRORS_ON_A_RUNG = {500: 2, 501: 1}


@dataclass(frozen=True, slots=True)
class Tools:
    """What all questions of a client share."""

    replies: Replies
    ledger: Ledger
    clock: Clock
    rng: np.random.Generator


@dataclass(frozen=True, slots=True)
class Sent:
    """A question as it was sent last, and what came of it, after how many requests."""

    body: dict[str, Any]
    result: Answer | Fault
    tries: int
    shape: Shape


class _Attempt:
    """A question under way: what was tried, and what is left to try."""

    def __init__(self, plan: Plan, tools: Tools) -> None:
        settings = plan.settings
        self.plan = plan
        self.requests = 0
        self.patience = Patience(settings.max_tries, settings.max_seconds, tools.clock)
        self.known = self.shape = plan.lane.shape(plan.request.schema_name)
        self.is_doubtful = False
        self._clock = tools.clock
        self._rng = tools.rng
        self._errors_on_rung = 0

    def reshape(self, fault: Fault, body: dict[str, Any]) -> bool:
        """Put the question otherwise if the fault may lie in how it was put."""
        if fault.status in _UNKNOWN_PART:
            other = self._other_shape(fault, body)
        elif fault.status in _ERRORS_ON_A_RUNG:
            self._errors_on_rung += 1
            enough = self._errors_on_rung >= _ERRORS_ON_A_RUNG[fault.status]
            other = self._lowered() if enough else None
            if other is not None and fault.status == 500:
                self.is_doubtful = True
        else:
            return False
        if other is None:
            return False
        if other.rung != self.shape.rung:
            self._errors_on_rung = 0
        self.shape = other
        return True

    def wait_after(self, fault: Fault) -> float | None:
        """Seconds to wait before the next try; None if there is none."""
        self.patience.tries += 1
        if not fault.is_transient:
            return None
        asked = asked_wait(fault.headers, self._clock.wall())
        wait = next_wait(self.patience.tries, fault.status, asked, self._rng)
        # A wait that was asked for concerns everybody.
        if fault.status == 429 or asked is not None:
            self.plan.lane.pause.extend(wait)
        return wait if self.patience.allows(wait) else None

    def summed_up(self, fault: Fault) -> Fault:
        """The last fault, saying how long it was tried."""
        if self.requests == 1:
            return fault
        spent = f"{self.requests} requests in {self.patience.spent_seconds:.1f} s"
        return replace(fault, message=f"{fault.message} (after {spent})")

    def _other_shape(self, fault: Fault, body: dict[str, Any]) -> Shape | None:
        lane, schema = self.plan.lane, self.plan.request.schema_name
        latest = lane.shape(schema)
        if latest != self.known:
            # Another question found out in the meantime.
            self.known = latest
            return latest
        named = refused_parameter(fault.error, body)
        if named is not None and named != "response_format":
            return self.shape.without(named)
        lower = self._lowered()
        if lower is None and lane.may_probe(schema):
            lane.refuse()
        return lower

    def _lowered(self) -> Shape | None:
        may = self.plan.lane.may_probe(self.plan.request.schema_name)
        return self.shape.lowered() if may else None


async def converse(
    plan: Plan, tools: Tools, to_mend: ToMend | None = None
) -> Outcome[Any]:
    """Ask, and once more if the reply cannot be used; record each reply at once.

    `to_mend` is a recorded reply to begin from.

    Raises
    ------
    LimitError
        If the budget is spent; what was received is recorded.
    """
    if to_mend is None:
        sent = await _exchange(plan, plan.messages, tools)
        verdict, usage = await _settle(plan, sent, tools)
        if verdict.state != "invalid" or not isinstance(sent.result, Answer):
            return plan.outcome(verdict, usage, from_record=False)
        content, problem = sent.result.content, verdict.message
        to_mend = ToMend(plan.key(sent.body), content, problem, usage)
    messages = plan.repair(to_mend.content, to_mend.problem)
    sent = await _exchange(plan, messages, tools)
    verdict, usage = await _settle(plan, sent, tools, repairs=to_mend.key)
    return plan.outcome(verdict, to_mend.usage + usage, from_record=False)


async def _exchange(plan: Plan, messages: Messages, tools: Tools) -> Sent:
    """Send a question until there is an answer, or no more use in sending."""
    request, settings, lane = plan.request, plan.settings, plan.lane
    attempt = _Attempt(plan, tools)
    result: Answer | Fault | None = None
    while True:
        body = plan.body(attempt.shape, messages)
        await lane.pause.passed(tools.rng)
        if isinstance(result, Fault) and attempt.patience.seconds_left <= 0:
            break
        tools.ledger.count_call(request.role, request.stage)
        attempt.patience.begin()
        attempt.requests += 1
        timeout_s = min(settings.timeout_s, attempt.patience.seconds_left)
        result = await lane.sender.post(body, timeout_s)
        if isinstance(result, Answer):
            lane.accept(
                request.schema_name, attempt.shape, doubtful=attempt.is_doubtful
            )
            return Sent(body, result, attempt.requests, attempt.shape)
        if attempt.reshape(result, body):
            continue
        wait = attempt.wait_after(result)
        _log_fault(attempt, result, wait)
        if wait is None:
            break
        if result.status != 429:
            await tools.clock.sleep(wait)
    lane.fail(result)
    if attempt.is_doubtful:
        lane.refuse()
    return Sent(body, attempt.summed_up(result), attempt.requests, attempt.shape)


async def _settle(
    plan: Plan, sent: Sent, tools: Tools, repairs: str = ""
) -> tuple[Verdict, Usage]:
    """Judge a reply, record it, count it, and learn from it."""
    request, result = plan.request, sent.result
    verdict = judge(result, request.reply_model)
    usage = Usage()
    if isinstance(result, Answer):
        usage = _usage_of(sent.body["messages"], result)
        money = plan.settings.cost(usage.prompt_tokens, usage.completion_tokens)
        tools.ledger.count_reply(request.role, request.stage, usage, money)
        plan.lane.check_prompt(estimate_tokens(sent.body["messages"]), result.usage)
        if verdict.reason == "no-json":
            plan.lane.doubt(sent.shape.rung)
        elif not result.problem:
            plan.lane.prove(sent.shape.rung)
    row = _row(plan, sent, verdict, usage) | {"repairs": repairs}
    # A busy disk must not hold up the replies that come in meanwhile.
    await asyncio.to_thread(tools.replies.add, row)
    return verdict, usage


def _row(plan: Plan, sent: Sent, verdict: Verdict, usage: Usage) -> dict[str, Any]:
    request, result = plan.request, sent.result
    answer = result if isinstance(result, Answer) else None
    text = json.dumps(sent.body, ensure_ascii=False)
    return {
        "key": plan.key(sent.body),
        "endpoint": plan.lane.address.url,
        "model": plan.settings.model,
        "role": request.role,
        "stage": request.stage,
        "record": request.record,
        "version": request.version,
        "sample": request.sample,
        "state": verdict.state,
        "reason": verdict.reason,
        "message": verdict.message,
        "request": plan.lane.sender.secret.mask_reply(text),
        "reply": answer.raw if answer else None,
        "finish": answer.finish if answer else None,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "estimated": int(usage.estimated),
        "tries": sent.tries,
        "seconds": result.seconds,
    }


def _usage_of(messages: Messages, answer: Answer) -> Usage:
    """What the server reported, or our estimate."""
    if answer.usage is not None:
        return answer.usage
    reply = estimate_tokens([{"content": answer.content}])
    return Usage(estimate_tokens(messages), reply, estimated=True)


def _log_fault(attempt: _Attempt, fault: Fault, wait: float | None) -> None:
    request = attempt.plan.request
    where = f"role {request.role!r}, record {request.record!r}"
    patience = attempt.patience
    if wait is not None:
        _log.info(
            "%s: try %d of %d failed (%s); waiting %.1f s",
            where,
            patience.tries,
            patience.tries + patience.tries_left,
            fault.message,
            wait,
        )
        return
    _log.warning(
        "%s: given up after %d tries and %.1f s: %s (%s)",
        where,
        patience.tries,
        patience.spent_seconds,
        fault.reason,
        fault.message,
    )
