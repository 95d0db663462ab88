"""Queries that echo their target: those that BM25 looks up like a key.

Queries written with a description in sight reuse its words and make any ranker look
better than it is (Comparative paper, section 5.2).
"""

from collections.abc import Iterable, Sequence

from skillmill.library.wordindex import terms_of
from skillmill.types import LibrarySkill

#: Words in a row, stop words left out, that no writer of a query finds by chance.
LONGEST_SHARED = 3


def echoes(query: str, skill: LibrarySkill) -> list[str]:
    """Reasons why a query echoes a skill; [] if it does not.

    It does if it holds every word of the skill's name (or of the last part of its id or
    of an alias), or more than `LONGEST_SHARED` words in a row of its description; both
    on stemmed words without stop words.
    """
    terms = terms_of(query)
    reasons = []
    for name in sorted(_names(skill)):
        words = set(terms_of(name))
        if words and words <= set(terms):
            reasons.append(f"it holds every word of the name {name!r}")
    run = _longest_run(terms, terms_of(skill.description))
    if len(run) > LONGEST_SHARED:
        shared = " ".join(run)
        reasons.append(f"it shares {len(run)} words in a row of the text: {shared}")
    return reasons


def _names(skill: LibrarySkill) -> set[str]:
    ids: Iterable[str] = (skill.id, *skill.aliases)
    return {skill.name, *(item.rsplit("/", 1)[-1] for item in ids)}


def _longest_run(first: Sequence[str], second: Sequence[str]) -> Sequence[str]:
    """The longest run of words that both hold, the first of equals."""
    best: Sequence[str] = ()
    lengths = [0] * (len(second) + 1)
    for end, word in enumerate(first, start=1):
        before = lengths
        lengths = [0] * (len(second) + 1)
        for place, other in enumerate(second, start=1):
            if word == other:
                lengths[place] = before[place - 1] + 1
                if lengths[place] > len(best):
                    best = first[end - lengths[place] : end]
    return best
