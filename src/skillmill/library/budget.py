"""A listing of skills that fits a budget: all of them, each as long as can be."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillmill.types import LibrarySkill

#: Marks a description that was cut.
CUT = "…"
#: A description is never cut shorter: a bare name says too little to choose by.
LEAST = 24
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class FittedListing:
    """A listing, one line a skill.

    Attributes
    ----------
    lines : tuple of str
        `- name: description`, in the order given.
    width : int
        The most characters that a description has.
    cut : tuple of str
        Ids of skills whose description was cut; their line ends with `…`.
    excess : int
        Characters beyond the budget: 0 unless even `LEAST` characters a description
        do not fit.
    """

    lines: tuple[str, ...]
    width: int
    cut: tuple[str, ...]
    excess: int


def fit_listing(skills: Sequence[LibrarySkill], budget: int) -> FittedListing:
    """List skills in at most `budget` characters, line ends included.

    All descriptions are cut to one width, the largest that fits; a shorter one stays
    whole. A cut falls after the first sentence where that fits and no word of the next
    would, else between words.

    Raises
    ------
    ValueError
        If the budget is negative.
    """
    if budget < 0:
        raise ValueError(f"budget must be at least 0, got {budget}")
    longest = max((len(skill.description) for skill in skills), default=0)
    low, high = min(LEAST, longest), longest
    # The length never falls with the width, so halving finds the widest that fits.
    while low < high:
        middle = (low + high + 1) // 2
        if _length(_lines(skills, middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    lines = _lines(skills, low)
    return FittedListing(
        lines=lines,
        width=low,
        cut=tuple(skill.id for skill in skills if len(skill.description) > low),
        excess=max(0, _length(lines) - budget),
    )


def shorten(text: str, width: int) -> str:
    """A text of at most `width` characters, with a mark at its end if it was cut."""
    if len(text) <= width:
        return text
    room = max(0, width - len(CUT))
    first = _SENTENCE.split(text, maxsplit=1)[0]
    kept = text[:room]
    if not text[room : room + 1].isspace():
        kept = kept.rsplit(None, 1)[0] if " " in kept else kept
    if len(kept) < len(first) <= room:
        kept = first
    return kept.rstrip() + CUT


def _lines(skills: Sequence[LibrarySkill], width: int) -> tuple[str, ...]:
    return tuple(f"- {s.name}: {shorten(s.description, width)}" for s in skills)


def _length(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)
