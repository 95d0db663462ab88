"""How far what search missed lies from what it found, and what each way costs."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from skillmill.compute.digraph import adjacency, row_distances
from skillmill.compute.randompairs import random_pairs
from skillmill.compute.scoring import hit
from skillmill.evaluate.graph_arms import (
    LAYERS,
    ArmSettings,
)
from skillmill.evaluate.topology import distinct_pairs
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
    place = {name: row for row, name in enumerate(ids)}
    known = {
        "typed": [(edge.source, edge.target) for edge in typed],
        "similar": [(edge.source, edge.target) for edge in similar],
        "candidates": [(one.skill, one.candidate) for one in candidates],
    }
    known["both"] = known["typed"] + known["similar"]
    rows = []
    for layer in (*LAYERS, "candidates"):
        pairs = [
            (place[a], place[b]) for a, b in known[layer] if a in place and b in place
        ]
        rows += _counted(layer, searched, place, [np.array(pairs, dtype=np.intp)])
    size = len(distinct_pairs([*typed, *similar]))
    drawn = [random_pairs(len(ids), size, (), rng) for _ in range(draws)]
    return [*rows, *_counted("random", searched, place, drawn)]


def _counted(
    layer: str,
    searched: Searched,
    place: Mapping[str, int],
    graphs: Sequence[npt.NDArray[np.intp]],
) -> list[Miss]:
    """The rows of one layer: means over its graphs, which are pairs of rows."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for pairs in graphs:
        matrix = adjacency(len(place), pairs)
        for task in searched.tasks:
            if not task.relevant:
                continue
            items = searched.found.get(task.id, ())[: searched.budget]
            is_missed = not hit(items, task.relevant, searched.budget)
            for start, size in (("first", 1), ("all", searched.budget)):
                starts = np.array([place[s] for s in items[:size]], dtype=np.intp)
                away = row_distances(matrix, starts, searched.hops)
                gone = [place[s] for s in task.relevant if s not in items]
                lost = [max(int(away[row]), 0) for row in gone]
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
