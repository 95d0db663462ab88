"""Scores of predictions in SkillRouter's format, with its cut-offs.

Unlike SkillRouter's own script, which skips it, a task without a prediction scores
zero: leaving it out would raise the score of whoever fails.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillmill.compute import scoring
from skillmill.data.relevance import Relevance
from skillmill.evaluate.ranked import Metric
from skillmill.types import QueryScore, Ranking, Split

#: Metrics by name and cut-off, as SkillRouter reports them.
METRICS: Mapping[tuple[str, int], Metric] = {
    ("hit", 1): lambda ranked, wanted: scoring.hit(ranked, wanted, 1),
    ("precision", 3): lambda ranked, wanted: scoring.precision(ranked, wanted, 3),
    ("mrr", 10): lambda ranked, wanted: scoring.reciprocal_rank(ranked, wanted, 10),
    ("ndcg_standard", 1): lambda r, w: scoring.ndcg_standard(r, w, 1),
    ("ndcg_standard", 3): lambda r, w: scoring.ndcg_standard(r, w, 3),
    ("ndcg_standard", 10): lambda r, w: scoring.ndcg_standard(r, w, 10),
    ("recall", 10): lambda ranked, wanted: scoring.recall(ranked, wanted, 10),
    ("recall", 20): lambda ranked, wanted: scoring.recall(ranked, wanted, 20),
    ("recall", 50): lambda ranked, wanted: scoring.recall(ranked, wanted, 50),
    ("full_coverage", 3): lambda r, w: scoring.full_coverage(r, w, 3),
    ("full_coverage", 5): lambda r, w: scoring.full_coverage(r, w, 5),
    ("full_coverage", 10): lambda r, w: scoring.full_coverage(r, w, 10),
}
GRADED = (1, 3, 10)


@dataclass(frozen=True, slots=True)
class Compared:
    """How predictions and tasks fit together.

    `missing` tasks have no prediction and score zero; `unknown` predictions belong to
    no task that is scored; `out_of_pool` tasks have no relevant skill in the pool, so
    that nobody could find one, and are not scored.
    """

    scored: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    out_of_pool: tuple[str, ...]


def in_pool(
    truths: Iterable[Relevance], pool: Collection[str] | None
) -> tuple[list[Relevance], list[str]]:
    """Tasks with what of theirs is in the pool, and the ids of those without any.

    None: everything is in it.
    """
    kept, lost = [], []
    for truth in truths:
        own = truth
        if pool is not None:
            own = replace(
                truth,
                relevant=tuple(skill for skill in truth.relevant if skill in pool),
                grades={s: g for s, g in truth.grades.items() if s in pool},
            )
        if own.relevant:
            kept.append(own)
        else:
            lost.append(truth.task)
    return kept, lost


def score_predictions(
    arm: str,
    predictions: Mapping[str, Sequence[str]],
    truths: Sequence[Relevance],
) -> list[QueryScore]:
    """Every metric of every task, by task; a missing prediction scores zero.

    Where any task has grades there is `ndcg_graded` too: a task without them takes 1
    for each of its skills.
    """
    graded = any(truth.grades for truth in truths)
    values = []
    for truth in sorted(truths, key=lambda truth: truth.task):
        ranked = predictions.get(truth.task, ())
        for (metric, k), function in METRICS.items():
            value = function(ranked, truth.relevant)
            values.append(QueryScore(arm, truth.task, metric, k, value))
        if graded:
            grades = truth.grades or dict.fromkeys(truth.relevant, 1.0)
            for k in GRADED:
                value = scoring.ndcg_graded(ranked, grades, k)
                values.append(QueryScore(arm, truth.task, "ndcg_graded", k, value))
    return values


def strata(truths: Iterable[Relevance]) -> dict[str, list[tuple[Split, str]]]:
    """Groups of each task: all, and `single` or `multi` by its number of skills.

    By the skills that the task needs, whether or not they are in a pool.
    """
    return {
        truth.task: [
            ("all", "all"),
            ("all", "single" if len(truth.relevant) == 1 else "multi"),
        ]
        for truth in truths
    }


def compared(
    predictions: Collection[str],
    truths: Iterable[Relevance],
    out_of_pool: Iterable[str] = (),
) -> Compared:
    """Count what is scored, missing and unknown; ids sorted."""
    asked = {truth.task for truth in truths}
    lost = set(out_of_pool)
    return Compared(
        scored=len(asked),
        missing=tuple(sorted(asked - set(predictions))),
        unknown=tuple(sorted(set(predictions) - asked - lost)),
        out_of_pool=tuple(sorted(lost)),
    )


def as_predictions(rankings: Iterable[Ranking], depth: int) -> dict[str, list[str]]:
    """Ranked ids by task, sorted by task, at most `depth` each.

    A failed or empty ranking is an empty list: scorers that skip what is absent would
    otherwise forgive it.
    """
    return {
        ranking.query: list(ranking.items[:depth]) if ranking.state == "ok" else []
        for ranking in sorted(rankings, key=lambda ranking: ranking.query)
    }
