"""A library's dependency graph, ready for walks: relevance and runnable orders."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from skillmill.compute.digraph import drop_back_edges, topological_order
from skillmill.compute.pagerank import (
    PagerankResult,
    Transition,
    pagerank,
    transition,
)
from skillmill.library.dependencies import TRUST, Dependency
from skillmill.types import Edge

#: Walks that a graph remembers.
_REMEMBERED = 32


class DependencyGraph:
    """Skills and who makes what they take.

    Parameters
    ----------
    ids : n strings
        All skills.
    edges : iterable of Dependency
        Those that lead out of the library are left out.
    layers : mapping of str to edges, optional
        Further edges by the name of their layer, such as `semantic`; they carry
        relevance and are no prerequisites.
    weights : mapping of str to float, optional
        What an edge of a layer counts; `dependency` is that of `edges`, 1 if not
        given (SkillTrace, appendix: 1, .5, .2, .1 in its GoS baseline).
    """

    def __init__(
        self,
        ids: Sequence[str],
        edges: Iterable[Dependency],
        layers: Mapping[str, Iterable[Edge]] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.ids = tuple(ids)
        self.row = {item: row for row, item in enumerate(self.ids)}
        kept = [e for e in edges if e.producer in self.row and e.consumer in self.row]
        self._into: dict[str, list[Dependency]] = {}
        for edge in sorted(kept, key=lambda e: (e.consumer, e.producer)):
            self._into.setdefault(edge.consumer, []).append(edge)
        self.edge_count = len(kept)
        factor = {"dependency": 1.0, **(weights or {})}
        arcs = [(e.producer, e.consumer, e.weight * factor["dependency"]) for e in kept]
        for name, members in (layers or {}).items():
            arcs += [
                (e.source, e.target, (e.weight or 1.0) * factor[name])
                for e in members
                if e.source in self.row and e.target in self.row
            ]
        self.walk: Transition = transition(both_ways(self.row, arcs))
        self._walked: OrderedDict[tuple[object, ...], PagerankResult] = OrderedDict()

    def into(self, consumer: str, least: int = 0) -> list[Dependency]:
        """Edges into a skill, by producer, whose source is trusted at least so much."""
        return [e for e in self._into.get(consumer, ()) if TRUST[e.source] >= least]

    def among(self, skills: Collection[str]) -> list[Dependency]:
        """Edges between some skills, by consumer and producer."""
        chosen = set(skills)
        return [
            edge
            for consumer in sorted(chosen)
            for edge in self.into(consumer)
            if edge.producer in chosen
        ]

    def relevance(
        self,
        seeds: Mapping[str, float],
        *,
        restart: float = 0.2,
        tolerance: float = 1e-6,
        max_steps: int = 50,
    ) -> PagerankResult:
        """How much of a walk from weighted seeds is spent at each skill.

        The walk goes along edges both ways (SkillTrace, eq. 8). Weights below zero
        count as zero; where none is above, all seeds count the same. The last answers
        are remembered, since arms and budgets start at the same seeds again and again.
        """
        key = (*seeds.items(), restart, tolerance, max_steps)
        if key in self._walked:
            self._walked.move_to_end(key)
            return self._walked[key]
        start = np.zeros(len(self.ids))
        for item, weight in seeds.items():
            start[self.row[item]] = max(weight, 0.0)
        if seeds and not start.any():
            start[[self.row[item] for item in seeds]] = 1.0
        found = pagerank(self.walk, start, restart, tolerance, max_steps)
        found.scores.setflags(write=False)
        self._walked[key] = found
        if len(self._walked) > _REMEMBERED:
            self._walked.popitem(last=False)
        return found

    def by_id(self, scores: npt.NDArray[np.float64]) -> Mapping[str, float]:
        """Scores of the rows by id, read as they are asked for."""
        return _ById(self.row, scores)


class _ById(Mapping[str, float]):
    """An array as a mapping."""

    def __init__(self, row: Mapping[str, int], scores: npt.NDArray[np.float64]) -> None:
        self._row, self._scores = row, scores

    def __getitem__(self, item: str) -> float:
        """The score of an id."""
        return float(self._scores[self._row[item]])

    def __iter__(self) -> Iterator[str]:
        """Ids in the order of the rows."""
        return iter(self._row)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._row)


def both_ways(
    row: Mapping[str, int], arcs: Sequence[tuple[str, str, float]]
) -> "sparse.csr_array":
    """A + A^T of weighted arcs between items, (n, n); repeats add up (eq. 8)."""
    n = len(row)
    source = np.array([row[s] for s, _, _ in arcs], dtype=np.intp)
    target = np.array([row[t] for _, t, _ in arcs], dtype=np.intp)
    weight: npt.NDArray[np.float64] = np.array([w for *_, w in arcs], dtype=np.float64)
    one_way = sparse.csr_array((weight, (source, target)), shape=(n, n))
    return sparse.csr_array(one_way + one_way.T)


def runnable_order(
    skills: Iterable[str], edges: Sequence[Dependency]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Skills with producers before consumers, and the arcs given up for it.

    Of a cycle the lightest arc is given up, as `digraph.drop_back_edges` does; of
    skills that are free, the one given first comes first.
    """
    place = {skill: f"{number:09d}" for number, skill in enumerate(skills)}
    name = {number: skill for skill, number in place.items()}
    # The order and the choice of what to give up follow the places, not the ids.
    strength = {
        (place[e.producer], place[e.consumer]): round(e.weight * 1e6) for e in edges
    }
    kept, dropped = drop_back_edges(strength, strength)
    order = topological_order(name, kept)
    lost = [(name[source], name[target]) for source, target in dropped]
    return [name[number] for number in order], lost
