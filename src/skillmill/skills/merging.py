"""How the result of a step joins the evidence so far.

Every rule brings both sides to [0, 1] first, because a cosine, a BM25 score and a
share of a walk cannot be added. Only the `depth` best atoms of each side count.
"""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import minmax, reciprocal_rank, top
from skillmill.memory.view import MemoryView
from skillmill.skills.state import Floats

Held = npt.NDArray[np.bool_]
#: Scores and the atoms held, over the rows of a view.
Evidence = tuple[Floats, Held]

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
    `sum` adds like to like; the factor changes no order.
    """
    scores = np.zeros(len(view.atoms))
    for share, (side, held) in ((1.0, before), (weight, found)):
        rows = np.flatnonzero(held)
        ranked = rows[top(side[rows], [view.ids[row] for row in rows], len(rows))]
        fused = reciprocal_rank([ranked.tolist()], RANK_CONSTANT)
        for row, worth in fused.items():
            scores[row] += share * (RANK_CONSTANT + 1) * worth
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
    rows = np.flatnonzero(before[1])
    order = sorted(
        rows.tolist(),
        key=lambda row: (
            not found[1][row],
            -round(float(found[0][row]), 6),
            -round(float(before[0][row]), 6),
            view.ids[row],
        ),
    )
    scores = np.zeros(len(view.atoms))
    scores[order] = weight * (1 - np.arange(len(order)) / max(len(order), 1))
    return scores, before[1]


Merge = Callable[[Evidence, Evidence, float, MemoryView], Evidence]

#: Every merge rule by the word a program uses for it.
MERGES: Mapping[str, Merge] = {
    "replace": replaced,
    "sum": summed,
    "rrf": rank_fused,
    "intersect": intersected,
    "rerank": reranked,
}


def normalised(scores: Floats, depth: int, view: MemoryView) -> Evidence:
    """Bring the `depth` best of the atoms found to [0, 1] and drop the others.

    Of equals at the border the lower id stays. Where fewer are found, 0 stands for
    what was not, so that each match keeps a score above it.
    """
    kept = top(scores, view.ids, depth, floor=0.0)
    held = np.zeros(len(scores), dtype=bool)
    held[kept] = True
    if len(kept) < depth:
        return minmax(np.where(held, scores, 0.0)), held
    stretched = np.zeros(len(scores))
    stretched[kept] = minmax(scores[kept])
    return stretched, held
