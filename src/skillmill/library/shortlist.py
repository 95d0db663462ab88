"""Which pairs of skills are worth a look: candidates of every source, bounded."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillmill.library.cousage import CoUsage
from skillmill.library.declared import producers, related
from skillmill.library.textlinks import (
    links,
    mentions,
    shared_file_types,
    shared_tools,
)
from skillmill.library.vocabulary import Origin
from skillmill.store.graph import Candidate
from skillmill.types import Edge, LibrarySkill

#: Whose candidates stay where a list is too long: what an author or a user has said
#: goes before what only looks alike.
_TRUST: tuple[Origin, ...] = (
    "related",
    "part_of",
    "link",
    "declared_io",
    "co_usage",
    "mention",
    "similar",
    "tool",
    "file_type",
)


@dataclass(frozen=True, slots=True)
class ShortlistSettings:
    """How many candidates a skill may have: of each source, and in all.

    A source that is not in `sources`, or has 0, is not used.
    """

    sources: Mapping[str, int]
    limit: int


@dataclass(frozen=True, slots=True)
class Shortlists:
    """The candidates of each skill.

    Attributes
    ----------
    found : dict of str to dict of str to tuple of str
        Skill -> candidate -> the sources that name it, sorted; candidates in id
        order, so that the last digits of a cosine never change the list. A skill
        without candidates has an empty one.
    left_out : int
        Candidates that the limits took away.
    """

    found: Mapping[str, Mapping[str, tuple[str, ...]]]
    left_out: int

    def rows(self) -> list[Candidate]:
        """One row a skill, candidate and source."""
        return [
            Candidate(skill, other, origin)
            for skill, others in self.found.items()
            for other, origins in others.items()
            for origin in origins
        ]

    def origins(self, one: str, other: str) -> tuple[str, ...]:
        """The sources that found a pair, from either side, sorted."""
        there = self.found.get(one, {}).get(other, ())
        back = self.found.get(other, {}).get(one, ())
        return tuple(sorted({*there, *back}))


def shortlists(
    skills: Sequence[LibrarySkill],
    similar: Iterable[Edge],
    usage: CoUsage,
    settings: ShortlistSettings,
) -> Shortlists:
    """Gather the candidates of every skill from every configured source.

    Departments do not matter. `similar` are the `similar_to` edges, nearest neighbours
    of their source; of each source at most its limit, the best first. Where a skill
    has more than `settings.limit` candidates, those of the most trusted source stay,
    within it the best.

    Notes
    -----
    Comparative paper, section 2.2 (K = 8 embedding neighbours across departments);
    the other sources are its section 6.6.
    """
    known = {skill.id for skill in skills}
    ranked: dict[str, list[tuple[str, str]]] = {skill.id: [] for skill in skills}
    left_out = 0
    for origin in _TRUST:
        most = settings.sources.get(origin, 0)
        if not most:
            continue
        for skill, others in _candidates(origin, skills, similar, usage, most).items():
            fit = [other for other in others if other in known and other != skill]
            ranked.get(skill, []).extend((other, origin) for other in fit[:most])
            left_out += len(fit[most:])
    found = {}
    for skill, pairs in sorted(ranked.items()):
        origins: dict[str, set[str]] = defaultdict(set)
        for other, name in pairs:
            origins[other].add(name)
        kept = sorted([*origins][: settings.limit])
        left_out += len(origins) - len(kept)
        found[skill] = {other: tuple(sorted(origins[other])) for other in kept}
    return Shortlists(found, left_out)


def _candidates(
    origin: Origin,
    skills: Sequence[LibrarySkill],
    similar: Iterable[Edge],
    usage: CoUsage,
    most: int,
) -> Mapping[str, Sequence[str]]:
    """Candidates of each skill by one source, best first.

    A pair that one skill declares is a candidate of that skill alone, so that an edit
    of the other does not touch its list.
    """
    if origin == "related":
        return related(skills)[0]
    if origin == "part_of":
        return {skill.id: [skill.part_of] for skill in skills if skill.part_of}
    scored: Mapping[str, Iterable[tuple[str, float]]]
    if origin == "declared_io":
        scored = producers(skills, most)[0]
    elif origin == "similar":
        scored = _nearest(similar)
    elif origin == "co_usage":
        scored = usage.neighbours()
    elif origin == "tool":
        scored = shared_tools(skills, most)
    elif origin == "file_type":
        scored = shared_file_types(skills, most)
    else:
        scored = (links if origin == "link" else mentions)(skills)
    return {skill: [other for other, _ in pairs] for skill, pairs in scored.items()}


def _nearest(similar: Iterable[Edge]) -> dict[str, list[tuple[str, float]]]:
    """Nearest neighbours of each skill, nearest first, of equals by id."""
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for edge in similar:
        found[edge.source].append((edge.target, edge.weight or 0.0))
    for pairs in found.values():
        pairs.sort(key=lambda pair: (-pair[1], pair[0]))
    return found
