"""Sentences of conversation evidence, scored by how well they fit a question."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from skillmill.models.heuristics.wording import normal, stems

#: Weight of a question word by where it stands: in the sentence itself, elsewhere in
#: the turn, elsewhere in the atom (an answer often follows the question's turn).
IN_SENTENCE, IN_REPLY, IN_TURN, IN_ATOM = 1.0, 0.6, 0.5, 0.25
#: Bonuses beside the share of question words found, which is at most 1.
OF_SPEAKER, OF_RANK, OF_CAPTION, OF_QUESTION = 0.25, 0.3, -0.15, -1.0

_LINE = re.compile(r"(?P<speaker>[^:\n]{1,40}): (?P<said>.*)", re.DOTALL)
_CAPTION = re.compile(r"\[shares (?P<caption>.*)\]\s*$", re.DOTALL)
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
    `turn` is the text of the whole turn.
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
    """A sentence with the stems of what surrounds it."""

    sentence: Sentence
    own: frozenset[str]
    reply: frozenset[str]
    turn: frozenset[str]
    atom: frozenset[str]


def speakers_of(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Names that begin the lines of the evidence, sorted."""
    names = {
        match["speaker"].strip()
        for record in evidence
        for line in record.text.split("\n")
        if (match := _LINE.fullmatch(line))
    }
    return tuple(sorted(names))


def scored_sentences(
    evidence: Sequence[Evidence], asked: Collection[str], about: Collection[str]
) -> list[Sentence]:
    """Score the sentences of the evidence for a question, best first.

    Parameters
    ----------
    evidence : sequence of Evidence
        Best first.
    asked : stems
        What the question is about, without the names of speakers.
    about : names
        Speakers that the question names; their sentences are preferred.

    Returns
    -------
    list of Sentence
        By score, rounded to 6 decimals; of equals the one of the better record, then
        the earlier one. The score is the share of the question's stems found, each
        weighted by its rarity in the evidence and by where it was found, plus the
        bonuses named in this module.
    """
    placed = [p for rank, record in enumerate(evidence) for p in _place(record, rank)]
    counts = Counter(stem for p in placed for stem in p.own)
    rarity = {s: math.log(1 + len(placed) / (1 + counts[s])) for s in sorted(asked)}
    total = sum(rarity.values()) or 1.0
    scored = [_scored(p, rarity, total, about) for p in placed]
    return sorted(scored, key=lambda s: (-s.score, s.rank, s.order))


def _scored(
    placed: _Placed, rarity: dict[str, float], total: float, about: Collection[str]
) -> Sentence:
    """Score one sentence."""
    found = 0.0
    for stem, weight in rarity.items():
        if stem in placed.own:
            found += IN_SENTENCE * weight
        elif stem in placed.reply:
            found += IN_REPLY * weight
        elif stem in placed.turn:
            found += IN_TURN * weight
        elif stem in placed.atom:
            found += IN_ATOM * weight
    said = placed.sentence
    score = found / total + OF_RANK / (1 + said.rank)
    score += OF_SPEAKER * (said.speaker in about) + OF_CAPTION * said.caption
    score += OF_QUESTION * said.text.endswith("?")
    return Sentence(
        said.text, said.speaker, said.turn, said.rank, said.order, said.day,
        said.caption, round(score, 6),
    )  # fmt: skip


def _place(record: Evidence, rank: int) -> list[_Placed]:
    """Split a record into sentences; a caption counts as one."""
    day = datetime.fromisoformat(record.said).date() if record.said else None
    atom = frozenset(stems(record.text))
    placed: list[_Placed] = []
    asked_before: frozenset[str] = frozenset()
    for line in record.text.split("\n"):
        match = _LINE.fullmatch(line)
        speaker, said = (match["speaker"].strip(), match["said"]) if match else ("", line)
        shared = _CAPTION.search(said)
        spoken = normal(said[: shared.start()] if shared else said)
        turn = frozenset(stems(said))
        pieces = [(piece, False) for piece in _SENTENCE_END.split(spoken) if piece]
        if shared:
            pieces.append((normal(shared["caption"]), True))
        for piece, caption in pieces:
            sentence = Sentence(
                piece, speaker, spoken, rank, len(placed), day, caption
            )
            placed.append(_Placed(sentence, frozenset(stems(piece)), asked_before, turn, atom))
        asked_before = frozenset(
            stem for piece, _ in pieces if piece.endswith("?") for stem in stems(piece)
        )
    return placed
