"""Prerequisites of skills: who makes what they take, down to what must be given."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from skillmill.compute.fusion import DECIMALS
from skillmill.library.dependencies import Dependency
from skillmill.library.prerequisites import DependencyGraph

BEYOND = "more prerequisites than the bundle may hold"


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """A skill that was added, the next on its way to a primary one, and what it makes.

    `path` begins with the skill and ends with a primary one.
    """

    skill: str
    path: tuple[str, ...]
    slots: tuple[str, ...]


@dataclass(slots=True)
class Closure:
    """What was added, in the order found, and what there was no room for."""

    added: list[Prerequisite] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)


def close(
    primaries: Sequence[str],
    graph: DependencyGraph,
    relevance: Mapping[str, float],
    *,
    most: int,
    least_trust: int = 0,
) -> Closure:
    """Add producers until each input that a skill of the library makes is made.

    Parameters
    ----------
    primaries : sequence of str
        Skills that are in, the best first.
    graph : DependencyGraph
    relevance : mapping of str to float
        Decides between producers of one input; unknown ones have 0.
    most : int
        The most skills added; nearer ones come first.
    least_trust : int
        Edges whose source is trusted less (`dependencies.TRUST`) are not followed.

    Returns
    -------
    Closure

    Notes
    -----
    An input that a skill of the bundle makes needs no other producer, unless that one
    itself waits for the consumer. Of several producers the one that serves most open
    inputs is taken, of equals the most relevant, then the heavier edge, then by id.
    """
    found = _Growing(graph, relevance, least_trust, most)
    for skill in primaries:
        found.paths.setdefault(skill, (skill,))
    ring = list(found.paths)
    while ring:
        ring = [new for skill in ring for new in found.serve(skill)]
    return Closure(found.added, sorted(found.beyond))


class _Growing:
    """A bundle while prerequisites are added."""

    def __init__(
        self,
        graph: DependencyGraph,
        relevance: Mapping[str, float],
        least_trust: int,
        most: int,
    ) -> None:
        self._graph = graph
        self._relevance = relevance
        self._least_trust = least_trust
        self._most = most
        self.paths: dict[str, tuple[str, ...]] = {}
        self.added: list[Prerequisite] = []
        self.beyond: set[str] = set()
        self._waits_for: dict[str, set[str]] = {}

    def serve(self, consumer: str) -> list[str]:
        """Find producers of what a skill takes; give those that are new."""
        edges = self._graph.into(consumer, self._least_trust)
        open_slots = dict.fromkeys(name for edge in edges for _, name, _ in edge.slots)
        inside = [edge for edge in edges if edge.producer in self.paths]
        for edge in self._best_first(inside, open_slots):
            if not self._waits(edge.producer, consumer):
                self._link(edge, open_slots)
        fresh = []
        outside = [edge for edge in edges if edge.producer not in self.paths]
        while open_slots and outside:
            edge = next(iter(self._best_first(outside, open_slots)))
            outside.remove(edge)
            served = _served(edge, open_slots)
            if not served:
                break
            if len(self.added) >= self._most:
                self.beyond.add(edge.producer)
                self._drop(edge, open_slots)
                continue
            path = (edge.producer, *self.paths[consumer])
            self.paths[edge.producer] = path
            self.added.append(Prerequisite(edge.producer, path, tuple(served)))
            self.beyond.discard(edge.producer)
            self._link(edge, open_slots)
            fresh.append(edge.producer)
        return fresh

    def _link(self, edge: Dependency, open_slots: dict[str, None]) -> None:
        """Let a producer serve what is open."""
        if _served(edge, open_slots):
            self._waits_for.setdefault(edge.consumer, set()).add(edge.producer)
            self._drop(edge, open_slots)

    def _drop(self, edge: Dependency, open_slots: dict[str, None]) -> None:
        for name in _served(edge, open_slots):
            del open_slots[name]

    def _waits(self, skill: str, other: str) -> bool:
        """Whether a skill waits, at some remove, for another."""
        seen, ahead = {skill}, [skill]
        while ahead:
            here = ahead.pop()
            if here == other:
                return True
            new = self._waits_for.get(here, set()) - seen
            seen |= new
            ahead += sorted(new)
        return False

    def _best_first(
        self, edges: Iterable[Dependency], open_slots: Mapping[str, None]
    ) -> list[Dependency]:
        return sorted(
            edges,
            key=lambda edge: (
                -len(_served(edge, open_slots)),
                -round(self._relevance.get(edge.producer, 0.0), DECIMALS),
                -edge.weight,
                edge.producer,
            ),
        )


def _served(edge: Dependency, open_slots: Mapping[str, None]) -> list[str]:
    """Open inputs that an edge serves."""
    return [name for _, name, _ in edge.slots if name in open_slots]
