"""From the value of a metric per query to the rows every table is made from."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skillmill.compute.statistics import bootstrap_mean
from skillmill.types import QueryScore, Score, Split

#: A query counts in each of its groups: (split, category).
Groups = Mapping[str, Sequence[tuple[Split, str]]]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: `samples` resamples over queries, seeded."""

    samples: int
    level: float
    seed: int


def summarise(
    query_scores: Iterable[QueryScore],
    groups: Groups,
    *,
    track: Literal["library", "memory"],
    study: str,
    resampling: Resampling,
    heuristic: bool = False,
) -> list[Score]:
    """Mean and interval of each metric of each arm in each group.

    A query whose value is None (recall without evidence) leaves that mean and its
    `n`; a failed query has the value 0 and counts. The interval of a row depends on
    its own values alone, never on which other rows there are.

    Returns
    -------
    list of Score
        Sorted by arm, split, category, metric, k; groups without any query are absent,
        a group whose values are all None has `n` 0 and `value` None.

    Raises
    ------
    KeyError
        If a query has no groups.
    """
    values: dict[tuple[str, Split, str, str, int | None], list[float | None]]
    values = defaultdict(list)
    for row in query_scores:
        for split, category in groups[row.query]:
            values[row.arm, split, category, row.metric, row.k].append(row.value)
    scores = []
    for key in sorted(
        values, key=lambda key: (*key[:4], -1 if key[4] is None else key[4])
    ):
        arm, split, category, metric, k = key
        known = [value for value in values[key] if value is not None]
        interval = bootstrap_mean(
            known,
            _generator(resampling.seed, key),
            resampling.samples,
            resampling.level,
        )
        scores.append(
            Score(
                track=track,
                study=study,
                arm=arm,
                split=split,
                category=category,
                metric=metric,
                k=k,
                n=len(known),
                value=interval and round(interval.value, 6),
                low=interval and round(interval.low, 6),
                high=interval and round(interval.high, 6),
                heuristic=heuristic,
            )
        )
    return scores


def _generator(seed: int, key: tuple[object, ...]) -> np.random.Generator:
    """Randomness of one row; arms of one group share it, so that they are paired."""
    name = repr(key[1:]).encode()
    return np.random.default_rng(
        [seed, int.from_bytes(hashlib.sha256(name).digest()[:8], "little")]
    )
