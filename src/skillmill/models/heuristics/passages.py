"""Sentences of conversation evidence, scored by how well they fit a question."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from skillmill.models.heuristics.periods import Period
from skillmill.models.heuristics.questions import Asked
from skillmill.models.heuristics.wording import normal, stem, stems

#: Weight of a question's word by where it stands: in the sentence, in the other's
#: question just before, elsewhere in the turn, elsewhere in the record.
IN_SENTENCE, IN_REPLY, IN_TURN, IN_RECORD = 1.0, 0.8, 0.5, 0.15
#: Beside the share of the question's words found, which is at most 1: said by the
#: speaker named first, in a good record, near the day that the question names.
OF_SPEAKER, OF_RANK, OF_PERIOD = 0.3, 0.2, 0.4
#: Against a sentence: an image's caption, greeting or applause only, a question.
OF_CAPTION, OF_FILLER, OF_QUESTION = -0.15, -0.5, -1.0
#: An event is mostly told in the days after it: how far around a period to look.
DAYS_BEFORE, DAYS_AFTER = timedelta(days=1), timedelta(days=14)

_FILLER = frozenset(
    stem(word)
    for word in """
    absolutely agree ah amazing awesome aww beautiful bet bye care check congrats
    congratulations cool course exactly fantastic glad good great ha haha hear hello
    hey hi know later like look looks love lovely luck nice oh ok okay really right see
    sorry sounds soon sure talk thank thanks totally true well wonderful wow yeah yes
    yep yup
    """.split()  # noqa: SIM905 - a quoted list of these is harder to read
)
_LINE = re.compile(r"(?P<speaker>[^:\n]{1,40}): (?P<said>.*)")
_CAPTION = re.compile(r"\[shares (?P<caption>.*)\]\s*$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')]*\s+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record that a reader may use: its text and the day it was said.

    `text` holds lines `speaker: words [shares caption]`, as atoms do; `said` is ISO
    8601, a day or a moment, None if unknown.
    """

    text: str
    said: str | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the evidence, where it stands and how well it fits.

    `rank` is the record's place (0 is best), `order` the sentence's place in it;
    `turn` is the text of the whole turn, `day` when it was said.
    """

    text: str
    speaker: str
    turn: str
    rank: int
    order: int
    day: date | None
    caption: bool
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Placed:
    """A sentence with the stems of itself and, from near to far, around it."""

    sentence: Sentence
    own: frozenset[str]
    around: tuple[tuple[float, frozenset[str]], ...]


def speakers_of(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Names that begin the lines of the evidence, sorted."""
    lines = (line for record in evidence for line in record.text.split("\n"))
    matches = (_LINE.fullmatch(line) for line in lines)
    names = {match["speaker"].strip() for match in matches if match}
    return tuple(sorted(names - {""}))


def scored_sentences(evidence: Sequence[Evidence], asked: Asked) -> list[Sentence]:
    """Score the sentences of the evidence for a question, best first.

    Parameters
    ----------
    evidence : sequence of Evidence
        Best first.
    asked : Asked

    Returns
    -------
    list of Sentence
        By score, rounded to 6 decimals; of equals the one of the better record, then
        the earlier one. The score is the share of the question's stems found, each
        weighted by its rarity in the evidence and by where it was found, plus the
        bonuses named in this module.
    """
    placed = [p for rank, record in enumerate(evidence) for p in _place(record, rank)]
    counts = Counter(word for p in placed for word in p.own)
    rarity = {w: math.log(1 + len(placed) / (1 + counts[w])) for w in asked.stems}
    names = {word for name in speakers_of(evidence) for word in stems(name)}
    filler = _FILLER | names
    scored = [
        replace(p.sentence, score=round(_score(p, rarity, asked, filler), 6))
        for p in placed
    ]
    return sorted(scored, key=lambda s: (-s.score, s.rank, s.order))


def _score(
    placed: _Placed, rarity: dict[str, float], asked: Asked, filler: frozenset[str]
) -> float:
    """Score one sentence."""
    said = placed.sentence
    total = sum(rarity.values()) or 1.0
    found = sum(
        rarity[word] * next((w for w, stems_ in placed.around if word in stems_), 0.0)
        for word in sorted(rarity)
    )
    return (
        found / total
        + OF_RANK / (1 + said.rank)
        + OF_SPEAKER * (said.speaker in asked.about[:1])
        + OF_PERIOD * told_about(asked.period, said.day)
        + OF_CAPTION * said.caption
        + OF_FILLER * (placed.own <= filler)
        + OF_QUESTION * said.text.endswith("?")
    )


def told_about(period: Period | None, day: date | None) -> bool:
    """Tell whether what is said on a day may be about a period.

    A period without a year is looked for in the year of the day.
    """
    if period is None or day is None:
        return False
    if not period.dated:
        period = period.in_year(day.year)
    return period.first - DAYS_BEFORE <= day <= period.last + DAYS_AFTER


def _place(record: Evidence, rank: int) -> list[_Placed]:
    """Split a record into sentences; a caption counts as one."""
    day = datetime.fromisoformat(record.said).date() if record.said else None
    whole = frozenset(stems(record.text))
    placed: list[_Placed] = []
    before: frozenset[str] = frozenset()
    for line in record.text.split("\n"):
        match = _LINE.fullmatch(line)
        speaker, said = (
            (match["speaker"].strip(), match["said"]) if match else ("", line)
        )
        spoken, pieces = _pieces(said)
        turn = frozenset(stems(said))
        for piece, caption in pieces:
            own = frozenset(stems(piece))
            sentence = Sentence(piece, speaker, spoken, rank, len(placed), day, caption)
            around = (
                (IN_SENTENCE, own), (IN_REPLY, before), (IN_TURN, turn),
                (IN_RECORD, whole),
            )  # fmt: skip
            placed.append(_Placed(sentence, own, around))
        asked = (piece for piece, _ in pieces if piece.endswith("?"))
        before = frozenset(word for piece in asked for word in stems(piece))
    return placed


def _pieces(said: str) -> tuple[str, list[tuple[str, bool]]]:
    """Words of a turn without the caption, and its sentences, captions marked."""
    shared = _CAPTION.search(said)
    spoken = normal(said[: shared.start()] if shared else said)
    pieces = [(piece, False) for piece in _SENTENCE_END.split(spoken) if piece]
    if shared:
        pieces.append((normal(shared["caption"]), True))
    return spoken, pieces
