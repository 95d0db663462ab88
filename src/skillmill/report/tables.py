"""Score rows arranged as tables; no figure is computed here, only written out."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from skillmill.types import CATEGORIES, Score

NOT_AVAILABLE = "n/a"
POOLED = "all"

#: The split a reader looks for first.
SPLITS = ("test", "all", "val", "train")
_METRICS = ("hit", "recall", "recall_any", "recall_all", "full_coverage", "precision")
_CSV_COLUMNS = (
    *("track", "split", "category", "arm", "metric"),
    *("n", "value", "interval", "heuristic"),
)
_CATEGORIES = (POOLED, *CATEGORIES.values())


@dataclass(frozen=True, slots=True)
class Cell:
    """One score as it is printed: percent with one decimal, interval, n."""

    score: Score

    @property
    def value(self) -> str:
        """The value in percent, or `n/a`."""
        return percent(self.score.value)

    @property
    def interval(self) -> str:
        """Both ends of the interval in percent, or `n/a`."""
        return interval(self.score.low, self.score.high)

    @property
    def n(self) -> int:
        """The number of queries behind the value."""
        return self.score.n

    @property
    def heuristic(self) -> bool:
        """Whether an offline stand-in took part."""
        return self.score.heuristic


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; a cell is None where nothing was measured."""

    label: str
    cells: tuple[Cell | None, ...]

    @property
    def heuristic(self) -> bool:
        """Whether any figure of the line is heuristic."""
        return any(cell.heuristic for cell in self.cells if cell)


@dataclass(frozen=True, slots=True)
class Table:
    """Scores of one track and split with metrics as columns.

    `rows_are` is `arm`, then `name` is a category, or `category`, then `name` is
    an arm.
    """

    track: str
    split: str
    rows_are: str
    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def heuristic(self) -> bool:
        """Whether any figure of the table is heuristic."""
        return any(row.heuristic for row in self.rows)


def percent(value: float | None) -> str:
    """Return a fraction in percent with one decimal and no sign, None as `n/a`.

    Halves are rounded away from zero on the decimal digits, so 0.1225 is `12.3`.

    Raises
    ------
    ValueError
        If the value is not finite.
    """
    if value is None:
        return NOT_AVAILABLE
    if not math.isfinite(value):
        raise ValueError(f"a score must be finite or None, got {value}")
    points = Decimal(str(float(value))) * 100
    rounded = points.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
    return str(abs(rounded) if rounded.is_zero() else rounded)


def signed(value: float | None) -> str:
    """Return a difference of fractions in percent points with its sign: `+2.5`."""
    text = percent(value)
    return text if value is None or text[0] == "-" or text == "0.0" else f"+{text}"


def signed_interval(low: float | None, high: float | None) -> str:
    """Return `-1.0 to +6.0` in percent points, or `n/a` if an end is missing."""
    if low is None or high is None:
        return NOT_AVAILABLE
    return f"{signed(low)} to {signed(high)}"


def interval(low: float | None, high: float | None) -> str:
    """Return `51.0 to 74.8` in percent, or `n/a` if an end is missing."""
    if low is None or high is None:
        return NOT_AVAILABLE
    return f"{percent(low)} to {percent(high)}"


def column_name(metric: str, k: int | None) -> str:
    """Return `recall@5`, or the bare metric where it has no cut-off."""
    return metric if k is None else f"{metric}@{k}"


def column_key(metric: str, k: int | None) -> tuple[int, str, int]:
    """Return the sort key of a column: known metrics first, then by name, then k."""
    known = _METRICS.index(metric) if metric in _METRICS else len(_METRICS)
    return known, metric, -1 if k is None else k


def category_key(category: str) -> tuple[int, str]:
    """Return the sort key of a category: pooled, LoCoMo's by number, then by name."""
    if category in _CATEGORIES:
        return _CATEGORIES.index(category), category
    return len(_CATEGORIES), category


def numbered(category: str) -> str:
    """Return LoCoMo's category with its number, as `1 multi-hop`; others as they are.

    The numbers of the files are not in the order of the paper, and are often misread.
    """
    numbers = {name: number for number, name in CATEGORIES.items()}
    return f"{numbers[category]} {category}" if category in numbers else category


def splits_of(scores: Iterable[Score], track: str) -> tuple[str, ...]:
    """Return the splits that a track has scores of, the one to read first first."""
    found = {score.split for score in scores if score.track == track}
    return tuple(sorted(found, key=SPLITS.index))


def category_tables(scores: Sequence[Score], track: str) -> tuple[Table, ...]:
    """Return one table per split and category: arms in rows, metrics in columns.

    Ordered by split, then category with the pooled one first; arms by name.

    Raises
    ------
    ValueError
        If two scores claim one cell.
    """
    return _tables(
        scores,
        track,
        rows_are="arm",
        name_of=lambda score: score.category,
        row_of=lambda score: score.arm,
    )


def arm_tables(scores: Sequence[Score], track: str) -> tuple[Table, ...]:
    """Return one table per split and arm: categories in rows, metrics in columns.

    Ordered by split, then arm; categories with the pooled one first.

    Raises
    ------
    ValueError
        If two scores claim one cell.
    """
    return _tables(
        scores,
        track,
        rows_are="category",
        name_of=lambda score: score.arm,
        row_of=lambda score: score.category,
    )


def scores_csv(scores: Iterable[Score]) -> str:
    """Return the rows as CSV with percent columns, in the order of the tables."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_COLUMNS)
    for score in sorted(scores, key=_score_key):
        cell, mark = Cell(score), "heuristic" if score.heuristic else ""
        place = (score.track, score.split, score.category, score.arm)
        column = column_name(score.metric, score.k)
        writer.writerow((*place, column, cell.n, cell.value, cell.interval, mark))
    return text.getvalue()


def _score_key(score: Score) -> tuple[object, ...]:
    return (
        score.track,
        SPLITS.index(score.split),
        category_key(score.category),
        score.arm,
        column_key(score.metric, score.k),
    )


def _tables(
    scores: Sequence[Score],
    track: str,
    *,
    rows_are: str,
    name_of: Callable[[Score], str],
    row_of: Callable[[Score], str],
) -> tuple[Table, ...]:
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        if score.track == track:
            groups.setdefault((score.split, name_of(score)), []).append(score)
    ordered = sorted(
        groups, key=lambda group: (SPLITS.index(group[0]), category_key(group[1]))
    )
    return tuple(
        Table(track, split, rows_are, name, *_grid(groups[split, name], row_of))
        for split, name in ordered
    )


def _grid(
    scores: Sequence[Score], row_of: Callable[[Score], str]
) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    columns = sorted(
        {(score.metric, score.k) for score in scores},
        key=lambda column: column_key(*column),
    )
    cells: dict[tuple[str, str, int | None], Cell] = {}
    for score in scores:
        place = (row_of(score), score.metric, score.k)
        if place in cells:
            raise ValueError(f"two scores for one cell: {cells[place].score}, {score}")
        cells[place] = Cell(score)
    labels = sorted({place[0] for place in cells}, key=category_key)
    rows = (
        Row(label, tuple(cells.get((label, *column)) for column in columns))
        for label in labels
    )
    return tuple(column_name(*column) for column in columns), tuple(rows)
