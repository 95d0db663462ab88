"""Edges and candidates that the skills declare themselves."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from skillmill.library.vocabulary import PART_OF, ends_of
from skillmill.types import Edge, LibrarySkill

#: A producer, and the share of the consumer's inputs that it makes.
Producer = tuple[str, float]


def names_of(skill: LibrarySkill) -> tuple[str, ...]:
    """What else a skill may be called by: its name, and its folder's own name."""
    folder = posixpath.basename(posixpath.dirname(skill.path))
    own = [skill.name, skill.id.rsplit("/", 1)[-1]]
    # The file of a listing lies in a folder that says nothing about it.
    own += [folder] if folder and skill.kind == "skill" else []
    return tuple(dict.fromkeys(own))


class Names:
    """What skills may be called by: id, alias, and a name that one alone has."""

    def __init__(self, skills: Iterable[LibrarySkill]) -> None:
        self._ids: dict[str, str] = {}
        named: dict[str, set[str]] = defaultdict(set)
        for skill in skills:
            self._ids.update(dict.fromkeys((*skill.aliases, skill.id), skill.id))
            for name in names_of(skill):
                named[name.casefold()].add(skill.id)
        self._names = {name: min(ids) for name, ids in named.items() if len(ids) == 1}

    def find(self, called: str) -> str | None:
        """The id of the skill that is meant; None if there is none, or several."""
        return self._ids.get(called) or self._names.get(called.casefold())

    def all(self) -> list[str]:
        """Every id and alias, sorted."""
        return sorted(self._ids)


def related(skills: Sequence[LibrarySkill]) -> tuple[dict[str, list[str]], int]:
    """The skills that each one's `related` names, sorted, and how many lead nowhere."""
    names = Names(skills)
    found, lost = {}, 0
    for skill in skills:
        called = [names.find(name) for name in skill.related]
        lost += called.count(None)
        found[skill.id] = sorted({one for one in called if one} - {skill.id})
    return found, lost


def producers(
    skills: Sequence[LibrarySkill], most: int
) -> tuple[dict[str, list[Producer]], int]:
    """The skills whose outputs are inputs of each, the `most` best, and how many more.

    The share is that of the consumer's distinct inputs which the producer makes; best
    first, of equals by id. Inputs and outputs are equal if they are once case, blanks
    and underscores are evened out.
    """
    makers: dict[str, list[str]] = defaultdict(list)
    for skill in skills:
        for slot in _slots(skill.outputs):
            makers[slot].append(skill.id)
    found, cut = {}, 0
    for skill in skills:
        wanted = _slots(skill.inputs)
        made: dict[str, int] = defaultdict(int)
        for slot in wanted:
            for maker in makers.get(slot, ()):
                made[maker] += 1
        made.pop(skill.id, None)
        shares = [(maker, round(n / len(wanted), 6)) for maker, n in made.items()]
        shares.sort(key=lambda pair: (-pair[1], pair[0]))
        found[skill.id] = shares[:most]
        cut += len(shares[most:])
    return found, cut


def related_edges(skills: Sequence[LibrarySkill]) -> list[Edge]:
    """A `complements` edge for each declared `related`, provenance `derived`.

    ASSUME: `related` says that two skills belong together, and no more.
    """
    relation = "complements"
    found, _ = related(skills)
    ends = {ends_of(one, other, relation) for one in found for other in found[one]}
    return [Edge(*pair, relation, None, "derived") for pair in sorted(ends)]


def part_edges(skills: Sequence[LibrarySkill]) -> list[Edge]:
    """A `part_of` edge for each skill that lies in another's folder."""
    known = {skill.id for skill in skills}
    return [
        Edge(skill.id, skill.part_of, PART_OF, None, "derived")
        for skill in sorted(skills, key=lambda skill: skill.id)
        if skill.part_of is not None and skill.part_of in known
    ]


def feeding_edges(
    skills: Sequence[LibrarySkill], containment: float, most: int
) -> list[Edge]:
    """A `feeds_into` edge where one skill makes enough of what another takes.

    Provenance `rule`; the weight is the share of the consumer's inputs, at least
    `containment`. `most` bounds the producers of one consumer, as in `producers`.
    """
    found, _ = producers(skills, most)
    edges = [
        Edge(producer, consumer, "feeds_into", share, "rule")
        for consumer, made in found.items()
        for producer, share in made
        if share >= containment
    ]
    return sorted(edges, key=lambda edge: (edge.source, edge.target))


def _slots(names: Iterable[str]) -> set[str]:
    """Names of artefacts in one spelling: lower case, hyphens."""
    evened = (re.sub(r"[\s_]+", "-", name.strip().casefold()) for name in names)
    return {name for name in evened if name}
