"""Skills for the leaves of a task: matched one to one, or each leaf's best."""

import numpy as np

from skillmill.compute.fusion import DECIMALS, top
from skillmill.compute.matching import Assignment, assign, best_columns
from skillmill.library.bundle import Member
from skillmill.library.meaning import Array
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings


def leaf_weights(query: TraceQuery, settings: TraceSettings) -> Array:
    """What each leaf and skill weigh, (q, n), as the settings say (eq. 4).

    Raises
    ------
    ValueError
        If the hybrid scores of leaves are asked for and not there.
    """
    if settings.weights == "hybrid":
        if query.leaf_scores is None:
            raise ValueError("weights 'hybrid' needs the ranker's scores of leaves")
        return np.asarray(query.leaf_scores, dtype=np.float64)
    weights = np.asarray(query.leaf_cosines, dtype=np.float64)
    if settings.weights == "both":
        weights = weights + settings.prior * query.whole_scores
    return weights


def primary_members(
    library: TraceLibrary, query: TraceQuery, settings: TraceSettings
) -> tuple[list[Member], list[str]]:
    """Skills for the leaves, the best first, and leaves that none was found for."""
    if settings.primary == "whole":
        scores = {
            "cosine": query.whole_cosines,
            "hybrid": query.whole_scores,
            "both": query.whole_cosines + settings.prior * query.whole_scores,
        }[settings.weights]
        rows = top(scores, library.ids, settings.budget, settings.floor)
        members = [
            Member(library.ids[row], "primary", 0, round(float(scores[row]), DECIMALS))
            for row in rows.tolist()
        ]
        return members, []
    weights = leaf_weights(query, settings)
    way = assign if settings.primary == "matched" else best_columns
    return _matched(library, query, way(weights, settings.floor))


def _matched(
    library: TraceLibrary, query: TraceQuery, found: Assignment
) -> tuple[list[Member], list[str]]:
    """Members of an assignment; a skill of several leaves counts with its best."""
    leaves = [leaf.requirement for leaf in query.tree.leaves()]
    score: dict[str, float] = {}
    held: dict[str, list[str]] = {}
    for row, column, weight in zip(
        found.rows.tolist(), found.columns.tolist(), found.weights.tolist(), strict=True
    ):
        skill = library.ids[column]
        score[skill] = max(weight, score.get(skill, weight))
        held.setdefault(skill, []).append(leaves[row])
    members = [
        Member(skill, "primary", 0, score[skill], tuple(held[skill]))
        for skill in sorted(score, key=lambda skill: (-score[skill], skill))
    ]
    return members, [leaves[row] for row in found.unmatched]
