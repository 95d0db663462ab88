"""Stand-in for the answer role: a short answer cut out of the evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from skillmill.models.heuristics.passages import (
    Evidence,
    scored_sentences,
    speakers_of,
)
from skillmill.models.heuristics.questions import Kind, taken_apart
from skillmill.models.heuristics.spans import SPANS, phrases


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader answers: `answer` is `""` where `state` is `empty`.

    `kind` is what the question was taken to ask for.
    """

    answer: str
    state: Literal["ok", "empty"]
    kind: Kind


class SpanReader:
    """Answers with a span of the best sentence that fits the kind of question.

    The question's words decide what is wanted: a date, a length of time, a number, a
    place, a person, a reason, yes or no, a feeling, a title, or anything else, for
    which the noun phrases of the two best sentences are given. Sentences are ranked
    by the rarity-weighted share of the question's words in and around them, and by
    who said them. Dates are resolved against the day of the record ("yesterday",
    "last Friday", "two weeks ago").

    It is for English conversations. It combines nothing: it does not count over
    several records, infer traits or preferences, or notice that the evidence does not
    hold the answer, and its yes or no rests on a word of denial in one sentence. Its
    score is in docs/standins.md.
    """

    name: ClassVar[str] = "span-reader"
    version: ClassVar[str] = "1"

    def read(self, question: str, evidence: Sequence[Evidence]) -> Reading:
        """Answer a question from evidence given best first.

        Returns
        -------
        Reading
            `empty` where the evidence holds no words.

        Raises
        ------
        ModelError
            If spaCy or its model is not installed and the question needs it.
        """
        asked = taken_apart(question, speakers_of(evidence))
        sentences = scored_sentences(evidence, asked)
        if not sentences:
            return Reading("", "empty", asked.kind)
        answer = SPANS[asked.kind](asked, sentences) or phrases(asked, sentences)
        return Reading(answer or sentences[0].text, "ok", asked.kind)
