"""What a question asks for, read from its words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from skillmill.models.heuristics.dates import find_dates
from skillmill.models.heuristics.periods import Period
from skillmill.models.heuristics.wording import normal, stems

Kind = Literal[
    "when", "duration", "number", "often", "where", "who", "why", "choice", "yes-no",
    "feeling", "title", "thing",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    `stems` are those of its content words without the names in `about`, the speakers
    it names; `focus` is the stem of the noun after what, which or how many;
    `options` are the two sides of a choice.
    """

    text: str
    kind: Kind
    stems: frozenset[str]
    about: tuple[str, ...]
    focus: str | None = None
    options: tuple[str, str] | None = None
    period: Period | None = None


_TITLED = (
    r"books?|novels?|songs?|movies?|films?|video games?|games?|bands?|albums?"
    r"|shows?|series|titles?|names?|artists?|musicians?|authors?|podcasts?|plays"
)
_PLACES = (
    r"cit(?:y|ies)|countr(?:y|ies)|states?|towns?|places?|areas?|locations?|venues?"
    r"|continents?|islands?|neighbou?rhoods?"
)
_BEGINS_YES_NO = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might)\b"
)
#: Tried in order; the first that is found decides.
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("when", r"^(?:(?:in|on|since|by|until) )?(?:when\b|(?:what|which) (?:exact "
             r"|specific )?(?:date|day|month|year|week|time of))"),
    ("duration", r"\bhow long\b|\bhow many (?:minutes|hours|days|weeks|months"
                 r"|years)\b"),
    ("number", r"\bhow (?:many|much|old|far|tall|big|large|fast)\b"),
    ("often", r"\bhow (?:often|frequently)\b"),
    ("where", rf"\bwhere\b|\b(?:what|which)(?: \w+)? (?:{_PLACES})\b"),
    ("who", r"^(?:(?:with|to|from|by|for) )?(?:who|whom|whose)\b"),
    ("why", r"^(?:why\b|what (?:motivat|inspir|prompt|made|caused|led)\w*"
            r"|for what reason|what (?:is|was|were|are) \w+(?:'s)? reason)"),
    ("choice", rf"^{_BEGINS_YES_NO}.*\bor\b.*\?"),
    ("yes-no", rf"^{_BEGINS_YES_NO}"),
    ("feeling", r"^how (?:does|do|did|was|were|is|are|has|have|had)\b.*"
                r"\b(?:feel|felt|feeling|describe|react|look)"
                r"|\bwhat\b.*\b(?:feelings?|emotions?|attitude|sentiment|reaction"
                r"|mood)\b"),
    ("title", rf"\b(?:what|which)(?: \w+){{0,3}}? (?:{_TITLED})\b"),
)  # fmt: skip
_FOCUS = re.compile(
    r"\b(?:what|which|how many|how much)\s+(?:(?:kinds?|types?|sorts?|pieces?) of\s+)?"
    r"(?:\w+\s+){0,2}?(?P<focus>[a-z-]+)\s+(?:is|are|was|were|do|does|did|has|have|had"
    r"|can|could|will|would|should|might|to|in|from|for|of)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"(?P<first>(?:[\w'-]+ ){0,3}[\w'-]+),? or (?P<second>[\w' -]+)\?", re.IGNORECASE
)


def taken_apart(question: str, speakers: Sequence[str]) -> Asked:
    """Tell what a question asks for and about whom.

    Parameters
    ----------
    question : str
        English.
    speakers : sequence of str
        Names that the question may use, whole or by their first word, or shortened
        to three letters or more (`Mel` for Melinda).
    """
    text = normal(question)
    places = {name: place for name in speakers if (place := _place(text, name)) >= 0}
    about = tuple(sorted(places, key=lambda name: (places[name], name)))
    left_out = {stem for name in about for stem in stems(name)}
    left_out |= {stem for name in about for stem in stems(name.split()[0][:3])}
    kind = _kind(text)
    focus = _FOCUS.search(text)
    dates = find_dates(text, None)
    return Asked(
        text=text,
        kind=kind,
        stems=frozenset(stems(text)) - left_out,
        about=about,
        focus=next(iter(stems(focus["focus"])), None) if focus else None,
        options=_options(text) if kind == "choice" else None,
        period=dates[0].period if dates else None,
    )


def _kind(text: str) -> Kind:
    """Tell what a question asks for by the first pattern that is found."""
    for kind, pattern in _KINDS:
        if re.search(pattern, text, re.IGNORECASE):
            return kind
    return "thing"


def _place(text: str, name: str) -> int:
    """Tell where a text first names a speaker; -1 where it does not."""
    first = name.split(maxsplit=1)[0]
    shapes = "|".join(
        re.escape(shape) for shape in (first, first[:3]) if len(shape) > 1
    )
    match = re.search(rf"\b(?:{shapes})\b", text) if shapes else None
    return match.start() if match else -1


def _options(text: str) -> tuple[str, str] | None:
    """The two sides of an "or"."""
    match = _CHOICE.search(text)
    return (match["first"], match["second"]) if match else None
