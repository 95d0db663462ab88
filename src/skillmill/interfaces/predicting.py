"""Predictions written from the rankings of a study, and scored from files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from skillmill.codehash import code_of
from skillmill.data.relevance import (
    Mode,
    load_pool,
    load_predictions,
    load_relevance,
)
from skillmill.errors import InputError
from skillmill.evaluate import predictions as scoring
from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.interfaces.configured import read_config
from skillmill.store import artifact, rankings, scores
from skillmill.types import LoadReport, QueryScore, Ranking, Score

#: Folder of a study with scores of predictions.
FOLDER = "predictions"


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of some prediction files, with how each fits the tasks."""

    table: list[Score]
    values: list[QueryScore]
    compared: dict[str, scoring.Compared]
    reports: list[LoadReport]


def exported(results: Path, study: str, arm: str, depth: int) -> dict[str, list[str]]:
    """Predictions of one arm of a study's library track.

    Raises
    ------
    InputError
        If there is no such study or arm.
    """
    folder = results / study / "library"
    stores = [(path, "rankings") for path in sorted(folder.glob("*rankings.sqlite"))]
    stores += [(path, "traces") for path in sorted(folder.glob("traces.sqlite"))]
    found: list[Ranking] = []
    known: set[str] = set()
    for store, kind in stores:
        with artifact.reading(store, kind) as db:
            mine = rankings.load_rankings(db)
        known |= {ranking.arm for ranking in mine}
        found += [ranking for ranking in mine if ranking.arm == arm]
    if not stores:
        raise InputError(
            f"no rankings of study {study!r} below {results}; run `skillmill run` with"
            " its configuration first",
            record=study,
        )
    if arm not in known:
        raise InputError(
            f"study {study!r} has no arm {arm!r}; there are:"
            f" {', '.join(sorted(known))}",
            record=arm,
        )
    return scoring.as_predictions(found, depth)


def scored(
    files: Sequence[Path],
    relevance: Path,
    mode: Mode,
    pool: Path | None,
    study: str,
    overlays: Iterable[Path] = (),
) -> Scored:
    """Score prediction files; the name of an arm is that of its file.

    Raises
    ------
    InputError
        If a file cannot be read, two have one name, or no task is left to score.
    """
    _refuse_repeats(files)
    every, report = load_relevance(relevance, mode)
    truths, lost = scoring.in_pool(every, load_pool(pool) if pool else None)
    if not truths:
        raise InputError(
            f"{relevance}: no task is left to score in mode {mode!r}"
            f" ({len(lost)} have no skill in the pool); check --mode and --pool",
            record=str(relevance),
        )
    config = read_config(overlays)
    values: list[QueryScore] = []
    fits, reports = {}, [report]
    for file in files:
        predictions, read = load_predictions(file)
        reports.append(read)
        values += scoring.score_predictions(file.stem, predictions, truths)
        fits[file.stem] = scoring.compared(predictions, truths, lost)
    needed = {truth.task for truth in truths}
    table = summarise(
        values,
        scoring.strata(truth for truth in every if truth.task in needed),
        track="library",
        study=study,
        resampling=Resampling(
            config.evaluation.bootstrap, config.evaluation.level, config.seed
        ),
    )
    return Scored(table, values, fits, reports)


def save(found: Scored, results: Path, study: str, inputs: Sequence[Path]) -> Path:
    """Write the scores as a store that `show scores` reads; give its path.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    store = results / study / FOLDER / "scores.sqlite"
    store.parent.mkdir(parents=True, exist_ok=True)
    provenance = artifact.Provenance(
        kind="scores",
        study=study,
        package_version=metadata.version("skillmill"),
        code=code_of(Path(__file__)),
        inputs={"files": [str(path) for path in inputs]},
    )
    with artifact.writing(store, provenance) as db:
        scores.save_scores(db, found.table)
        scores.save_query_scores(db, found.values)
    return store


def remarks(found: Scored) -> Iterable[str]:
    """Lines on what was not as it should be, and what it counts as."""
    for report in found.reports:
        if report.failed:
            first = next(p for p in report.problems if p.severity == "failed")
            yield (
                f"{report.source}: {report.failed} of {report.found} entries cannot be"
                f" used; the first: {first.message}"
            )
    for arm, fit in found.compared.items():
        line = f"{arm}: {fit.scored} tasks scored"
        if fit.missing:
            line += f", {len(fit.missing)} without a prediction score zero"
        if fit.out_of_pool:
            line += f", {len(fit.out_of_pool)} have no skill in the pool"
        if fit.unknown:
            line += f", {len(fit.unknown)} predictions belong to no scored task"
        yield line


def _refuse_repeats(files: Sequence[Path]) -> None:
    names = [file.stem for file in files]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"two files are called {twice[0]!r}, which names their arm; rename one",
            record=twice[0],
        )
