"""The few figures a track is summed up by, best arm first."""

from collections.abc import Sequence
from dataclasses import dataclass

from skillmill.evaluate.arms import CEILING
from skillmill.report.inputs import Track
from skillmill.report.tables import POOLED, Cell, column_key, column_name, splits_of
from skillmill.types import Score


@dataclass(frozen=True, slots=True)
class Headline:
    """One metric of one track over all its queries, an arm per cell.

    `cells` are ordered by value, best first, arms without a value last, ties by
    arm name. `wanted` is False where the configured metric was not measured and
    another stands in for it.
    """

    track: Track
    split: str
    column: str
    wanted: bool
    cells: tuple[Cell, ...]

    @property
    def best(self) -> Cell:
        """The arm with the highest value."""
        return self.cells[0]


def headline(
    scores: Sequence[Score], track: Track, wanted: tuple[str, int | None]
) -> Headline | None:
    """Return the arms of a track by one metric, or None without pooled scores.

    The split is the first of test, all, val, train that has pooled scores; the
    metric is `wanted` (metric, k) or, failing that, the first column of the table.
    Ceilings, which know the answer, are left out.
    """
    pooled = [
        score
        for score in scores
        if score.category == POOLED and not score.arm.startswith(CEILING)
    ]
    splits = splits_of(pooled, track)
    if not splits:
        return None
    here = [s for s in pooled if s.track == track and s.split == splits[0]]
    columns = sorted({(s.metric, s.k) for s in here}, key=lambda c: column_key(*c))
    chosen = wanted if wanted in columns else columns[0]
    cells = [Cell(score) for score in here if (score.metric, score.k) == chosen]
    return Headline(
        track=track,
        split=splits[0],
        column=column_name(*chosen),
        wanted=chosen == wanted,
        cells=tuple(sorted(cells, key=_best_first)),
    )


def _best_first(cell: Cell) -> tuple[bool, float, str]:
    value = cell.score.value
    return value is None, -round(value or 0.0, 6), cell.score.arm
