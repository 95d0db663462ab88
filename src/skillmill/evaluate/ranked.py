"""Scores of rankings: library skills for a task, atoms for a question."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from skillmill.compute import scoring
from skillmill.types import QueryScore, Ranking

Metric = Callable[[Sequence[str], Collection[str]], float | None]

#: Why a task is in no figure.
UNSCORED = "the task's ground truth is not known"


def library_metrics(cutoffs: Sequence[int]) -> dict[tuple[str, int | None], Metric]:
    """Metrics of skill retrieval, by name and cut-off.

    hit (any relevant skill in the top k), recall (share of them), full_coverage (all
    of them), ndcg_standard (binary gains, log2 discount from rank 2 on) and mrr.
    """
    return {
        **_at("hit", scoring.hit, cutoffs),
        **_at("recall", scoring.recall, cutoffs),
        **_at("full_coverage", scoring.full_coverage, cutoffs),
        **_at("ndcg_standard", scoring.ndcg_standard, cutoffs),
        ("mrr", None): scoring.reciprocal_rank,
    }


def memory_metrics(cutoffs: Sequence[int]) -> dict[tuple[str, int | None], Metric]:
    """Metrics of evidence retrieval, by name and cut-off.

    recall (share of the evidence atoms in the top k), full_evidence (all of them) and
    mrr.
    """
    return {
        **_at("recall", scoring.recall, cutoffs),
        **_at("full_evidence", scoring.full_coverage, cutoffs),
        ("mrr", None): scoring.reciprocal_rank,
    }


def _at(
    name: str, metric: Callable[..., float | None], cutoffs: Sequence[int]
) -> dict[tuple[str, int | None], Metric]:
    """A metric at each cut-off."""
    return {(name, k): partial(metric, k=k) for k in sorted(set(cutoffs))}


def score_rankings(
    rankings: Iterable[Ranking],
    relevant: Mapping[str, Collection[str]],
    metrics: Mapping[tuple[str, int | None], Metric],
    arms: Collection[str],
) -> list[QueryScore]:
    """Every metric of every arm for every query.

    A query that an arm has no ranking for, or a failed one, is scored as an empty
    ranking: it gets 0 and counts. A query without anything relevant gets None.

    Parameters
    ----------
    rankings : iterable of Ranking
        At most one per arm and query.
    relevant : mapping
        Query id -> ids that should be found; every query that was asked is a key.
    metrics : mapping
        (name, k) -> function of ranked ids and relevant ids.
    arms : collection of str
        The arms that were asked.

    Returns
    -------
    list of QueryScore
        Sorted by arm and query, then in the order of `metrics`.
    """
    found = {(r.arm, r.query): r.items for r in rankings if r.state == "ok"}
    return [
        QueryScore(arm, query, name, k, metric(found.get((arm, query), ()), wanted))
        for arm in sorted(arms)
        for query, wanted in sorted(relevant.items())
        for (name, k), metric in metrics.items()
    ]
