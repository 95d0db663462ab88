"""Success rates of trials: by stratum, domain and backbone, with paired differences."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.differences import differences
from skillmill.evaluate.downstream.counting import Counted
from skillmill.types import QueryScore, Score, Split

#: Metrics that are compared between methods.
_COMPARED = (("success", None), ("reward", None))


def arm_of(method: str, backbone: str) -> str:
    """Name of an arm: method and backbone."""
    return f"{method}@{backbone}"


def task_values(rows: Iterable[Counted]) -> list[QueryScore]:
    """What each counted trial is worth, by arm and task.

    `success` is 0 for an error; `success_of_valid` leaves errors out; `infrastructure`
    is 1 for an error; `reward` is the verifier's, 0 for an error, None where a trial
    that ended has none.
    """
    values = []
    for row in rows:
        trial = row.trial
        arm = arm_of(trial.method, trial.backbone)
        is_error = trial.state == "error"
        success = float(trial.state == "success")
        reward = 0.0 if is_error else trial.reward
        for metric, value in (
            ("success", success),
            ("success_of_valid", None if is_error else success),
            ("infrastructure", float(is_error)),
            ("reward", reward),
        ):
            values.append(QueryScore(arm, trial.task, metric, None, value))
    return sorted(values, key=lambda v: (v.arm, v.query, v.metric))


def with_differences(values: Sequence[QueryScore], rows: Sequence[Counted]) -> list[
    QueryScore
]:  # fmt: skip
    """The values, and each method minus each later one on the same backbone."""
    methods = sorted({row.trial.method for row in rows})
    backbones = sorted({row.trial.backbone for row in rows})
    pairs = [
        (arm_of(first, backbone), arm_of(second, backbone))
        for backbone in backbones
        for first, second in combinations(methods, 2)
    ]
    return [*values, *differences(values, pairs, _COMPARED)]


def task_categories(rows: Iterable[Counted]) -> dict[str, list[tuple[Split, str]]]:
    """Rows that each task counts in: all, its stratum and its domain."""
    groups: dict[str, list[tuple[Split, str]]] = {}
    for row in rows:
        trial = row.trial
        names = ["all"]
        names += [f"stratum:{trial.stratum}"] if trial.stratum else []
        names += [f"domain:{trial.domain}"] if trial.domain else []
        groups[trial.task] = [("all", name) for name in names]
    return groups


def success_scores(
    rows: Sequence[Counted], study: str, resampling: Resampling
) -> tuple[list[Score], list[QueryScore]]:
    """Score rows with intervals over tasks, and the values that they are made of."""
    values = with_differences(task_values(rows), rows)
    table = summarise(
        values,
        task_categories(rows),
        track="library",
        study=study,
        resampling=resampling,
    )
    return table, values
