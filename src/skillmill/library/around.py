"""What stands around a skill in the graph, in the words of somebody at work with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from skillmill.library.vocabulary import PART_OF, PRIORITY, RANK
from skillmill.types import Edge

Role = Literal["before", "after", "alternative", "together", "general", "special"]
#: In the order they are told.
ROLES: tuple[Role, ...] = get_args(Role)

#: Which the far end is, where it is the target of an edge, and where its source.
_ROLE: Mapping[str, tuple[Role, Role]] = MappingProxyType(
    {
        "requires": ("before", "after"),
        "verifies": ("before", "after"),
        "feeds_into": ("after", "before"),
        "routes_to": ("after", "before"),
        "precedes": ("after", "before"),
        "alternative_to": ("alternative", "alternative"),
        "complements": ("together", "together"),
        "specializes": ("general", "special"),
        PART_OF: ("general", "special"),
    }
)
#: Not typed: nothing is known but that the texts are alike.
SIMILAR = "similar_to"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A skill joined to the one asked about.

    `relation` reads from the source to the target; `forward` tells that the skill
    asked about is the source. `role` is what the neighbour is to it, None for
    `similar_to`.
    """

    skill: str
    role: Role | None
    relation: str
    forward: bool
    weight: float | None
    provenance: str


def neighbours(skill: str, edges: Iterable[Edge]) -> list[Neighbour]:
    """Everything one edge away from a skill, typed relations first.

    Ordered by the priority of the relation, trust, weight (higher first) and id; the
    same skill may come several times, once a relation and direction. Edges that do not
    touch the skill are ignored.
    """
    found = {
        _neighbour(skill, edge) for edge in edges if skill in (edge.source, edge.target)
    }
    return sorted(found, key=_order)


def by_role(around: Iterable[Neighbour]) -> dict[Role, list[str]]:
    """Skills by what they are to the one asked about, best first, each once a role."""
    found: dict[Role, list[str]] = {role: [] for role in ROLES}
    for one in around:
        if one.role is not None and one.skill not in found[one.role]:
            found[one.role].append(one.skill)
    return found


def _neighbour(skill: str, edge: Edge) -> Neighbour:
    forward = edge.source == skill
    roles = _ROLE.get(edge.relation)
    return Neighbour(
        skill=edge.target if forward else edge.source,
        role=None if roles is None else roles[0 if forward else 1],
        relation=edge.relation,
        forward=forward or edge.relation == SIMILAR,  # stored both ways or one
        weight=edge.weight,
        provenance=edge.provenance,
    )


def _order(one: Neighbour) -> tuple[int, int, float, str, bool]:
    last = len(PRIORITY) + 1
    return (
        PRIORITY.get(one.relation, last),
        -RANK[one.provenance],
        -(one.weight or 0.0),
        one.skill,
        not one.forward,
    )
