"""What a question is recorded under, and what is recorded of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from skillmill.models.answer import Answer, Fault, read_answer
from skillmill.models.chat import ChatRequest, Outcome, Replies, RoleSettings
from skillmill.models.ladder import RUNGS, Shape, body_of, repair_messages, sent_key
from skillmill.models.lane import Lane
from skillmill.models.readjson import read_json, shorten
from skillmill.models.usage import Usage

Messages = Sequence[Mapping[str, str]]

#: Why the content of an answer is not read.
_PROBLEMS = {
    "length": "the reply was cut off at the most tokens allowed; raise max_tokens",
    "content-filter": "the endpoint's filter held the reply back",
    "refusal": "the model refused to answer",
    "no-choices": "the reply holds no choice",
    "no-content": "the reply holds no text",
    "only-reasoning": "the model reasoned and gave no answer; raise max_tokens, or turn"
    " its reasoning off by a parameter in `extra`",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A request with all that is needed to send it; `messages` are clean."""

    request: ChatRequest
    settings: RoleSettings
    lane: Lane
    messages: Messages

    def body(self, shape: Shape, messages: Messages) -> dict[str, Any]:
        """The body that asks these messages in a shape."""
        reply = self.request.schema_name, self.request.reply_model
        parameters = self.settings.parameters()
        return body_of(shape, self.settings.model, messages, parameters, reply)

    def key(self, body: Mapping[str, Any]) -> str:
        """What a body is recorded under."""
        request = self.request
        return sent_key(body, self.lane.address.url, request.version, request.sample)

    def current_key(self) -> str:
        """What the question is recorded under if it is asked now."""
        shape = self.lane.shape(self.request.schema_name)
        return self.key(self.body(shape, self.messages))

    def repair(self, content: str, problem: str) -> Messages:
        """The messages that ask to mend a reply."""
        return repair_messages(
            self.messages, content, problem, self.request.reply_model
        )

    def outcome(
        self, verdict: "Verdict", usage: Usage, *, from_record: bool
    ) -> Outcome[Any]:
        """Put a verdict into the words of the caller."""
        request = self.request
        return Outcome(
            state="ok" if verdict.state == "ok" else "failed",
            value=verdict.value,
            reason=verdict.reason,
            message=verdict.message,
            role=request.role,
            stage=request.stage,
            record=request.record,
            usage=usage,
            from_record=from_record,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply is worth: `invalid` may be mended by asking once more."""

    state: Literal["ok", "invalid", "failed"]
    value: BaseModel | None = None
    reason: str = ""
    message: str = ""


class ToMend(NamedTuple):
    """A recorded reply that cannot be used, and whose repair was never asked for."""

    key: str
    content: str
    problem: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is recorded of a question.

    Attributes
    ----------
    outcome : Outcome or None
        The good reply to it, if there is one.
    to_mend : ToMend or None
        Else an unusable reply whose repair was never asked for.
    failure : Outcome or None
        Else how it failed last, if it was ever asked.
    """

    outcome: Outcome[Any] | None = None
    to_mend: ToMend | None = None
    failure: Outcome[Any] | None = None


def judge(result: Answer | Fault, reply_model: type[BaseModel]) -> Verdict:
    """Say what a reply is worth."""
    if isinstance(result, Fault):
        return Verdict("failed", None, result.reason, result.message)
    if result.problem:
        message = _PROBLEMS[result.problem]
        if result.problem.startswith("no-"):
            message += f": {shorten(result.raw)}"
        return Verdict("failed", None, result.problem, message)
    reading = read_json(result.content, reply_model)
    if reading.value is None:
        return Verdict("invalid", None, reading.reason, reading.message)
    return Verdict("ok", reading.value)


def recall(plans: Sequence[Plan], replies: Replies) -> list[Recalled]:
    """Find what is recorded of questions, in their order; nothing is sent."""
    asked = _rows([(plan, plan.messages) for plan in plans], replies)
    results = [_best(plan, rows) for plan, rows in zip(plans, asked, strict=True)]
    broken = [
        (number, ToMend(row["key"], content, row["message"], _usage(row)))
        for number, rows in enumerate(asked)
        if results[number].outcome is None
        for row in rows
        if row["state"] == "invalid" and (content := _content(row)) is not None
    ]
    repairs = [(plans[n], plans[n].repair(m.content, m.problem)) for n, m in broken]
    for (number, mend), rows in zip(broken, _rows(repairs, replies), strict=True):
        if results[number].outcome is not None:
            continue
        mended = _best(plans[number], rows)
        if mended.outcome is not None or (rows and results[number].to_mend is None):
            results[number] = _with_usage(mended, mend.usage)
        elif not rows:
            results[number] = Recalled(None, mend, None)
    return results


def _with_usage(mended: Recalled, first: Usage) -> Recalled:
    """Count the reply that was to be mended, too."""
    outcome, failure = (
        found and replace(found, usage=first + found.usage)
        for found in (mended.outcome, mended.failure)
    )
    return Recalled(outcome, None, failure)


def _rows(
    asked: Sequence[tuple[Plan, Messages]], replies: Replies
) -> list[list[Mapping[str, Any]]]:
    """Find the rows of each question: as it is put now, else as on other rungs."""
    found: list[list[Mapping[str, Any]]] = [[] for _ in asked]
    for is_current in (True, False):
        keys: dict[int, list[str]] = {
            number: list(_keys(*question, is_current=is_current))
            for number, question in enumerate(asked)
            if not any(row["state"] == "ok" for row in found[number])
        }
        if not keys:
            break
        known = replies.known([key for some in keys.values() for key in some])
        for number, some in keys.items():
            found[number] += [row for key in some for row in known.get(key, ())]
    return found


def _keys(plan: Plan, messages: Messages, *, is_current: bool) -> Iterable[str]:
    shape = plan.lane.shape(plan.request.schema_name)
    for rung in RUNGS:
        if (rung == shape.rung) == is_current:
            yield plan.key(plan.body(Shape(rung, shape.changes), messages))


def _best(plan: Plan, rows: Sequence[Mapping[str, Any]]) -> Recalled:
    """Read the good reply among rows, or the latest failure."""
    for row in rows:
        if row["state"] == "ok":
            answer = read_answer(row["reply"], "json")
            verdict = judge(answer, plan.request.reply_model)
            # A reply model may have become stricter since.
            if verdict.state == "ok":
                return Recalled(plan.outcome(verdict, _usage(row), from_record=True))
    if not rows:
        return Recalled()
    row = max(rows, key=lambda row: str(row["id"]))
    verdict = Verdict("failed", None, row["reason"], row["message"])
    failure = plan.outcome(verdict, _usage(row), from_record=True)
    return Recalled(failure=failure)


def _content(row: Mapping[str, Any]) -> str | None:
    answer = read_answer(row["reply"] or "", "json")
    return answer.content if isinstance(answer, Answer) else None


def _usage(row: Mapping[str, Any]) -> Usage:
    return Usage(row["prompt_tokens"], row["completion_tokens"], bool(row["estimated"]))
