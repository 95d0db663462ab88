"""Commands about predictions in SkillRouter's format."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.interfaces.options import CONFIG, JSON, RESULTS

if TYPE_CHECKING:
    from skillmill.data.relevance import Mode


@click.group()
def predictions() -> None:
    """Hand rankings to other scorers, and score those of other rankers."""


@predictions.command("export")
@click.option("--study", required=True, help="Name of the study.")
@click.option("--arm", required=True, help="Ranker or graph arm.")
@click.option("--depth", type=click.IntRange(1), default=50, show_default=True)
@RESULTS
def export(study: str, arm: str, depth: int, results: Path) -> None:
    """Write the rankings of an arm: one JSON object, task -> ranked skill ids.

    Example: skillmill predictions export --study sample --arm hybrid > hybrid.json
    """
    from skillmill.interfaces import predicting  # noqa: PLC0415

    made = predicting.exported(results, study, arm, depth)
    click.echo(json.dumps(made, ensure_ascii=False, indent=1))


@predictions.command("score")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--relevance",
    required=True,
    type=click.Path(path_type=Path),
    help="SkillRouter's relevance.json, or tasks as JSONL.",
)
@click.option(
    "--mode",
    type=click.Choice(["core", "all", "single"]),
    default="core",
    show_default=True,
    help="core: core skills, without generic-only tasks; single: tasks with one skill.",
)
@click.option(
    "--pool",
    type=click.Path(path_type=Path),
    help="Skills that could be found: JSONL, or a folder of it; all when left out.",
)
@click.option("--study", help="Also write the scores below this study's results.")
@CONFIG
@RESULTS
@JSON
def score(
    files: tuple[Path, ...],
    relevance: Path,
    mode: "Mode",
    pool: Path | None,
    study: str | None,
    overlays: tuple[Path, ...],
    results: Path,
    as_json: bool,
) -> None:
    """Score prediction FILES; a task without a prediction scores zero.

    Example: skillmill predictions score hybrid.json --relevance relevance.json
    """
    from skillmill.interfaces import predicting  # noqa: PLC0415
    from skillmill.interfaces.show import as_json as row_of  # noqa: PLC0415

    found = predicting.scored(
        files, relevance, mode, pool, study or "predictions", overlays
    )
    for line in predicting.remarks(found):
        click.echo(line, err=True)
    if study:
        store = predicting.save(found, results, study, [*files, relevance])
        click.echo(f"written to {store}", err=True)
    if as_json:
        for row in found.table:
            click.echo(json.dumps(row_of(row), ensure_ascii=False))
        return
    from skillmill.interfaces.tables import score_table  # noqa: PLC0415

    score_table(found.table)
