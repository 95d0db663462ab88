"""The relations between library skills: what they mean and how far each is trusted."""

from collections.abc import Mapping
from itertools import count
from types import MappingProxyType
from typing import Literal, get_args

from skillmill.types import Edge

Relation = Literal[
    "requires",
    "specializes",
    "feeds_into",
    "routes_to",
    "precedes",
    "complements",
    "alternative_to",
    "verifies",
]
#: The eight relations of the Comparative paper (section 2.1), in its order.
RELATIONS: tuple[Relation, ...] = get_args(Relation)

#: A skill whose folder lies in another's; from the catalogue alone, nobody asks for it.
PART_OF = "part_of"

#: The order in which a traversal follows the relations: lower first.
PRIORITY: Mapping[str, int] = MappingProxyType(
    dict(zip([*RELATIONS, PART_OF], count(1), strict=False))
)

#: Mean the same both ways; stored once, with the smaller id as source.
SYMMETRIC = frozenset({"complements", "alternative_to"})

#: Hold no cycle.
ACYCLIC: tuple[Relation, ...] = ("requires", "specializes", "feeds_into", "precedes")

Provenance = Literal["curated", "derived", "rule", "llm", "learned", "embedding"]
#: Whom to believe where two disagree: higher overrides lower.
RANK: Mapping[str, int] = MappingProxyType(
    dict(zip(reversed(get_args(Provenance)), count(), strict=False))
)

#: Which end comes first in time: +1 the source, -1 the target; others say nothing.
_TIME: Mapping[str, int] = MappingProxyType(
    {"feeds_into": 1, "routes_to": 1, "precedes": 1, "requires": -1, "verifies": -1}
)

#: Where a pair was found worth looking at.
Origin = Literal[
    "similar",
    "link",
    "mention",
    "related",
    "part_of",
    "declared_io",
    "co_usage",
    "tool",
    "file_type",
    "curated",
]
ORIGINS: tuple[Origin, ...] = get_args(Origin)


def pair_of(source: str, target: str) -> tuple[str, str]:
    """Both ends in id order, whichever way the edge goes."""
    return (source, target) if source <= target else (target, source)


def ends_of(source: str, target: str, relation: str) -> tuple[str, str]:
    """The ends as they are stored: in id order where the relation is symmetric."""
    return pair_of(source, target) if relation in SYMMETRIC else (source, target)


def disagree(one: Edge, other: Edge) -> bool:
    """Whether two edges of one pair cannot both hold, for their direction.

    They are of one relation that is not symmetric and go opposite ways, or each says
    which skill comes first, and not the same one (section 6.3: `feeds_into` against
    `precedes` reversed).
    """
    is_opposite = (one.source, one.target) == (other.target, other.source)
    if not is_opposite and (one.source, one.target) != (other.source, other.target):
        return False
    if one.relation == other.relation:
        return is_opposite and one.relation not in SYMMETRIC
    turn = -1 if is_opposite else 1
    return _TIME.get(one.relation, 0) * _TIME.get(other.relation, 0) * turn == -1
