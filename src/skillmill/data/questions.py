"""Questions out of JSON objects, whatever their keys are called."""

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from skillmill.data.evidence import read_evidence
from skillmill.data.jsontext import CleanText, clean_text, shown, surrogate_remarks
from skillmill.data.loadreport import Remark
from skillmill.types import ADVERSARIAL, CATEGORIES, Question

_JSON_TYPES: Mapping[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_DIGITS = {str(number) for number in CATEGORIES}
_NUMBERS = {name: number for number, name in CATEGORIES.items()}


class Answer(NamedTuple):
    """An answer as text, None if there is none, and the JSON type it was written in."""

    text: str | None
    type: str
    remarks: list[Remark]


class QuestionKeys(NamedTuple):
    """What a format calls the fields of a question."""

    text: str
    trap: str
    answer: str = "answer"
    category: str = "category"
    evidence: str = "evidence"


class QuestionReader:
    """Reads the questions of one conversation.

    Parameters
    ----------
    conversation : str
        Its id.
    turns : collection of str
        Ids of its turns, as a set or a dict.
    keys : QuestionKeys
        What the fields are called.
    """

    def __init__(
        self, conversation: str, turns: Collection[str], keys: QuestionKeys
    ) -> None:
        self._conversation = conversation
        self._turns = turns
        self._keys = keys
        self._asked: dict[str, str] = {}

    def question_id(self, position: int) -> str:
        """Give the id of the question at a position from 0."""
        return f"{self._conversation}/q{position}"

    def read(self, row: object, position: int) -> tuple[Question | None, list[Remark]]:
        """Read one question; None if it has no text or no known category.

        `position` counts from 0 over all questions in the file, the unusable ones
        too, so that mending one leaves the ids of the others alone.
        """
        if not isinstance(row, Mapping):
            return None, [_unusable(f"expected an object, got {shown(row)}")]
        text = row.get(self._keys.text)
        if not isinstance(text, str) or not text.strip():
            fault = f"expected a text under '{self._keys.text}', got {shown(text)}"
            return None, [_unusable(fault)]
        category = read_category(row.get(self._keys.category))
        if category is None:
            return None, [_unusable(_category_fault(row, self._keys.category))]
        words = clean_text(text)
        answer, trap = (
            clean_text(_as_text(row.get(key)) or "")
            for key in (self._keys.answer, self._keys.trap)
        )
        evidence, remarks = read_evidence(row.get(self._keys.evidence), self._turns)
        question = Question(
            id=self.question_id(position),
            conversation=self._conversation,
            text=words.text,
            category=category,
            answer=answer.text or None,
            answer_type=_JSON_TYPES[type(row.get(self._keys.answer))],
            trap=trap.text or None,
            evidence=evidence,
            kind=CATEGORIES[category],
        )
        remarks += self._remarks(question, row)
        remarks += _text_remarks(words, answer, trap)
        return question, remarks

    def _remarks(self, question: Question, row: Mapping[str, object]) -> list[Remark]:
        """Say what is odd about the answer, and about a text asked before."""
        written = shown(row.get(self._keys.answer))
        remarks = _type_remarks(row.get(self._keys.answer))
        if question.category == ADVERSARIAL and question.answer and question.trap:
            message = f"an adversarial question has both an answer, {written}, and"
            message += " a trap; the answer is the gold"
            remarks.append(Remark(None, "answer-and-trap", message, "info"))
        if question.category != ADVERSARIAL and question.answer is None:
            message = f"expected an answer as text, got {written}; it is unknown"
            remarks.append(Remark(None, "answer-missing", message))
        first = self._asked.setdefault(question.text, question.id)
        if first != question.id:
            message = f"the same text as {first}; both are kept"
            remarks.append(Remark(None, "question-repeated", message, "info"))
        return remarks


def read_category(value: object) -> int | None:
    """Give a category's number from LoCoMo's number or name; None if it is neither.

    Tables that went through other tools hold the number as a text or as 4.0.
    """
    if isinstance(value, str):
        word = value.strip().lower()
        return _NUMBERS.get(word, int(word) if word in _DIGITS else None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value) if value in CATEGORIES else None
    return None


def read_answer(value: object) -> Answer:
    """Read an answer, a text or a number; anything else is none, and reported."""
    words = clean_text(_as_text(value) or "")
    remarks = [*_type_remarks(value), *surrogate_remarks("answer", words)]
    if not words.text:
        message = f"expected an answer as text, got {shown(value)}; it is unknown"
        remarks.append(Remark(None, "answer-missing", message))
    return Answer(words.text or None, _JSON_TYPES[type(value)], remarks)


def _type_remarks(answer: object) -> list[Remark]:
    """Report an answer that was no text and became one."""
    kind = _JSON_TYPES[type(answer)]
    if kind not in ("integer", "number", "boolean"):
        return []
    message = f"expected a text as answer, got {shown(answer)}; it became text"
    return [Remark(None, f"answer-{kind}", message, "info")]


def _as_text(value: object) -> str | None:
    """Give an answer as text, a number as JSON writes it; None for what is neither."""
    if isinstance(value, int | float):
        return json.dumps(value)
    return value if isinstance(value, str) else None


def _category_fault(row: Mapping[str, object], key: str) -> str:
    """Say which categories there are."""
    known = ", ".join(f"{number} ({name})" for number, name in CATEGORIES.items())
    return f"expected one of {known} under '{key}', got {shown(row.get(key))}"


def _text_remarks(*texts: CleanText) -> list[Remark]:
    """Report outer blanks and lone surrogates of question, answer and trap."""
    remarks = surrogate_remarks("question", *texts)
    if any(text.stripped for text in texts):
        message = "outer blanks were taken off the question or its answer"
        remarks.append(Remark(None, "outer-blanks", message, "info"))
    return remarks


def _unusable(fault: str) -> Remark:
    """Refuse a question."""
    message = f"question: {fault}; it was left out"
    return Remark(None, "question-unusable", message, "failed")
