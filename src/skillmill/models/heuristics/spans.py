"""Short answers by kind of question, cut out of scored sentences."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from skillmill.models.heuristics import grammar, periods
from skillmill.models.heuristics.dates import find_dates
from skillmill.models.heuristics.numbers import COUNT, NUMBER, numbers_in
from skillmill.models.heuristics.passages import Sentence
from skillmill.models.heuristics.periods import Period
from skillmill.models.heuristics.questions import Asked, Kind
from skillmill.models.heuristics.wording import stem, stems

Span = Callable[[Asked, Sequence[Sentence]], str | None]

#: A sentence with a date beats a better one without, if it is this close.
DATE_BONUS, TURN_DATE_BONUS, VAGUE_DATE = 0.2, 0.05, -0.1
#: Sentences looked at for amounts, for names, and for phrases.
AMOUNT_DEPTH, TYPED_DEPTH, PHRASE_DEPTH = 10, 4, 2
MOST_PHRASES, MOST_FEELINGS = 6, 3
#: A second sentence is used too if its score is at most this much lower.
NEAR_BEST = 0.4

_UNITS = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_DURATION = re.compile(
    rf"(?<![\w.])(?:{COUNT}|a few|few|several|many|(?:half|most of) an?)"
    rf"(?: more| whole| full)? {_UNITS}\b(?! ago)|\bsince (?:the )?[\w' ]*?\d{{4}}\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    rf"(?:(?:once|twice|thrice|{NUMBER} times)(?: or (?:once|twice|thrice|{NUMBER}"
    rf" times))?(?: a| per| each| every) \w+|(?:every|each)(?: other| single)?"
    rf" (?:{_UNITS}|morning|afternoon|evening|\w+day)|daily|weekly|monthly|yearly"
    r"|annually|regularly|all the time)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"(?:\b(?:because(?: of)?|so that|due to|thanks to|in order to)|'cause)"
    r"\s+(?P<reason>[^.!?;]+)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"]{2,60})\"")
_NO = re.compile(r"\b(?:no|not|never|nope|nah|none|nothing|\w+n't)\b", re.IGNORECASE)
_PLACE_LABELS = frozenset({"GPE", "LOC", "FAC"})
_PERSON_LABELS = frozenset({"PERSON"})
_BEFORE_PLACE = frozenset({"in", "at", "to", "near", "from"})
_PEOPLE = frozenset(
    stem(word)
    for word in """
    aunt boss boyfriend brother child coach colleague cousin dad daughter doctor
    family father friend girlfriend grandfather grandma grandmother grandpa husband
    mentor mom mother neighbor neighbour nephew niece parent partner sister son
    student teacher team uncle wife
    """.split()  # noqa: SIM905 - a quoted list of these is harder to read
)


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
            if asked.period is not None and _covers(mention.period, asked.period):
                continue  # what the question says itself is no answer
            vague = VAGUE_DATE if mention.period.days >= 365 else 0.0
            options.append(
                (sentence.score + DATE_BONUS + vague, mention.period.written)
            )
    return max(options, key=lambda option: option[0])[1]


def _covers(period: Period, asked: Period) -> bool:
    """Tell whether a period is at least as long as the one asked about, around it."""
    if not asked.dated:
        asked = asked.in_year(period.first.year)
    return period.days >= asked.days and period.first <= asked.first <= period.last


def _said_on(day: date | None) -> str | None:
    """The day of a sentence in words."""
    return periods.day(day).written if day else None


def _first_match(sentences: Sequence[Sentence], pattern: re.Pattern[str]) -> str | None:
    """The first match of a pattern in the best sentences."""
    for sentence in sentences[:AMOUNT_DEPTH]:
        match = pattern.search(sentence.text)
        if match:
            return match[0]
    return None


def duration(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A length of time: `four years`, `since 2016`."""
    return _first_match(sentences, _DURATION)


def often(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A frequency: `twice a week`, `every day`."""
    return _first_match(sentences, _OFTEN)


def number(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A number that counts what the question counts, else the first number."""
    others: list[str] = []
    for sentence in sentences[:AMOUNT_DEPTH]:
        for start, end, _ in numbers_in(sentence.text):
            following = stems(sentence.text[end : end + 40])[:3]
            written = sentence.text[start:end]
            if asked.focus is not None and asked.focus in following:
                return written
            others.append(written)
    return others[0] if others else None


def where(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A named place, else what follows a preposition of place."""
    known = _known(asked, sentences)
    for sentence in sentences[:TYPED_DEPTH]:
        places = grammar.named(sentence.text, _PLACE_LABELS)
        found = [place for place in places if not set(stems(place)) <= known]
        if found:
            return ", ".join(dict.fromkeys(found))
    for sentence in sentences[:PHRASE_DEPTH]:
        for phrase in grammar.noun_phrases(sentence.text):
            if phrase.before in _BEFORE_PLACE and not phrase.stems <= known:
                return phrase.text
    return None


def who(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """A person whom the question does not name, else words for people."""
    known = asked.stems | {stem for name in asked.about for stem in stems(name)}
    for sentence in sentences[:TYPED_DEPTH]:
        people = grammar.named(sentence.text, _PERSON_LABELS)
        found = [person for person in people if not set(stems(person)) & known]
        if found:
            return ", ".join(dict.fromkeys(found))
    for sentence in sentences[:TYPED_DEPTH]:
        found = [
            phrase.text
            for phrase in grammar.noun_phrases(sentence.text)
            if phrase.head in _PEOPLE
        ]
        if found:
            return ", ".join(dict.fromkeys(found))
    return None


def why(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """What follows "because" or the like, else the best sentence as it is."""
    for sentence in sentences[:PHRASE_DEPTH]:
        match = _BECAUSE.search(sentence.text)
        if match:
            return match["reason"].strip()
    return sentences[0].text if sentences else None


def choice(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """The side of an "or" that more of the evidence speaks of, the first in a tie."""
    if asked.options is None:
        return yes_or_no(asked, sentences)
    first, second = (frozenset(stems(option)) for option in asked.options)
    spoken = [
        sum(s.score * len((side - other) & set(stems(s.text))) for s in sentences)
        for side, other in ((first, second), (second, first))
    ]
    return asked.options[1 if spoken[1] > spoken[0] else 0]


def yes_or_no(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """`No` where the best sentence denies, else `Yes`."""
    if not sentences:
        return None
    return "No" if _NO.search(sentences[0].text) else "Yes"


def feeling(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """The adjectives that the best sentences say of somebody or something."""
    found = [
        word
        for sentence in sentences[:PHRASE_DEPTH]
        for word in grammar.adjectives(sentence.text)
        if not set(stems(word)) & asked.stems
    ]
    return ", ".join(list(dict.fromkeys(found))[:MOST_FEELINGS]) or None


def title(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """Quoted titles, else proper names, that the question does not hold."""
    known = _known(asked, sentences)
    for finder in (_QUOTED.findall, grammar.proper_names):
        for sentence in sentences[:TYPED_DEPTH]:
            found = [t for t in finder(sentence.text) if not set(stems(t)) <= known]
            if found:
                return ", ".join(dict.fromkeys(found))
    return None


def phrases(asked: Asked, sentences: Sequence[Sentence]) -> str | None:
    """Noun phrases of the best sentences that add something to the question.

    Where the question names what it wants ("what kind of floor"), phrases about that
    alone, if there are any.
    """
    known = _known(asked, sentences)
    found: dict[frozenset[str], str] = {}
    wanted: dict[frozenset[str], str] = {}
    for sentence in sentences[:PHRASE_DEPTH]:
        if sentence.score < sentences[0].score - NEAR_BEST:
            break
        for phrase in grammar.noun_phrases(sentence.text):
            if phrase.stems <= known:
                continue
            found.setdefault(phrase.stems, phrase.text)
            if phrase.head == asked.focus:
                wanted.setdefault(phrase.stems, phrase.text)
    return ", ".join(list((wanted or found).values())[:MOST_PHRASES]) or None


def _known(asked: Asked, sentences: Sequence[Sentence]) -> frozenset[str]:
    """Stems that answer nothing: the question's and the names of the speakers."""
    speakers = {sentence.speaker for sentence in sentences}
    return asked.stems | {stem for name in speakers for stem in stems(name)}


SPANS: Mapping[Kind, Span] = {
    "when": when,
    "duration": duration,
    "often": often,
    "number": number,
    "where": where,
    "who": who,
    "why": why,
    "choice": choice,
    "yes-no": yes_or_no,
    "feeling": feeling,
    "title": title,
    "thing": phrases,
}
