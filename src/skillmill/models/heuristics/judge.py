"""Stand-in for the judge role: whether a prediction says what the gold answer does."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal

from skillmill.models.heuristics.dates import DateMention, find_dates
from skillmill.models.heuristics.numbers import numbers_in
from skillmill.models.heuristics.periods import Period
from skillmill.models.heuristics.wording import normal, stems, words

Label = Literal["correct", "incorrect", "unsure"]

#: Share of the gold answer's content that decides without further question.
ENOUGH, TOO_LITTLE = 0.7, 0.4
#: Two stems are taken for one word if they share this many letters, and this share.
SHARED_LETTERS, SHARED_SHARE = 5, 0.7
#: A period this much longer than the gold answer's says less than was asked.
MUCH_LONGER = 3

_ABSTAINS = re.compile(
    r"\b(?:(?:do(?:es)? not|don't|doesn't|did not|didn't|cannot|can't|could not"
    r"|couldn't) (?:know|say|tell|find|mention|specify|provide|contain|determine)"
    r"|not (?:mentioned|specified|stated|known|provided|enough|clear|given)"
    r"|no (?:information|mention|evidence|record|answer)|unknown|unclear)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"(?:(?:most |very |quite )?(?:likely|probably|possibly)|maybe|yes|yeah|yep|yup"
    r"|indeed|certainly|definitely|absolutely|of course|correct|true|somewhat|sure)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?:(?:most |very |quite )?(?:likely|probably|possibly|perhaps|maybe|certainly"
    r"|definitely|absolutely),? (?:no|not)|no|nope|nah|not|never|unlikely|doubtful"
    r"|hardly|false|neither)\b",
    re.IGNORECASE,
)
_POLAR_QUESTION = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might"
    r"|may|am)(?:n't)?\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|never|without|cannot|neither|nor|no longer|none|nobody|nothing"
    r"|\w+n't|refus\w+|failed to)\b",
    re.IGNORECASE,
)
_HEDGES = frozenset(
    stems(
        "yes yeah yep no likely probably possibly perhaps maybe certainly definitely"
        " absolutely indeed unlikely think believe guess seems apparently about around"
        " approximately roughly almost nearly answer"
    )
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label and the rule that gave it."""

    label: Label
    reason: str


class MatchJudge:
    """Compares a prediction with the gold answer by polarity, dates, numbers, words.

    Rules in this order: no answer or a refusal is incorrect; equal wording is correct;
    yes and no (hedged too) must agree; dates must mean the same days, whatever their
    form, or lie inside the gold answer's period; numbers must be equal, in digits or
    words; a denial on one side only is incorrect; then the share of the gold answer's
    words, beyond those of the question, decides, and a middling share is `unsure`.

    It is for short English answers. It knows no synonyms, reads no tables, and takes a
    long prediction that also holds wrong statements for correct if it holds the right
    one. `unsure` is no half point: a report counts it as incorrect and prints how
    many. Its score is in docs/standins.md.
    """

    name: ClassVar[str] = "match-judge"
    version: ClassVar[str] = "1"

    def judge(
        self, question: str, gold: str, prediction: str, day: date | None = None
    ) -> Verdict:
        """Judge one prediction.

        Parameters
        ----------
        question, gold, prediction : str
        day : date or None
            When the prediction's relative dates ("last Friday") are said from; None:
            they are not understood.
        """
        case = _case(question, gold, prediction, day)
        for rule in _RULES:
            verdict = rule(case)
            if verdict is not None:
                return verdict
        return _by_words(case)


@dataclass(frozen=True, slots=True)
class _Case:
    """A question with both answers, taken apart once."""

    question: str
    gold: str
    said: str
    gold_dates: Sequence[DateMention]
    said_dates: Sequence[DateMention]

    def content(self, text: str, dates: Sequence[DateMention]) -> list[str]:
        """Stems of an answer without dates, numbers and hedges."""
        bare = _without(text, [(d.start, d.end) for d in dates])
        bare = _without(bare, [(start, end) for start, end, _ in numbers_in(bare)])
        return [word for word in stems(bare) if word not in _HEDGES]


def _case(question: str, gold: str, prediction: str, day: date | None) -> _Case:
    """Take a question and its answers apart."""
    question, gold, said = normal(question), normal(gold), normal(prediction)
    return _Case(question, gold, said, find_dates(gold, None), find_dates(said, day))


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Blank out spans of a text."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _no_answer(case: _Case) -> Verdict | None:
    """Refusals and empty predictions."""
    refused = not words(case.said) or _ABSTAINS.search(case.said) is not None
    expected = _ABSTAINS.search(case.gold) is not None
    if expected:
        label: Label = "correct" if refused else "incorrect"
        return Verdict(label, "the gold answer is that it is not known")
    return Verdict("incorrect", "no answer was given") if refused else None


def _same_words(case: _Case) -> Verdict | None:
    """Equal but for case, punctuation and articles."""
    gold, said = (
        [word for word in words(text) if word not in {"a", "an", "the"}]
        for text in (case.gold, case.said)
    )
    return Verdict("correct", "same wording") if gold == said else None


def _polarity(text: str, polar: bool) -> bool | None:
    """What an answer says to a yes-no question; None where it says neither."""
    if _NO.match(text):
        return False
    if _YES.match(text):
        return True
    if polar:
        return _DENIAL.search(text) is None
    return None


def _polarities(case: _Case) -> Verdict | None:
    """Yes and no, where the gold answer begins with one of them."""
    gold = _polarity(case.gold, polar=False)
    polar = _POLAR_QUESTION.match(case.question) is not None
    if gold is None or (not polar and stems(case.gold)[1:]):
        return None
    said = _polarity(case.said, polar=True)
    if said is None:
        return None
    if said == gold:
        return Verdict("correct", "same answer to a yes-no question")
    return Verdict("incorrect", "opposite answer to a yes-no question")


def _dates(case: _Case) -> Verdict | None:
    """Dates, where the gold answer is one."""
    if not case.gold_dates:
        return None
    if not case.said_dates:
        only = not case.content(case.gold, case.gold_dates)
        return Verdict("incorrect", "the date is missing") if only else None
    fits = [
        max(_fit(g.period, s.period) for s in case.said_dates) for g in case.gold_dates
    ]
    if min(fits) == 0:
        return Verdict("incorrect", "another date")
    if min(fits) == 1:
        return Verdict("unsure", "a less exact date")
    if not case.content(case.gold, case.gold_dates):
        return Verdict("correct", "same date")
    return None


def _fit(gold: Period, said: Period) -> int:
    """2: the same days or days inside; 1: a longer period around; 0: others."""
    if not gold.dated or not said.dated:
        gold, said = gold.in_year(2000), said.in_year(2000)
    if gold.first <= said.first and said.last <= gold.last:
        return 2
    if said.first <= gold.first and gold.last <= said.last:
        return 2 if said.days <= MUCH_LONGER * gold.days else 1
    return 0


def _numbers(case: _Case) -> Verdict | None:
    """Numbers outside dates."""
    gold, said = (
        {value for _, _, value in numbers_in(_without(text, spans))}
        for text, spans in (
            (case.gold, [(d.start, d.end) for d in case.gold_dates]),
            (case.said, [(d.start, d.end) for d in case.said_dates]),
        )
    )
    if not gold:
        return None
    if not gold <= said:
        return Verdict(
            "incorrect", "another number" if said else "the number is missing"
        )
    rest = _beyond_question(case)
    if not rest:
        return Verdict("correct", "same number")
    return None


def _denials(case: _Case) -> Verdict | None:
    """A denial on one side only."""
    gold, said = (_DENIAL.search(text) is not None for text in (case.gold, case.said))
    if gold != said and _share(case) >= TOO_LITTLE:
        return Verdict("incorrect", "one of the answers denies")
    return None


def _beyond_question(case: _Case) -> list[str]:
    """The gold answer's content that the question does not hold, else all of it."""
    gold = list(dict.fromkeys(case.content(case.gold, case.gold_dates)))
    asked = set(stems(case.question))
    return [word for word in gold if word not in asked] or gold


def _share(case: _Case) -> float:
    """Share of the gold answer's content that the prediction holds."""
    gold = _beyond_question(case)
    said = case.content(case.said, case.said_dates)
    return (
        sum(any(_alike(g, s) for s in said) for g in gold) / len(gold) if gold else 1.0
    )


def _alike(first: str, second: str) -> bool:
    """Tell whether two stems are one word, as `psycholog` and `psychologist`."""
    if first == second:
        return True
    shared = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    longer = max(len(first), len(second))
    return shared >= SHARED_LETTERS and shared >= SHARED_SHARE * longer


def _by_words(case: _Case) -> Verdict:
    """The share of the gold answer's content that the prediction holds.

    A middling share is unsure where the prediction only leaves something out, and
    incorrect where it says something else instead ("a blue boat" for "a red boat").
    """
    share = _share(case)
    reason = f"holds {share:.0%} of the gold answer's words"
    if share >= ENOUGH:
        return Verdict("correct", reason)
    known = {*case.content(case.gold, case.gold_dates), *stems(case.question)}
    said = case.content(case.said, case.said_dates)
    instead = any(all(not _alike(word, k) for k in known) for word in said)
    if share < TOO_LITTLE or instead:
        return Verdict("incorrect", reason)
    return Verdict("unsure", reason)


_RULES = (_no_answer, _same_words, _polarities, _dates, _numbers, _denials)
