"""Comparisons that keep conversations whole: choices, differences, single rows."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from skillmill.compute.statistics import cluster_bootstrap_mean, known_mean
from skillmill.evaluate.aggregate import Groups, Resampling
from skillmill.types import QueryScore, Score, Split

#: The best skill of all other conversations, for each conversation.
BEST_SINGLE = "best_single@loco"
#: Before a conversation's id in a category.
CONVERSATION = "conversation:"
#: Conversations with fewer pooled questions get no row of their own.
LEAST_QUESTIONS = 10

Figure = tuple[str, int | None]


def leave_one_out(
    values: Iterable[QueryScore],
    homes: Mapping[str, str],
    figure: Figure,
    arms: Collection[str],
) -> tuple[list[QueryScore], dict[str, str]]:
    """For each conversation the arm that is best on all others.

    Parameters
    ----------
    values : iterable of QueryScore
        Of every arm and question, in any order.
    homes : mapping
        Question -> conversation. The choice looks at these questions alone; only
        their values are returned.
    figure : (metric, k)
        By whose mean over the questions of the other conversations an arm is chosen,
        rounded to 6 decimals; ties go to the first name.
    arms : collection of str
        To choose from.

    Returns
    -------
    list of QueryScore
        Of arm `best_single@loco`, every metric; sorted by question, metric and k.
    dict
        Conversation -> the arm chosen for it. Empty, like the list, with fewer than
        two conversations or no arm that has values.
    """
    kept = [v for v in values if v.arm in arms and v.query in homes]
    by_home: dict[str, dict[str, list[float]]]
    by_home = defaultdict(lambda: defaultdict(list))
    for value in kept:
        if (value.metric, value.k) == figure and value.value is not None:
            by_home[homes[value.query]][value.arm].append(value.value)
    conversations = sorted(set(homes.values()))
    chosen = {}
    for held_out in conversations if len(conversations) > 1 else ():
        means = {
            arm: known_mean(
                v for home in conversations if home != held_out
                for v in by_home[home][arm]
            )[0]
            for arm in sorted(arms)
        }  # fmt: skip
        known = {arm: mean for arm, mean in means.items() if mean is not None}
        if known:
            chosen[held_out] = min(known, key=lambda arm: (-round(known[arm], 6), arm))
    found = [
        QueryScore(BEST_SINGLE, v.query, v.metric, v.k, v.value)
        for v in kept
        if chosen.get(homes[v.query]) == v.arm
    ]
    return sorted(found, key=lambda v: (v.query, v.metric, v.k or 0)), chosen


def by_conversation(
    query_scores: Iterable[QueryScore],
    groups: Groups,
    homes: Mapping[str, str],
    *,
    study: str,
    resampling: Resampling,
) -> list[Score]:
    """Means whose intervals come from drawing whole conversations.

    Each metric gets the suffix `_by_conversation`; all else as `aggregate.summarise`.
    Questions of one conversation are not independent, so these are the wider, more
    honest intervals; with one conversation both ends are the mean.
    """
    values: dict[tuple[str, Split, str, str, int | None], list[tuple[float, str]]]
    values = defaultdict(list)
    for row in query_scores:
        if row.value is not None:
            for split, category in groups[row.query]:
                key = (row.arm, split, category, row.metric, row.k)
                values[key].append((row.value, homes[row.query]))
    table = []
    for key in sorted(values, key=lambda key: (*key[:4], key[4] or 0)):
        arm, split, category, metric, k = key
        known, clusters = zip(*values[key], strict=True)
        seed = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "little")
        found = cluster_bootstrap_mean(
            known,
            clusters,
            np.random.default_rng([resampling.seed, seed]),
            resampling.samples,
            resampling.level,
        )
        if found is not None:
            mean, low, high = (round(value, 6) for value in found)
            table.append(
                Score(
                    track="memory",
                    study=study,
                    arm=arm,
                    split=split,
                    category=category,
                    metric=f"{metric}_by_conversation",
                    k=k,
                    n=len(known),
                    value=mean,
                    low=low,
                    high=high,
                )
            )
    return table


def conversation_groups(
    homes: Mapping[str, str], least: int = LEAST_QUESTIONS
) -> dict[str, list[tuple[Split, str]]]:
    """A row for each conversation with at least so many questions.

    Parameters
    ----------
    homes : mapping
        Question -> conversation, of those questions that are pooled.

    Returns
    -------
    dict
        Question -> its row; questions of smaller conversations have none.
    """
    counted: dict[str, int] = defaultdict(int)
    for home in homes.values():
        counted[home] += 1
    return {
        query: [("all", CONVERSATION + home)] if counted[home] >= least else []
        for query, home in homes.items()
    }


def planned_pairs(
    values: Sequence[QueryScore], queries: Collection[str], figure: Figure
) -> list[tuple[str, str]]:
    """Which arms are compared: the best with each other one, tuned with literal.

    `values` of `figure` for `queries` decide which arm is the best; it is chosen on
    what it is then compared on, so its leads are a little too large. Ties go to the
    first name.
    """
    by_arm: dict[str, list[float]] = defaultdict(list)
    for value in values:
        if (value.metric, value.k) == figure and value.query in queries:
            by_arm[value.arm] += [] if value.value is None else [value.value]
    means = {arm: round(sum(v) / len(v), 6) for arm, v in by_arm.items() if v}
    if not means:
        return []
    best = min(means, key=lambda arm: (-means[arm], arm))
    pairs = [(best, arm) for arm in sorted(means) if arm != best]
    literal = [(a, f"{a}-literal") for a in sorted(means) if f"{a}-literal" in means]
    return list(dict.fromkeys([*pairs, *literal]))
