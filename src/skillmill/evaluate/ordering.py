"""What comes next: does following edges beat asking again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from skillmill.compute.statistics import mcnemar_exact, newcombe_paired, wilson
from skillmill.evaluate.paired import significant
from skillmill.library.vocabulary import PRIORITY, RANK
from skillmill.store.graph import Comparison, Ordering
from skillmill.types import Edge

TRAVERSAL, SEARCH, STEPS = "traversal", "search", "steps"

#: Which end of an edge is used next: +1 its target, -1 its source.
_NEXT: Mapping[str, int] = {
    "feeds_into": 1,
    "routes_to": 1,
    "precedes": 1,
    "requires": -1,
    "verifies": -1,
}


def next_skills(typed: Iterable[Edge]) -> dict[str, list[tuple[str, str]]]:
    """(skill, relation) that may follow each skill, the first to follow first.

    `a requires b` and `a verifies b` say that `a` comes after `b`. Ordered by the
    priority of the relation, then trust, then id; a skill may be there by several.
    """
    found: dict[str, list[tuple[int, int, str, str]]] = defaultdict(list)
    for edge in typed:
        turn = _NEXT.get(edge.relation)
        if turn is None:
            continue
        ends = (edge.source, edge.target)[::turn]
        rank = (PRIORITY[edge.relation], -RANK[edge.provenance])
        found[ends[0]].append((*rank, ends[1], edge.relation))
    return {
        skill: [(other, relation) for *_, other, relation in sorted(rows)]
        for skill, rows in sorted(found.items())
    }


def ordering_rows(
    sequences: Mapping[str, Sequence[str]],
    searched: Mapping[str, Sequence[str]],
    typed: Sequence[Edge],
    k: int,
    level: float,
) -> tuple[list[Ordering], list[Comparison]]:
    """Measure p and q on sequences of skills that were used one after the other.

    Parameters
    ----------
    sequences : mapping of str to sequence of str
        Task -> its skills in order.
    searched : mapping of str to sequence of str
        Task -> the entry ranker's results; a task that was never searched for leaves
        p, and only q is measured on it.
    typed : sequence of Edge
    k : int
        Results, or next skills, that are looked at for a step.
    level : float
        Of the intervals.

    Returns
    -------
    rows : list of Ordering
        `p`: steps whose skill is among the results for the task; `q`: transitions
        whose skill is among the first `k` that may follow the one before; `q:<r>` the
        same with the edges of one relation, over the transitions from skills that have
        one; `length n: search` and `length n: traversal`: tasks of n steps of which
        all are found, by search alone, or the first by search and each other by an
        edge. Traversal wins if q > p.
    comparisons : list of Comparison
        Both on the same transitions of searched tasks; empty if there are none.

    Notes
    -----
    Comparative paper, section 6.4: p^n against p q^(n-1).
    """
    follow = next_skills(typed)
    rows = [
        *_steps(sequences, searched, follow, k, level),
        *_lengths(sequences, searched, follow, k, level),
    ]
    both = first = second = neither = 0
    for task, skills in sequences.items():
        if task not in searched:
            continue
        for before, after in pairwise(skills):
            by_edge = after in _first(follow.get(before, ()), k)
            by_search = after in searched[task][:k]
            both += by_edge and by_search
            first += by_edge and not by_search
            second += by_search and not by_edge
            neither += not (by_edge or by_search)
    interval = newcombe_paired(both, first, second, neither, level)
    if interval is None:
        return rows, []
    difference, low, high = (round(value, 6) for value in interval)
    counts = (k, both + first + second + neither, both, first, second)
    p = significant(mcnemar_exact(first, second))
    return rows, [
        Comparison(TRAVERSAL, SEARCH, STEPS, *counts, difference, low, high, p)
    ]


def _steps(
    sequences: Mapping[str, Sequence[str]],
    searched: Mapping[str, Sequence[str]],
    follow: Mapping[str, Sequence[tuple[str, str]]],
    k: int,
    level: float,
) -> list[Ordering]:
    """The rows p, q and q by relation."""
    found = [
        skill in searched[task][:k]
        for task, skills in sequences.items()
        if task in searched
        for skill in skills
    ]
    moves = [move for skills in sequences.values() for move in pairwise(skills)]
    reached = [after in _first(follow.get(before, ()), k) for before, after in moves]
    rows = [
        _row("p", found, level, f"steps with the skill in the first {k} results"),
        _row("q", reached, level, f"transitions to one of the first {k} next skills"),
    ]
    for relation in sorted(_NEXT):
        by_one = {
            skill: [pair for pair in pairs if pair[1] == relation]
            for skill, pairs in follow.items()
        }
        hits = [
            after in _first(by_one[before], k)
            for before, after in moves
            if by_one.get(before)
        ]
        note = f"transitions from a skill with a next one by {relation}"
        rows.append(_row(f"q:{relation}", hits, level, note))
    return rows


def _lengths(
    sequences: Mapping[str, Sequence[str]],
    searched: Mapping[str, Sequence[str]],
    follow: Mapping[str, Sequence[tuple[str, str]]],
    k: int,
    level: float,
) -> list[Ordering]:
    """Whole tasks, by their number of steps."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for task, skills in sequences.items():
        if task not in searched:
            continue
        results = searched[task][:k]
        walked = all(
            after in _first(follow.get(before, ()), k)
            for before, after in pairwise(skills)
        )
        length = f"length {len(skills)}"
        outcomes[f"{length}: {SEARCH}"].append({*skills} <= {*results})
        outcomes[f"{length}: {TRAVERSAL}"].append(skills[0] in results and walked)
    note = "tasks of which every step is found"
    return [_row(name, hits, level, note) for name, hits in sorted(outcomes.items())]


def _first(pairs: Sequence[tuple[str, str]], k: int) -> list[str]:
    """The first k distinct skills."""
    return [*dict.fromkeys(skill for skill, _ in pairs)][:k]


def _row(name: str, hits: Sequence[bool], level: float, note: str) -> Ordering:
    share = wilson(sum(hits), len(hits), level)
    value, low, high = (None,) * 3 if share is None else (round(x, 6) for x in share)
    return Ordering(name, len(hits), sum(hits), value, low, high, note)
