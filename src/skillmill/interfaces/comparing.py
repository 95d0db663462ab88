"""Two runs compared, as rows: per arm and measure, and per question."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skillmill.errors import InputError
from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.runs import (
    RunValues,
    compare_runs,
    paired,
)
from skillmill.interfaces.show import require_known
from skillmill.report.othersource import Run, compared_stores, read_run
from skillmill.settings.whole import Evaluation

#: As config.yaml has them: the runs may be of different configurations.
USUAL = Resampling(Evaluation().bootstrap, Evaluation().level, 0)


def named_run(results: Path, name: str) -> Run:
    """The run that a user means: a folder, or a study below the results folder.

    Raises
    ------
    InputError
        If it is neither, or has no scores.
    StoreError
        If a store is damaged or of another version.
    """
    folder = Path(name)
    if not folder.is_dir() or (results / name).is_dir():
        folder = results / name
    return read_run(name, compared_stores(folder))


def difference_rows(
    first: Run, second: Run, filters: Mapping[str, str | int | None]
) -> list[dict[str, Any]]:
    """Rows of `RunDifference` that match, behind their track.

    Raises
    ------
    InputError
        If the runs have no measure in common, or no row has the arm, category or
        metric wanted; the message names the known.
    """
    rows = [
        {"track": track, **row._asdict()}
        for track, (one, other) in _common(first, second)
        for row in compare_runs(one, other, USUAL)
    ]
    if not rows:
        raise InputError(
            f"runs {first.name} and {second.name} have no scored measure in common;"
            " build both with tasks or questions"
        )
    return _matching(rows, filters)


def question_rows(
    first: Run, second: Run, filters: Mapping[str, str | int | None]
) -> list[dict[str, Any]]:
    """A row for each question whose value differs, by measure and question.

    Raises
    ------
    InputError
        As `difference_rows`.
    """
    rows = [
        row
        for track, (one, other) in _common(first, second)
        for row in _changed(track, one, other, filters.get("category"))
    ]
    return _matching(rows, {k: v for k, v in filters.items() if k != "category"})


def _common(
    first: Run, second: Run
) -> Iterator[tuple[str, tuple[RunValues, RunValues]]]:
    for track, one in first.tracks.items():
        if track in second.tracks:
            yield track, (one, second.tracks[track])


def _changed(
    track: str, one: RunValues, other: RunValues, category: str | int | None
) -> Iterator[dict[str, Any]]:
    there = other.measures()
    for (arm, metric, k), here in sorted(one.measures().items(), key=repr):
        pairs = paired(one, other, here, there.get((arm, metric, k), {})).pairs
        for query, (a, b) in pairs.items():
            question = one.questions[query]
            if a != b and (category is None or category in question.groups):
                yield {
                    "track": track, "arm": arm, "metric": metric, "k": k,
                    "question": query, "first": a, "second": b, "text": question.text,
                }  # fmt: skip


def _matching(
    rows: list[dict[str, Any]], filters: Mapping[str, str | int | None]
) -> list[dict[str, Any]]:
    wanted = {name: value for name, value in filters.items() if value is not None}
    for name in sorted(wanted.keys() & {"arm", "category", "metric"}):
        require_known(name, wanted[name], {row[name] for row in rows})
    return [row for row in rows if all(row[n] == v for n, v in wanted.items())]
