"""Answers by a language model from what an arm found."""

from collections.abc import Sequence
from typing import Any, Final

from skillmill.evaluate.answering import Asked, Read
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_memory import AnswerReply

#: Role of the prompt.
ROLE: Final = "answer"

#: Of a record, characters that a prompt holds.
LONGEST_TEXT = 6000


def reader_label(model: str) -> str:
    """How outputs name a model that answers."""
    return f"model {model}"


def answer_request(asked: Asked) -> ChatRequest:
    """Ask a question with its evidence, best first."""
    evidence = [
        {
            "id": f"e{number}",
            "day": record.said or "unknown",
            "text": record.text[:LONGEST_TEXT],
        }
        for number, record in enumerate(asked.evidence, start=1)
    ]
    return ChatRequest(
        role=ROLE,
        messages=render(
            ROLE,
            question=asked.question.text,
            asked_on=asked.question.date or "",
            evidence=evidence,
        ),
        reply_model=AnswerReply,
        schema_name=ROLE,
        stage=ROLE,
        record=asked.question.id,
        version=prompt_version(ROLE),
    )


def readings(outcomes: Sequence[Outcome[Any]]) -> list[Read]:
    """What a model answered, in order; a question without a reply is a failure."""
    return [_reading(outcome) for outcome in outcomes]


def _reading(outcome: Outcome[Any]) -> Read:
    if outcome.state != "ok" or outcome.value is None:
        return Read("", f"{outcome.reason}: {outcome.message}")
    usage = outcome.usage
    tokens = (usage.prompt_tokens, usage.completion_tokens) if usage.tokens else None
    return Read(outcome.value.answer, tokens=tokens)
