"""Retrieval skills against each other and against baselines, on the same questions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillmill.compute import scoring
from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.baselines import FULL
from skillmill.evaluate.differences import differences
from skillmill.evaluate.folds import (
    Figure,
    by_conversation,
    conversation_groups,
    leave_one_out,
    planned_pairs,
)
from skillmill.evaluate.groups import question_groups
from skillmill.evaluate.ranked import memory_metrics, score_rankings
from skillmill.types import QueryScore, Question, Ranking, Score, Split

#: All that an arm returns, whatever its length.
RETURNED: Figure = ("recall_returned", None)


@dataclass(frozen=True)
class Comparison:
    """What `compare` finds.

    Attributes
    ----------
    table : list of Score
        Every row beside those of the skills themselves: baselines, the best skill of
        the other conversations, single conversations, paired differences.
    values : list of QueryScore
        Of the arms that are new here.
    chosen : mapping
        Conversation -> the skill that is best on all others.
    """

    table: list[Score]
    values: list[QueryScore]
    chosen: Mapping[str, str]


def baseline_scores(
    rankings: Sequence[Ranking],
    evidence: Mapping[str, Collection[str]],
    cutoffs: Sequence[int],
) -> list[QueryScore]:
    """Metrics of baselines; full context has no order and so no cut-offs."""
    arms = {ranking.arm for ranking in rankings}
    ordered = [ranking for ranking in rankings if ranking.arm != FULL]
    values = score_rankings(ordered, evidence, memory_metrics(cutoffs), arms - {FULL})
    whole = {RETURNED: _returned}
    return values + score_rankings(rankings, evidence, whole, arms)


def _returned(ranked: Sequence[str], relevant: Collection[str]) -> float | None:
    return scoring.recall(ranked, relevant, max(len(ranked), 1))


def compare(
    skills: Sequence[QueryScore],
    baselines: Sequence[QueryScore],
    questions: Sequence[Question],
    splits: Mapping[Split, Sequence[str]],
    figure: Figure,
    *,
    study: str,
    resampling: Resampling,
) -> Comparison:
    """Hold skills against baselines and each other.

    Parameters
    ----------
    skills, baselines : sequence of QueryScore
        Of every question.
    figure : (metric, k)
        What skills are chosen and compared by.

    Notes
    -----
    Choices and rows of single conversations look at pooled questions alone:
    adversarial ones and those that call for abstention are left out.
    """
    groups = question_groups(questions, splits)
    pooled = {q.id: q.conversation for q in questions if ("all", "all") in groups[q.id]}
    arms = {value.arm for value in skills}
    held_out, chosen = leave_one_out(skills, pooled, figure, arms)
    fresh = [*baselines, *held_out]
    every = [value for value in (*skills, *fresh) if value.query in pooled]
    pairs = planned_pairs(skills, pooled, figure)
    pairs += [(a, b) for a in sorted({p[0] for p in pairs[:1]}) for b in _arms(fresh)]
    apart = differences(every, pairs, [figure])
    homes = {question.id: question.conversation for question in questions}
    table = summarise(
        [*fresh, *apart], groups, track="memory", study=study, resampling=resampling
    )
    table += by_conversation(
        [v for v in apart if v.query in pooled],
        {query: [("all", "all")] for query in pooled},
        homes,
        study=study,
        resampling=resampling,
    )
    table += summarise(
        [v for v in every if (v.metric, v.k) == figure],
        conversation_groups(pooled),
        track="memory",
        study=study,
        resampling=resampling,
    )
    return Comparison(table, fresh, chosen)


def _arms(values: Iterable[QueryScore]) -> list[str]:
    return sorted({value.arm for value in values})
