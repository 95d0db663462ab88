"""Retrieval judged turn by turn: the unit in which rerankers publish."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from skillmill.compute import scoring
from skillmill.evaluate.groups import question_groups
from skillmill.evaluate.ranked import Metric, score_rankings
from skillmill.memory.view import MemoryView
from skillmill.skills.state import QueryContext
from skillmill.skills.turns import TURN_WEIGHT, turn_rankings
from skillmill.types import QueryScore, Question, Ranking, Split

#: Behind the name of a skill: its turns ordered by pair score and own MaxSim, or,
#: where there are no token vectors, as they were said.
BY_MAXSIM, AS_SAID = "@turns", "@dialogue"

#: The pooled row of all categories but abstention: rerankers on LoCoMo publish over
#: all five.
WITH_ADVERSARIAL = "all+adversarial"


def turn_arms(
    rankings: Iterable[Ranking], asked: Mapping[str, tuple[QueryContext, MemoryView]]
) -> list[Ranking]:
    """Turn rankings of atom rankings, each under an arm of its own.

    Parameters
    ----------
    rankings : iterable of Ranking
        Of atoms.
    asked : mapping
        Question id -> the question and the memory that it was asked of.

    Returns
    -------
    list of Ranking
        Query by query; `fixed-best` becomes `fixed-best@turns`, or
        `fixed-best@dialogue` where the question or its memory has no token vectors.

    Raises
    ------
    KeyError
        If a ranking is of a question that is not in `asked`.
    """
    by_query: dict[str, list[Ranking]] = defaultdict(list)
    for ranking in rankings:
        by_query[ranking.query].append(ranking)
    found = []
    for name, mine in by_query.items():
        query, view = asked[name]
        late = query.tokens is not None and view.tokens is not None
        turns = turn_rankings(mine, query, view, TURN_WEIGHT if late else 0)
        suffix = BY_MAXSIM if late else AS_SAID
        found += [replace(ranking, arm=ranking.arm + suffix) for ranking in turns]
    return found


def turn_metrics(cutoffs: Sequence[int]) -> dict[tuple[str, int | None], Metric]:
    """Metrics of turn rankings, by name and cut-off.

    `turn_recall` (share of the evidence turns among the first k turns) and `turn_mrr`
    (1 / rank of the first of them). They are not comparable with those of atoms, which
    hold two turns each.
    """
    metrics: dict[tuple[str, int | None], Metric] = {
        ("turn_recall", k): partial(scoring.recall, k=k) for k in sorted(set(cutoffs))
    }
    return {**metrics, ("turn_mrr", None): scoring.reciprocal_rank}


def turn_scores(
    rankings: Iterable[Ranking],
    questions: Iterable[Question],
    cutoffs: Sequence[int],
    arms: Collection[str],
) -> list[QueryScore]:
    """Every metric of every arm for every question.

    A question without evidence turns, or one that calls for abstention, has no value;
    a missing or failed ranking is 0 and counts.
    """
    wanted = {q.id: () if q.abstention else q.evidence for q in questions}
    return score_rankings(rankings, wanted, turn_metrics(cutoffs), arms)


def turn_groups(
    questions: Sequence[Question], splits: Mapping[Split, Sequence[str]]
) -> dict[str, list[tuple[Split, str]]]:
    """Groups of each question: the usual ones, and one of all that can be found."""
    groups = question_groups(questions, splits)
    for question in questions:
        if not question.abstention:
            own = dict.fromkeys(split for split, _ in groups[question.id])
            groups[question.id] += [(split, WITH_ADVERSARIAL) for split in own]
    return groups
