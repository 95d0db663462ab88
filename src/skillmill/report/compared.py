"""Another run beside that of the page: tables of differences, values to explore."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.runs import RunDifference, compare_runs, is_same
from skillmill.report.othersource import Run, only_in_one
from skillmill.report.tables import (
    POOLED,
    column_key,
    column_name,
    percent,
    signed,
    signed_interval,
)
from skillmill.report.track import TRACKS, Track
from skillmill.types import QueryScore

#: What a row says of the questions that are not compared.
LEFT_OUT = (
    ("only_first", "only here"),
    ("only_second", "only there"),
    ("changed", "asked or answered otherwise"),
    ("unscored", "without a value"),
)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """What a page says of another run; the first run is always that of the page.

    Attributes
    ----------
    name : str
    level : float
        Coverage of the intervals.
    rows : mapping
        Track -> differences, of every group of questions.
    there : mapping
        Track -> the other run's values of the questions that both ask alike.
    pooled : set of str
        Questions that count in the pooled rows.
    alone : sequence of str
        What one run alone has, a sentence each.
    """

    name: str
    level: float
    rows: Mapping[Track, Sequence[RunDifference]]
    there: Mapping[Track, Sequence[QueryScore]]
    pooled: frozenset[str]
    alone: Sequence[str]


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A line of a table; `at`, `low_at` and `high_at` are places in [0, 1] of a bar."""

    arm: str
    n: int
    first: str
    second: str
    difference: str
    interval: str
    higher: int
    lower: int
    left_out: str
    at: float | None
    low_at: float
    high_at: float


@dataclass(frozen=True, slots=True)
class DifferenceTable:
    """Arms by one measure; `chosen` marks the measure that sums the track up."""

    track: Track
    column: str
    chosen: bool
    rows: Sequence[DifferenceRow]


def compared_run(this: Run, other: Run, resampling: Resampling) -> ComparedRun:
    """Hold the run of a page against another."""
    rows, there = {}, {}
    pooled: set[str] = set()
    for track in TRACKS:
        if track in this.tracks and track in other.tracks:
            one, two = this.tracks[track], other.tracks[track]
            rows[track] = compare_runs(one, two, resampling)
            there[track] = [v for v in two.values if is_same(one, two, v.query)]
            pooled |= {
                q for q, asked in one.questions.items() if POOLED in asked.groups
            }
    alone = only_in_one(this, other)
    return ComparedRun(
        other.name, resampling.level, rows, there, frozenset(pooled), alone
    )


def difference_tables(
    compared: ComparedRun | None, headline: Mapping[Track, tuple[str, int | None]]
) -> list[DifferenceTable]:
    """Pooled differences by track and measure, the headline measure first."""
    tables = []
    for track, rows in {} if compared is None else compared.rows.items():
        pooled = [row for row in rows if row.category == POOLED]
        columns = sorted(
            {(row.metric, row.k) for row in pooled},
            key=lambda c: (c != headline[track], column_key(*c)),
        )
        for place, column in enumerate(columns):
            here = [row for row in pooled if (row.metric, row.k) == column]
            tables.append(
                DifferenceTable(track, column_name(*column), place == 0, _lines(here))
            )
    return tables


def _lines(rows: Sequence[RunDifference]) -> list[DifferenceRow]:
    ends = [abs(end) for row in rows for end in (row.low, row.high) if end is not None]
    scale = max(ends, default=0.0) or 1.0

    def place(value: float | None) -> float:
        return 0.5 if value is None else 0.5 + value / scale / 2

    return [
        DifferenceRow(
            arm=row.arm,
            n=row.n,
            first=percent(row.first),
            second=percent(row.second),
            difference=signed(row.difference),
            interval=signed_interval(row.low, row.high),
            higher=row.higher,
            lower=row.lower,
            left_out=_left_out(row),
            at=None if row.difference is None else place(row.difference),
            low_at=place(row.low),
            high_at=place(row.high),
        )
        for row in rows
    ]


def _left_out(row: RunDifference) -> str:
    """`12: 10 only here, 2 without a value`, or `0`."""
    parts = [f"{getattr(row, name)} {said}" for name, said in LEFT_OUT
             if getattr(row, name)]  # fmt: skip
    return f"{row.left_out}: {', '.join(parts)}" if parts else "0"
