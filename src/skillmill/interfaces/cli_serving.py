"""Commands that use a built library: search it, look around in it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.interfaces.options import JSON, RESULTS

if TYPE_CHECKING:
    from skillmill.library.settings import Arm

LIMIT = click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=5, show_default=True
)
STUDY = click.option("--study", help="Name of the study; not needed if there is one.")


@click.command()
@click.argument("query")
@STUDY
@click.option(
    "--arm",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="By words and meaning, by words alone (no model), by meaning alone.",
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=5, show_default=True
)
@click.option("--explain", is_flag=True, help="What each score is made of.")
@RESULTS
@JSON
def search(
    query: str,
    study: str | None,
    arm: "Arm",
    limit: int,
    explain: bool,
    results: Path,
    as_json: bool,
) -> None:
    """Find the skills of a built library that fit a task.

    Says so if nothing fits. --results may also name a library.sqlite.

    Example: skillmill search "reconcile invoices with payments" --study sample
    """
    from skillmill.interfaces import found, searching  # noqa: PLC0415

    path = searching.library_store(results, study)
    told = searching.search(path, query, arm, limit)
    if as_json:
        for row in found.found_rows(told, explain=explain):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    for line in found.found_lines(told, explain=explain):
        click.echo(line)
