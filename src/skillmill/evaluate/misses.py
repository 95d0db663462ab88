"""How far what search missed lies from what it found, and what each way costs."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy import sparse

from skillmill.compute.digraph import adjacency, distances, row_distances
from skillmill.compute.scoring import hit
from skillmill.evaluate.graph_arms import (
    LAYERS,
    ArmSettings,
    Neighbours,
    neighbours_of,
)
from skillmill.evaluate.topology import distinct_pairs, random_pairs
from skillmill.store.graph import Candidate, Cost, Miss
from skillmill.types import Edge, LibrarySkill, Task

#: ASSUME: characters of a token, a rule of thumb for English.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Searched:
    """What the entry ranker returned for each task, and how far to look from there.

    The first `budget` results count as found; `hops` is the farthest looked at.
    """

    found: Mapping[str, Sequence[str]]
    tasks: Sequence[Task]
    budget: int
    hops: int


def miss_rows(
    searched: Searched,
    ids: Sequence[str],
    typed: Sequence[Edge],
    similar: Sequence[Edge],
    candidates: Iterable[Candidate],
    rng: np.random.Generator,
    draws: int,
) -> list[Miss]:
    """Count missed tasks and skills by their distance from the results.

    Parameters
    ----------
    searched : Searched
    ids : sequence of str
        All skills.
    typed, similar : sequences of Edge
        Followed whichever way they go.
    candidates : iterable of Candidate
        The pairs that a model may choose from, a layer of their own: what no choice
        among them can go beyond.
    rng, draws
        Random graphs with as many pairs as both layers, which the control averages.

    Returns
    -------
    list of Miss
        For each unit, layer and start: a row for each of 1 to `hops`, and one for 0,
        out of reach. A task is missed if none of its skills is found; its distance is
        that of the nearest one. A skill is missed by itself.

    Notes
    -----
    Comparative paper, section 5.4: of 30 missed queries 22 were out of reach within
    3 hops of the first result.
    """
    rows = []
    for layer in LAYERS:
        neighbours = neighbours_of(layer, typed, similar)
        rows += _counted(layer, searched, [partial(_walked, neighbours)])
    listed: dict[str, list[str]] = defaultdict(list)
    for one in candidates:
        listed[one.skill].append(one.candidate)
        listed[one.candidate].append(one.skill)
    rows += _counted("candidates", searched, [partial(_walked, listed)])
    size = len(distinct_pairs([*typed, *similar]))
    place = {name: row for row, name in enumerate(ids)}
    drawn = [
        partial(
            _walked_rows,
            adjacency(len(ids), random_pairs(len(ids), size, (), rng)),
            place,
        )
        for _ in range(draws)
    ]
    return [*rows, *_counted("random", searched, drawn)]


#: Hops to each of some skills from the nearest of others, within so many; those that
#: are out of reach are left out.
Walk = Callable[[Sequence[str], Collection[str], int], Mapping[str, int]]


def _walked(
    neighbours: Neighbours, starts: Sequence[str], wanted: Collection[str], hops: int
) -> dict[str, int]:
    """A walk over lists of neighbours."""
    away = distances(neighbours, starts, hops)
    return {skill: away[skill] for skill in wanted if skill in away}


def _walked_rows(
    matrix: "sparse.csr_array",
    place: Mapping[str, int],
    starts: Sequence[str],
    wanted: Collection[str],
    hops: int,
) -> dict[str, int]:
    """A walk over a graph of row numbers."""
    rows = np.array([place[skill] for skill in starts if skill in place], dtype=np.intp)
    away = row_distances(matrix, rows, hops)
    known = {skill: int(away[place[skill]]) for skill in wanted if skill in place}
    return {skill: hop for skill, hop in known.items() if hop >= 0}


def _counted(layer: str, searched: Searched, graphs: Sequence[Walk]) -> list[Miss]:
    """The rows of one layer: means over its graphs."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for walk in graphs:
        for task in searched.tasks:
            if not task.relevant:
                continue
            items = searched.found.get(task.id, ())[: searched.budget]
            is_missed = not hit(items, task.relevant, searched.budget)
            for start, size in (("first", 1), ("all", searched.budget)):
                away = walk(items[:size], task.relevant, searched.hops)
                lost = [away.get(s, 0) for s in task.relevant if s not in items]
                counts.update(("skill", start, hops) for hops in lost)
                if lost and is_missed:
                    counts["task", start, min(filter(None, lost), default=0)] += 1
    rows = []
    for unit, start in product(("task", "skill"), ("first", "all")):
        found = [counts[unit, start, hop] for hop in range(searched.hops + 1)]
        rows += [
            Miss(
                unit,
                layer,
                start,
                hop,
                round(n / len(graphs), 6),
                round(n / sum(found), 6) if sum(found) else None,
            )
            for hop, n in enumerate(found)
        ]
    return rows


def cost_rows(
    skills: Iterable[LibrarySkill],
    found: Mapping[str, Mapping[str, Sequence[str]]],
    settings: ArmSettings,
) -> list[Cost]:
    """Characters that an agent reads for a task, and their rough number of tokens.

    `load all` reads a listing of every skill (id, name, description as JSON), `search`
    those of the results within the budget, `graph` that of the first and, of each
    neighbour, id and name. A task without results reads nothing and counts.

    Notes
    -----
    Comparative paper, section 3.1: 46,915 tokens for all of 875, about 560 and 330.
    Tokens are characters / 4, no tokeniser is asked.
    """
    listing = {
        s.id: len(_json(id=s.id, name=s.name, description=s.description))
        for s in skills
    }
    brief = {s.id: len(_json(id=s.id, name=s.name)) for s in skills}
    search = found.get(f"{settings.entry}@{settings.budget}", {})
    graph = found.get(f"{settings.entry}@1+both", {})
    whole = sum(listing.values())
    rows = [_cost("load all", [(len(listing), whole)] * max(len(search), 1))]
    read = [(len(items), sum(listing[s] for s in items)) for items in search.values()]
    rows += [_cost("search", read)] if read else []
    walked = [
        (
            len(items),
            sum(listing[s] for s in items[:1]) + sum(brief[s] for s in items[1:]),
        )
        for items in graph.values()
    ]
    rows += [_cost("graph", walked)] if walked else []
    return rows


def _cost(regime: str, read: Sequence[tuple[int, int]]) -> Cost:
    n = len(read)
    listings = sum(one for one, _ in read) / n
    characters = sum(size for _, size in read) / n
    tokens = characters / CHARACTERS_PER_TOKEN
    return Cost(regime, n, *(round(x, 3) for x in (listings, characters, tokens)))


def _json(**fields: str) -> str:
    return json.dumps(fields, ensure_ascii=False)
