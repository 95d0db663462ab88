"""Trials of agents: taken in from files, counted, scored and shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from skillmill.codehash import code_of
from skillmill.data.trialfile import load_trials as load_file
from skillmill.errors import InputError
from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.downstream import tables
from skillmill.evaluate.downstream.counting import Counted, Counting, counted
from skillmill.evaluate.downstream.strata import check_strata
from skillmill.evaluate.downstream.success import success_scores
from skillmill.interfaces.configured import read_config
from skillmill.settings.downstream import Downstream
from skillmill.store import artifact, load, scores, trials
from skillmill.types import LoadReport, Score, State, Trial

#: Folder of a study with the scores of its trials.
FOLDER = "downstream"


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of the rows of result files."""

    reports: list[LoadReport]
    kept: trials.Kept


def take_in(
    files: Sequence[Path], records: Path, study: str, *, replace: bool
) -> TakenIn:
    """Add the trials of result files to a study, all or none.

    Raises
    ------
    InputError
        If a file cannot be read, or no row of it is a trial.
    StoreError
        If a trial differs from one that is there, and is not to replace it.
    """
    found: list[Trial] = []
    reports = []
    for file in files:
        mine, report = load_file(file)
        if not mine:
            raise InputError(
                f"{file}: none of {report.found} rows is a trial; the first:"
                f" {report.problems[0].message}",
                record=str(file),
            )
        found += mine
        reports.append(report)
    return TakenIn(reports, trials.keep_trials(records, study, found, replace=replace))


def trials_of(records: Path, study: str) -> list[Trial]:
    """The trials of a study, sorted by their key.

    Raises
    ------
    InputError
        If it has none; the message names the studies that have some.
    """
    found = trials.load_trials(records, study)
    if not found:
        known = ", ".join(trials.studies_with_trials(records)) or "none yet"
        raise InputError(
            f"study {study!r} has no trials in {records}; there are: {known}. Import"
            " some with `skillmill downstream import`",
            record=study,
        )
    return found


def score(
    records: Path, results: Path, study: str, overlays: Iterable[Path] = ()
) -> list[Score]:
    """Score the trials of a study and write them where `show scores` reads.

    Raises
    ------
    SkillmillError
        As `trials_of`, `counted` and the stores.
    """
    config = read_config(overlays)
    rows = counted_of(trials_of(records, study), config.downstream)
    table, values = success_scores(
        rows,
        study,
        Resampling(config.evaluation.bootstrap, config.evaluation.level, config.seed),
    )
    store = results / study / FOLDER / "scores.sqlite"
    store.parent.mkdir(parents=True, exist_ok=True)
    provenance = artifact.Provenance(
        kind="scores",
        study=study,
        package_version=metadata.version("skillmill"),
        code=code_of(Path(__file__)),
        models={b: b for b in sorted({row.trial.backbone for row in rows})},
    )
    with artifact.writing(store, provenance) as db:
        load.save_outcomes(db, "trials", _states(rows))
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)
    return table


def counted_of(found: Iterable[Trial], section: Downstream) -> list[Counted]:
    """The attempts that count by a configuration.

    Raises
    ------
    InputError
        As `counted`; if the tasks are not the split that the configuration expects.
    """
    rows = counted(found, Counting(section.retries, section.invalid))
    protocols = {"skillsbench": section.skillsbench, "alfworld": section.alfworld}
    for name, protocol in protocols.items():
        strata = {
            r.trial.task: r.trial.stratum for r in rows if r.trial.benchmark == name
        }
        if strata:
            key = f"downstream.{name}.strata"
            check_strata(strata.values(), protocol.strata, f"tasks of {name}", key)
    return rows


#: Table -> the rows it prints, of counted trials and of all.
TABLES: Mapping[str, Callable[[list[Counted], list[Trial]], list[tables.Row]]] = {
    "success": lambda rows, _: tables.success_rows(rows),
    "backbones": lambda rows, _: tables.backbone_rows(rows),
    "strata": lambda rows, _: tables.success_rows(rows, lambda t: t.stratum),
    "domains": lambda rows, _: tables.success_rows(rows, lambda t: t.domain),
    "costs": tables.cost_rows,
    "time": lambda rows, _: tables.time_rows(rows),
}


def table_rows(
    records: Path, study: str, table: str, overlays: Iterable[Path] = ()
) -> list[tables.Row]:
    """Rows of one of the tables."""
    every = trials_of(records, study)
    return TABLES[table](counted_of(every, read_config(overlays).downstream), every)


def _states(rows: Iterable[Counted]) -> dict[tuple[State, str], int]:
    """Trials by outcome and reason; an infrastructure error has failed."""
    found: dict[tuple[State, str], int] = {}
    for row in rows:
        is_error = row.trial.state == "error"
        state: State = "failed" if is_error else "ok"
        key = state, (row.trial.reason if is_error else "")
        found[key] = found.get(key, 0) + 1
    return found
