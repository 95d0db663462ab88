"""Two runs held against each other, question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skillmill.compute.paired import paired_intervals
from skillmill.compute.statistics import Interval
from skillmill.evaluate.aggregate import Resampling
from skillmill.types import QueryScore

#: (arm, metric, k)
Measure = tuple[str, str, int | None]
#: Query -> value, None where it cannot be computed.
Values = Mapping[str, float | None]


class RunQuestion(NamedTuple):
    """What makes a question the same in two runs: its text, and what it asks for.

    `groups` are the rows that it counts in: `all` if it is pooled, its categories.
    """

    text: str
    wanted: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunValues:
    """The questions of one track of a run, and the value of each measure for each."""

    questions: Mapping[str, RunQuestion]
    values: Sequence[QueryScore]

    def measures(self) -> dict[Measure, dict[str, float | None]]:
        """Values by measure and question."""
        found: dict[Measure, dict[str, float | None]] = {}
        for row in self.values:
            found.setdefault((row.arm, row.metric, row.k), {})[row.query] = row.value
        return found


class RunDifference(NamedTuple):
    """One measure of one arm in two runs, over the questions that both answer.

    `first` and `second` are means over the `n` common questions, `difference` is first
    minus second, `low` and `high` its ends; all None if `n` is 0. `higher` and `lower`
    count questions by their value in the first. The last four count what is
    left out: scored in one run only, asked or answered differently, without a value in
    a run. `n` and they add up to the questions of both.
    """

    arm: str
    metric: str
    k: int | None
    category: str
    n: int
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    higher: int
    lower: int
    only_first: int
    only_second: int
    changed: int
    unscored: int

    @property
    def left_out(self) -> int:
        """Questions of either run that are not compared."""
        return self.only_first + self.only_second + self.changed + self.unscored


class Pairing(NamedTuple):
    """The questions of one measure and group, sorted by what can be said of them."""

    pairs: Mapping[str, tuple[float, float]]
    only_first: int
    only_second: int
    changed: int
    unscored: int


def compare_runs(
    first: RunValues, second: RunValues, resampling: Resampling
) -> list[RunDifference]:
    """Difference of each measure that both runs have, in each group of questions.

    Sorted by category, `all` first, then metric, k and arm. Values count in six
    decimals, so that noise of the last digits is no change.

    Notes
    -----
    The paired bootstrap of `compute.paired` over questions.
    """
    one, other = first.measures(), second.measures()
    found: list[tuple[str, Measure, Pairing]] = []
    for measure in sorted(one.keys() & other.keys(), key=_order):
        for group in _groups(first, second, one[measure], other[measure]):
            here = _within(first, group, one[measure])
            there = _within(second, group, other[measure])
            pairing = paired(first, second, here, there)
            found.append((group, measure, pairing))
    ends = paired_intervals(
        [[a - b for a, b in pairing.pairs.values()] for _, _, pairing in found],
        resampling.seed,
        resampling.samples,
        resampling.level,
    )
    rows = [
        _row(group, measure, pairing, interval)
        for (group, measure, pairing), interval in zip(found, ends, strict=True)
    ]
    return sorted(rows, key=lambda row: (row.category != "all", row.category))


def missing_measures(first: RunValues, second: RunValues) -> list[Measure]:
    """Measures of the first run that the second lacks."""
    return sorted(first.measures().keys() - second.measures().keys(), key=_order)


def paired(first: RunValues, second: RunValues, here: Values, there: Values) -> Pairing:
    """Pairs of values of the questions that both runs ask alike and score."""
    common = sorted(here.keys() & there.keys())
    alike = [query for query in common if is_same(first, second, query)]
    pairs = {}
    for query in alike:
        a, b = here[query], there[query]
        if a is not None and b is not None:
            pairs[query] = (round(a, 6), round(b, 6))
    return Pairing(
        pairs,
        only_first=len(here) - len(common),
        only_second=len(there) - len(common),
        changed=len(common) - len(alike),
        unscored=len(alike) - len(pairs),
    )


def is_same(first: RunValues, second: RunValues, query: str) -> bool:
    """Whether both runs ask the same under this id, and want the same."""
    a, b = first.questions.get(query), second.questions.get(query)
    return a is not None and b is not None and a[:2] == b[:2]


def _groups(first: RunValues, second: RunValues, *scored: Values) -> list[str]:
    """Groups that a scored question of either run is in."""
    return sorted({
        group
        for run, values in zip((first, second), scored, strict=True)
        for query in values
        for group in run.questions[query].groups
    })  # fmt: skip


def _within(run: RunValues, group: str, values: Values) -> Values:
    return {q: v for q, v in values.items() if group in run.questions[q].groups}


def _row(
    group: str, measure: Measure, pairing: Pairing, interval: Interval | None
) -> RunDifference:
    arm, metric, k = measure
    pairs, n = list(pairing.pairs.values()), len(pairing.pairs)
    return RunDifference(
        arm=arm,
        metric=metric,
        k=k,
        category=group,
        n=n,
        first=round(sum(a for a, _ in pairs) / n, 6) if n else None,
        second=round(sum(b for _, b in pairs) / n, 6) if n else None,
        difference=interval and round(interval.value, 6),
        low=interval and round(interval.low, 6),
        high=interval and round(interval.high, 6),
        higher=sum(a > b for a, b in pairs),
        lower=sum(a < b for a, b in pairs),
        only_first=pairing.only_first,
        only_second=pairing.only_second,
        changed=pairing.changed,
        unscored=pairing.unscored,
    )


def _order(measure: Measure) -> tuple[str, int, str]:
    arm, metric, k = measure
    return metric, -1 if k is None else k, arm
