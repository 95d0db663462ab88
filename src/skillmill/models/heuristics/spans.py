"""Short answers by kind of question, cut out of scored sentences."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from skillmill.models.heuristics import grammar, periods
from skillmill.models.heuristics.dates import find_dates
from skillmill.models.heuristics.numbers import COUNT, NUMBER, numbers_in
from skillmill.models.heuristics.passages import Sentence
from skillmill.models.heuristics.questions import Asked, Kind
from skillmill.models.heuristics.wording import stems

Span = Callable[[Asked, Sequence[Sentence]], str | None]

#: A sentence with a date beats a better one without, if it is this close.
DATE_BONUS, TURN_DATE_BONUS, VAGUE_DATE = 0.2, 0.05, -0.1
#: Sentences looked at for typed spans, for noun phrases and for lists.
TYPED_DEPTH, PHRASE_DEPTH, LIST_DEPTH = 4, 2, 3
MOST_PHRASES = 9

_UNITS = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_DURATION = re.compile(
    rf"(?<![\w.])(?:{COUNT}|a few|few|several|many|(?:half|most of) an?)"
    rf"(?: more| whole| full)? {_UNITS}\b(?! ago)|\bsince (?:the )?[\w' ]*?\d{{4}}\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    rf"(?:(?:once|twice|thrice|{NUMBER} times)(?: or (?:once|twice|thrice|{NUMBER}"
    rf" times))?(?: a| per| each| every) \w+|(?:every|each)(?: other| single)? (?:{_UNITS}"
    r"|morning|afternoon|evening|\w+day)|daily|weekly|monthly|yearly|annually"
    r"|regularly|all the time)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because(?: of)?|since|so that|so|as|due to|thanks to|in order to|to|for)\s+"
    r"(?P<reason>[^.!?;]+)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:because(?: of)?|so that|due to|thanks to|in order to)\s+(?P<reason>[^.!?;]+)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"]{2,60})\"")
_PLACED = re.compile(
    r"\b(?:in|at|to|near|from|on|around|by|under|inside|outside)\s+"
    r"(?P<place>(?:the |a |an |my |our |his |her |their )?[\w'-]+(?: [\w'-]+){0,2})",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:no|not|never|nope|nah|none|nothing|\w+n't)\b", re.IGNORECASE)
_PLACE_LABELS = frozenset({"GPE", "LOC", "FAC"})
_PERSON_LABELS = frozenset({"PERSON"})


def when(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """The date in the best sentence that has one, else the day it was said."""
    if not sentences:
        return None
    best = sentences[0]
    options = [(best.score, _said_on(best.day))]
    options += [
        (best.score + TURN_DATE_BONUS, m.period.written)
        for m in find_dates(best.turn, best.day)
    ]
    for sentence in sentences:
        for mention in find_dates(sentence.text, sentence.day):
            vague = VAGUE_DATE if mention.period.days >= 365 else 0.0
            options.append((sentence.score + DATE_BONUS + vague, mention.period.written))
    return max(options, key=lambda option: option[0])[1]


def _said_on(day: date | None) -> str | None:
    """The day of a sentence in words."""
    return periods.day(day).written if day else None


def _first_match(
    sentences: Iterable[Sentence], pattern: re.Pattern[str], depth: int
) -> str | None:
    """The first match of a pattern in the best sentences."""
    for sentence in list(sentences)[:depth]:
        match = pattern.search(sentence.text)
        if match:
            return match[0]
    return None


def duration(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A length of time: `four years`, `since 2016`."""
    return _first_match(sentences, _DURATION, 10)


def often(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A frequency: `twice a week`, `every day`."""
    return _first_match(sentences, _OFTEN, 10)


def number(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A number that counts what the question counts, else the first number."""
    others: list[str] = []
    for sentence in sentences[:10]:
        for start, end, _ in numbers_in(sentence.text):
            following = stems(sentence.text[end : end + 40])[:3]
            written = sentence.text[start:end]
            if asked.focus is not None and asked.focus in following:
                return written
            others.append(written)
    return others[0] if others else None


def where(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A named place, else a phrase after a preposition of place."""
    for sentence in sentences[:TYPED_DEPTH]:
        for place in grammar.named(sentence.text, _PLACE_LABELS):
            if not set(stems(place)) <= asked.stems:
                return place
    for sentence in sentences[:PHRASE_DEPTH]:
        match = _PLACED.search(sentence.text)
        if match:
            return match["place"]
    return None


def who(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A person who is not named in the question."""
    known = {stem for name in asked.about for stem in stems(name)} | asked.stems
    for sentence in sentences[:TYPED_DEPTH]:
        for person in grammar.named(sentence.text, _PERSON_LABELS):
            if not set(stems(person)) & known:
                return person
    return None


def why(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """What follows "because", "so", "to" in the best sentences, else the best one."""
    for sentence in sentences[:PHRASE_DEPTH]:
        match = _BECAUSE.search(sentence.text)
        if match:
            return match["reason"].strip()
    return sentences[0].text if sentences else None


def choice(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """The side of an "or" that more of the evidence speaks of, the first in a tie."""
    if asked.options is None:
        return yes_or_no(asked, sentences)
    first, second = asked.options
    shared = set(stems(first)) & set(stems(second))
    found = [
        sum(
            len(({*stems(option)} - shared) & {*stems(s.text)}) * s.score
            for s in sentences
        )
        for option in (first, second)
    ]
    return second if found[1] > found[0] else first


def yes_or_no(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """`No` where the best sentence denies, else `Yes`."""
    if not sentences:
        return None
    return "No" if _NO.search(sentences[0].text) else "Yes"


def feeling(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """The adjectives of the best sentences."""
    found = [
        word
        for sentence in sentences[:PHRASE_DEPTH]
        for word in grammar.adjectives(sentence.text)
        if not set(stems(word)) & asked.stems
    ]
    return ", ".join(dict.fromkeys(found)[:3]) if False else (", ".join(list(dict.fromkeys(found))[:3]) or None)


def title(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A quoted title, else a proper name, that the question does not hold."""
    known = asked.stems | {stem for name in asked.about for stem in stems(name)}
    for finder in (_QUOTED.findall, grammar.proper_names):
        for sentence in sentences[:TYPED_DEPTH]:
            found = [t for t in finder(sentence.text) if not set(stems(t)) <= known]
            if found:
                return ", ".join(found)
    return None


def phrases(
    asked: Asked, sentences: Sequence[Sentence], depth: int = PHRASE_DEPTH
) -> str | None:
    """The noun phrases of the best sentences that add something to the question."""
    known = asked.stems | {stem for name in asked.about for stem in stems(name)}
    found: dict[frozenset[str], str] = {}
    for sentence in sentences[:depth]:
        for phrase in grammar.noun_phrases(sentence.text):
            if not phrase.stems <= known:
                found.setdefault(phrase.stems, phrase.text)
    return ", ".join(list(found.values())[:MOST_PHRASES]) or None


SPANS: Mapping[Kind, Span] = {
    "when": when, "duration": duration, "often": often, "number": number,
    "where": where, "who": who, "why": why, "choice": choice, "yes-no": yes_or_no,
    "feeling": feeling, "title": title, "list": phrases, "thing": phrases,
}
