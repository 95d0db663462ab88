"""Searching memories that a language model wrote: three published ideas, in small.

Each gives an order of the atoms, so that all are judged by the evidence they find.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skillmill.compute.vectors import unit_rows
from skillmill.evaluate.written import KINDS, Entry, Kind
from skillmill.memory.atoms import by_time
from skillmill.memory.view import MemoryView
from skillmill.skills.executor import NO_ATOMS
from skillmill.skills.state import QueryContext
from skillmill.types import Ranking

#: MemoryOS keeps the last pages as they are, opens the nearest segments, and looks up
#: facts; its paper's sizes.
LAST_PAGES, SEGMENTS, FACTS = 7, 5, 10

NOTHING_WRITTEN = "nothing was written down"


@dataclass(frozen=True, eq=False)
class WrittenMemory:
    """Entries of one conversation with their vectors, (n, d), in one order."""

    view: MemoryView
    entries: Sequence[Entry]
    vectors: npt.NDArray[np.floating]

    def nearest(
        self, query: QueryContext, kind: str, k: int | None = None
    ) -> list[tuple[Entry, float]]:
        """Entries of a kind with their cosines, best first; ties in their order."""
        rows = [row for row, entry in enumerate(self.entries) if entry.kind == kind]
        if not rows:
            return []
        unit = unit_rows(self.vectors[rows])[0]
        asked = unit_rows(np.atleast_2d(np.asarray(query.vector)))[0][0]
        cosines = np.round(unit @ asked, 6)
        order = np.argsort(-cosines, kind="stable")[:k]
        return [(self.entries[rows[i]], float(cosines[i])) for i in order]


def linked_notes(memory: WrittenMemory, query: QueryContext) -> list[str]:
    """Atoms of the nearest notes, each followed by those it links to (A-Mem)."""
    found: list[str] = []
    for entry, _ in memory.nearest(query, "note"):
        found += [*entry.atoms, *entry.linked]
    return found


def tiered_pages(memory: WrittenMemory, query: QueryContext) -> list[str]:
    """Pages of the last, of the nearest segments and of facts, by cosine (MemoryOS)."""
    view = memory.view
    cosines = view.cosines(np.asarray(query.vector))
    scores: dict[str, float] = {}
    opened = [atom.id for atom in by_time(view.atoms)[-LAST_PAGES:]]
    for entry, _ in memory.nearest(query, "segment", SEGMENTS):
        opened += entry.atoms
    for atom in opened:
        scores[atom] = round(float(cosines[view.row[atom]]), 6)
    for entry, cosine in memory.nearest(query, "fact", FACTS):
        for atom in entry.atoms:
            scores[atom] = max(scores.get(atom, cosine), cosine)
    return sorted(scores, key=lambda atom: (-scores[atom], atom))


def topic_records(memory: WrittenMemory, query: QueryContext) -> list[str]:
    """Atoms of the nearest topics, in the order of each topic (LightMem)."""
    return [atom for entry, _ in memory.nearest(query, "topic") for atom in entry.atoms]


#: What is written -> how it is searched.
SEARCHES: Mapping[Kind, Callable[[WrittenMemory, QueryContext], list[str]]] = {
    "note": linked_notes,
    "tiers": tiered_pages,
    "topics": topic_records,
}


def written_rankings(
    arm: str, memory: WrittenMemory, queries: Iterable[QueryContext], budget: int
) -> list[Ranking]:
    """Rank the atoms of a memory for each query; scores are 1 / rank.

    Raises
    ------
    KeyError
        If the arm is none of `KINDS`.
    """
    search = SEARCHES[KINDS[arm]]
    return [_ranking(arm, memory, query, search, budget) for query in queries]


def _ranking(
    arm: str,
    memory: WrittenMemory,
    query: QueryContext,
    search: Callable[[WrittenMemory, QueryContext], list[str]],
    budget: int,
) -> Ranking:
    if not memory.view.atoms or not memory.entries:
        reason = NOTHING_WRITTEN if memory.view.atoms else NO_ATOMS
        return Ranking(arm, query.id, (), (), "empty", reason)
    items = tuple(dict.fromkeys(search(memory, query)))[:budget]
    scores = tuple(round(1 / rank, 6) for rank in range(1, len(items) + 1))
    return Ranking(arm, query.id, items, scores)
