"""How the result of a step joins the evidence so far.

Every rule brings both sides to [0, 1] first, because a cosine, a BM25 score and a
share of a walk cannot be added. Only the `depth` best atoms of each side count. All
work on the (q, n) arrays of q queries over the n atoms of one memory.
"""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import top_rows
from skillmill.memory.view import MemoryView
from skillmill.skills.state import Bools, Floats
from skillmill.types import Node

#: Scores and the atoms held, both (q, n).
Evidence = tuple[Floats, Bools]

#: Atoms of one list that a merge looks at; more if the budget is larger. Measured
#: on LoCoMo, where deeper lists lower recall.
DEPTH = 20

#: The constant of reciprocal rank fusion. The usual 60 flattens lists of some
#: hundred atoms: on LoCoMo it costs a point of recall against 5.
RANK_CONSTANT = 5


def replaced(
    before: Evidence, found: Evidence, weight: float, view: MemoryView
) -> Evidence:
    """Drop the evidence and keep the step's own, normalised and weighted."""
    scores, held = found
    return weight * scores, held


def summed(
    before: Evidence, found: Evidence, weight: float, view: MemoryView
) -> Evidence:
    """Hold the atoms of both; add the step's scores, weighted."""
    return before[0] + weight * found[0], before[1] | found[1]


def rank_fused(
    before: Evidence, found: Evidence, weight: float, view: MemoryView
) -> Evidence:
    """Hold the atoms of both; score them by their ranks in each.

    Rank r is worth (k + 1) / (k + r), so that a first place is worth 1 and a later
    `sum` adds like to like; the factor changes no order (Cormack et al., 2009).
    """
    scores = np.zeros_like(before[0])
    for share, (side, held) in ((1.0, before), (weight, found)):
        rows = top_rows(side, view.place, int(held.sum(axis=1).max(initial=0)), held)
        worth = (RANK_CONSTANT + 1) / (RANK_CONSTANT + 1 + np.arange(rows.shape[1]))
        ranked = rows >= 0
        query = np.nonzero(ranked)[0]
        scores[query, rows[ranked]] += (
            share * np.broadcast_to(worth, rows.shape)[ranked]
        )
    return scores, before[1] | found[1]


def intersected(
    before: Evidence, found: Evidence, weight: float, view: MemoryView
) -> Evidence:
    """Hold only the atoms of both sides; add their scores, the step's weighted."""
    scores, _ = summed(before, found, weight, view)
    held = before[1] & found[1]
    return np.where(held, scores, 0.0), held


def reranked(
    before: Evidence, found: Evidence, weight: float, view: MemoryView
) -> Evidence:
    """Hold the same atoms in another order: those the step found first, by its score.

    The others follow in their old order. The scores tell the order alone: they fall
    from `weight` in equal parts.
    """
    held = before[1]
    keys = (
        np.broadcast_to(view.place, held.shape),
        -np.round(before[0], 6),
        -np.round(found[0], 6),
        ~found[1],
        ~held,
    )
    order = np.lexsort(keys, axis=-1)
    sizes = held.sum(axis=1, keepdims=True)
    fall = weight * (1 - np.arange(held.shape[1]) / np.maximum(sizes, 1))
    scores = np.zeros_like(before[0])
    np.put_along_axis(scores, order, fall, axis=1)
    return np.where(held, scores, 0.0), held


Merge = Callable[[Evidence, Evidence, float, MemoryView], Evidence]

#: Every merge rule by the word a program uses for it.
MERGES: Mapping[str, Merge] = {
    "replace": replaced,
    "sum": summed,
    "rrf": rank_fused,
    "intersect": intersected,
    "rerank": reranked,
}


def found_by(
    scores: Floats, held: Bools, node: Node, view: MemoryView, budget: int
) -> Evidence:
    """Normalise what a step of a program found for q queries.

    A step that reranks is asked about the atoms held alone, however deep they lie
    in its own list. `budget` is that of the ranking.
    """
    depth = max(DEPTH, budget, node.budget or 0)
    if node.merge != "rerank":
        return normalised(scores, depth, view)
    depths = np.maximum(depth, held.sum(axis=1))
    return normalised(np.where(held, scores, 0.0), depths, view)


def joined(before: Evidence, found: Evidence, node: Node, view: MemoryView) -> Evidence:
    """Merge what a step found into the evidence and cut it to the node's budget."""
    after = MERGES[node.merge](before, found, node.weight, view)
    return after if node.budget is None else cut(after, node.budget, view)


def normalised(
    scores: Floats, depth: int | npt.NDArray[np.integer], view: MemoryView
) -> Evidence:
    """Bring the `depth` best of the atoms found to [0, 1] and drop the others.

    `depth` is one number or one for each query. Of equals at the border the lower id
    stays. Where fewer are found, 0 stands for what was not, so that each match keeps
    a score above it.
    """
    size = scores.shape[1]
    rows = top_rows(scores, view.place, int(np.max(depth, initial=0)), scores > 0)
    taken = (rows >= 0) & (np.arange(rows.shape[1]) < np.reshape(depth, (-1, 1)))
    values = np.take_along_axis(scores, np.maximum(rows, 0), axis=1)
    count = taken.sum(axis=1)
    high = np.where(taken, values, 0.0).max(axis=1, initial=0.0)
    low = np.where(taken, values, np.inf).min(axis=1, initial=np.inf)
    low = np.where((count < depth) & (count < size), 0.0, low)
    apart = high > low
    spread = np.where(apart, high - low, 1.0)
    stretched = np.zeros_like(scores)
    held = np.zeros(scores.shape, dtype=bool)
    query = np.nonzero(taken)[0]
    kept = rows[taken]
    worth = (values[taken] - low[query]) / spread[query]
    stretched[query, kept] = np.where(apart[query], worth, 1.0)
    held[query, kept] = True
    return stretched, held


def cut(evidence: Evidence, budget: int, view: MemoryView) -> Evidence:
    """Keep the `budget` best atoms of each query."""
    scores, held = evidence
    rows = top_rows(scores, view.place, budget, held)
    taken = rows >= 0
    kept = np.zeros_like(held)
    kept[np.nonzero(taken)[0], rows[taken]] = True
    return np.where(kept, scores, 0.0), kept
