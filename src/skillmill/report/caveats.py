"""What a reader must know before trusting the figures: failures and stand-ins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from skillmill.report.inputs import ReportInputs
from skillmill.report.tables import POOLED, column_key, column_name
from skillmill.types import LoadReport, Problem

_GRAVITY = ("failed", "warning", "info")
_STATES = ("failed", "skipped", "empty", "ok")


@dataclass(frozen=True, slots=True)
class ProblemList:
    """The problems of one source that are printed, and how many are not."""

    report: LoadReport
    shown: tuple[Problem, ...]
    left_out: tuple[tuple[str, int], ...]

    @property
    def left_out_count(self) -> int:
        """Problems that are not printed."""
        return sum(count for _, count in self.left_out)


def problem_list(report: LoadReport, limit: int) -> ProblemList:
    """Return the first `limit` problems, failures first, then in file order.

    `left_out` counts the rest as (severity, n), gravest first.
    """
    ordered = sorted(report.problems, key=_problem_key)
    rest = [problem.severity for problem in ordered[limit:]]
    return ProblemList(
        report=report,
        shown=tuple(ordered[:limit]),
        left_out=tuple(
            (severity, rest.count(severity))
            for severity in _GRAVITY
            if severity in rest
        ),
    )


def _problem_key(problem: Problem) -> tuple[int, str, int, str, str]:
    return (
        _GRAVITY.index(problem.severity),
        problem.file,
        problem.line or 0,
        problem.record or "",
        problem.code,
    )


def outcome_rows(
    outcomes: Sequence[tuple[str, str, str, int]],
) -> list[tuple[str, str, str, int]]:
    """Return the outcomes by stage, within a stage failures first."""
    return sorted(outcomes, key=lambda row: (row[0], _STATES.index(row[1]), row[2]))


def state_counts(outcomes: Sequence[tuple[str, str, str, int]]) -> dict[str, int]:
    """Return how many items ended in each state, all four named, gravest first."""
    return {
        state: sum(n for _, found, _, n in outcomes if found == state)
        for state in _STATES
    }


def failures(inputs: ReportInputs) -> list[str]:
    """Return one sentence per thing that failed, was skipped or cannot be scored."""
    states = (
        f"{stage}: {n} {state}{f' ({reason})' if reason else ''}"
        for stage, state, reason, n in outcome_rows(inputs.outcomes)
        if state in {"failed", "skipped"}
    )
    loads = (
        f"{report.source}: {report.failed} of {report.found} items could not be read"
        for report in inputs.load_reports
        if report.failed
    )
    return list(chain(states, loads, _unscored(inputs)))


def _unscored(inputs: ReportInputs) -> list[str]:
    """Name the pooled figures without a value: by track, split and arm."""
    missing: dict[tuple[str, str, str], list[tuple[str, int | None]]] = {}
    for score in inputs.scores:
        if score.category == POOLED and score.value is None:
            place = (score.track, score.split, score.arm)
            missing.setdefault(place, []).append((score.metric, score.k))
    return [
        f"{track}, {split} split, {arm}: no value for "
        + ", ".join(
            column_name(*column)
            for column in sorted(columns, key=lambda c: column_key(*c))
        )
        for (track, split, arm), columns in sorted(missing.items())
    ]


def heuristic_arms(inputs: ReportInputs) -> dict[str, list[str]]:
    """Return the arms with a heuristic figure, by track."""
    arms: dict[str, set[str]] = {}
    for score in inputs.scores:
        if score.heuristic:
            arms.setdefault(score.track, set()).add(score.arm)
    return {track: sorted(names) for track, names in sorted(arms.items())}
