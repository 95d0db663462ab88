"""Commands about success of agents with retrieved skills."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.interfaces.options import (
    CONFIG,
    JSON,
    RECORDS,
    RESULTS,
    problem_line,
    say,
)

if TYPE_CHECKING:
    from skillmill.store.trials import Kept
    from skillmill.types import LoadReport

STUDY = click.option("--study", required=True, help="Name that trials are kept under.")
REPLACE = click.option(
    "--replace", is_flag=True, help="Put trials in the place of others with their key."
)
METHOD = click.option("--method", required=True, help="What chose the skills.")
PREDICTIONS = click.option(
    "--predictions",
    type=click.Path(path_type=Path),
    help="Task -> ranked skills, as `predictions export` writes; left out: all skills.",
)
LIBRARY = click.option(
    "--library",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the skills.",
)
TABLES = ("success", "backbones", "strata", "domains", "costs", "time")


@click.group()
def downstream() -> None:
    """Measure whether agents succeed with the skills that a method gives them."""


@downstream.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@STUDY
@REPLACE
@RECORDS
@JSON
def import_trials(
    files: tuple[Path, ...], study: str, replace: bool, records: Path, as_json: bool
) -> None:
    """Add trials of other runs, JSON Lines as docs/downstream.md describes.

    Example: skillmill downstream import runs.jsonl --study alfworld
    """
    from skillmill.interfaces import downstream as taking  # noqa: PLC0415

    done = taking.take_in(files, records, study, replace=replace)
    tell_reports(done.reports)
    _tell_kept(done.kept, as_json)


@downstream.command("export")
@STUDY
@RECORDS
def export_trials(study: str, records: Path) -> None:
    """Write the trials of a study as the JSON Lines that `downstream import` reads.

    Example: skillmill downstream export --study alfworld > runs.jsonl
    """
    from skillmill.data.trialfile import as_row  # noqa: PLC0415
    from skillmill.interfaces.downstream import trials_of  # noqa: PLC0415

    for trial in trials_of(records, study):
        click.echo(json.dumps(as_row(trial), ensure_ascii=False))


@downstream.command("score")
@STUDY
@CONFIG
@RECORDS
@RESULTS
@JSON
def score(
    study: str, overlays: tuple[Path, ...], records: Path, results: Path, as_json: bool
) -> None:
    """Score the trials of a study, and write them where `show scores` reads.

    Example: skillmill downstream score --study alfworld --json
    """
    from skillmill.interfaces.downstream import score as scored  # noqa: PLC0415
    from skillmill.interfaces.show import as_json as row_of  # noqa: PLC0415

    rows = scored(records, results, study, overlays)
    if as_json:
        for row in rows:
            click.echo(json.dumps(row_of(row), ensure_ascii=False))
        return
    from skillmill.interfaces.tables import score_table  # noqa: PLC0415

    score_table(rows)


@downstream.command("show")
@STUDY
@click.option(
    "--table",
    type=click.Choice(TABLES),
    default="success",
    show_default=True,
    help="Success pooled, by backbone, stratum or domain; costs; time against success.",
)
@CONFIG
@RECORDS
@JSON
def show(
    study: str, table: str, overlays: tuple[Path, ...], records: Path, as_json: bool
) -> None:
    """Print a table of the trials of a study; errors are counted apart.

    Example: skillmill downstream show --study alfworld --table strata
    """
    from skillmill.interfaces.downstream import table_rows  # noqa: PLC0415

    rows = table_rows(records, study, table, overlays)
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    from skillmill.interfaces.tables import row_table  # noqa: PLC0415

    row_table(rows)


@downstream.command("skillsbench-write")
@click.argument("tasks", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@LIBRARY
@PREDICTIONS
@click.option("--budget", type=click.IntRange(0), default=5, show_default=True)
@CONFIG
@JSON
def skillsbench_write(
    tasks: Path,
    target: Path,
    library: Path,
    predictions: Path | None,
    budget: int,
    overlays: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Copy SkillsBench's TASKS to TARGET with retrieved skills in place of their own.

    Run them with harbor (it needs Docker), then read its job back.

    Example: skillmill downstream skillsbench-write tasks out --library skills
    --predictions hybrid.json
    """
    from skillmill.interfaces import harbor  # noqa: PLC0415
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415

    protocol = read_config(overlays).downstream.skillsbench
    done = harbor.write_tasks(tasks, library, predictions, budget, target, protocol)
    say(
        {"tasks": done.tasks, "skills": done.skills, "without": list(done.without)},
        f"{done.tasks} tasks with {done.skills} skills written to {target}",
        as_json,
    )
    if done.without:
        click.echo(
            f"{len(done.without)} tasks have no prediction and got no skills, the"
            f" first: {done.without[0]}",
            err=True,
        )


@downstream.command("skillsbench-read")
@click.argument("jobs", nargs=-1, required=True, type=click.Path(path_type=Path))
@STUDY
@METHOD
@click.option("--backbone", help="The agent's model; as harbor names it if left out.")
@click.option(
    "--tasks",
    type=click.Path(path_type=Path),
    help="Task folders, for strata (difficulty) and domains (category).",
)
@REPLACE
@CONFIG
@RECORDS
@JSON
def skillsbench_read(
    jobs: tuple[Path, ...],
    study: str,
    method: str,
    backbone: str | None,
    tasks: Path | None,
    replace: bool,
    overlays: tuple[Path, ...],
    records: Path,
    as_json: bool,
) -> None:
    """Read the results of harbor's JOBS (their folders) into a study.

    Example: skillmill downstream skillsbench-read jobs/one --study skillsbench
    --method hybrid --tasks tasks
    """
    from skillmill.interfaces import harbor  # noqa: PLC0415
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415

    protocol = read_config(overlays).downstream.skillsbench
    found, reports = harbor.read_results(jobs, tasks, method, backbone, protocol)
    tell_reports(reports)
    kept = harbor.keep(found, records, study, replace_known=replace)
    _tell_kept(kept, as_json)


def _tell_kept(kept: "Kept", as_json: bool) -> None:
    say(
        {"added": kept.added, "known": kept.known, "replaced": kept.replaced},
        f"{kept.added} trials added, {kept.known} were there, {kept.replaced} replaced",
        as_json,
        remark=True,
    )


def tell_reports(reports: "Iterable[LoadReport]") -> None:
    """Say what was found in files, with every row that is lost, on standard error."""
    for report in reports:
        click.echo(
            f"{report.source}: {report.found} found, {report.loaded} loaded,"
            f" {report.warned} with warnings, {report.failed} failed",
            err=True,
        )
        for problem in report.problems:
            click.echo(problem_line(problem), err=True)
