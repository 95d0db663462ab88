"""The few figures a track is summed up by, best arm first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from skillmill.evaluate.arms import CEILING
from skillmill.report.tables import POOLED, Cell, column_key, column_name, splits_of
from skillmill.report.track import Track
from skillmill.types import Score

#: What `search` and `recall` run if nothing else is asked for. A page is summed up by
#: it: of many arms the best is partly luck.
USED: Mapping[Track, str] = MappingProxyType(
    {"library": "hybrid", "memory": "fixed-best"}
)


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

    @property
    def used(self) -> Cell:
        """The arm that is used by default; the best where it was not run."""
        named = (cell for cell in self.cells if cell.score.arm == USED[self.track])
        return next(named, self.best)


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
