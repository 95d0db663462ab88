"""Pairs of texts that belong together, to adapt an encoder to a library."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from skillmill.library.passages import skill_text
from skillmill.types import LibrarySkill, Task

#: What the first text of a pair is.
PairKind = Literal["name", "section", "query"]
KINDS: tuple[PairKind, ...] = ("name", "section", "query")

#: Characters of a section that count, and words it must have.
_LONGEST = 400
_FEWEST = 8

_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)


class Pair(NamedTuple):
    """A text that somebody could look a skill up by, and the text that is indexed."""

    anchor: str
    positive: str


def training_pairs(
    skills: Iterable[LibrarySkill],
    queries: Iterable[Task] = (),
    kinds: Sequence[PairKind] = KINDS,
    sections: int = 8,
) -> list[Pair]:
    """Pairs of a library, by skill id; no pair twice.

    Parameters
    ----------
    skills : iterable of LibrarySkill
    queries : iterable of Task
        Logged or written; each is paired with every skill it needs.
    kinds : sequence of str
        `name`: the name, with blanks for hyphens; `section`: the first sections of the
        body, cut at headings, each to 400 characters; `query`.
    sections : int
        The most of each body.

    Returns
    -------
    list of Pair
        The second text is always `name: description`, as it is embedded.
    """
    asked: dict[str, list[str]] = {}
    for query in queries:
        for item in query.relevant:
            asked.setdefault(item, []).append(query.text)
    found: dict[Pair, None] = {}
    for skill in sorted(skills, key=lambda one: one.id):
        texts = {
            "name": [re.sub(r"[-_]+", " ", skill.name)],
            "section": [*_sections(skill.body)][:sections],
            "query": asked.get(skill.id, []),
        }
        for kind in kinds:
            pairs = (Pair(text, skill_text(skill)) for text in texts[kind])
            found.update(dict.fromkeys(pair for pair in pairs if pair.anchor.strip()))
    return [*found]


def _sections(body: str) -> Iterator[str]:
    """Sections of a body that say something, each as one line."""
    for part in _HEADING.split(body):
        text = " ".join(part.split())
        if len(text.split()) >= _FEWEST:
            yield text[:_LONGEST]
