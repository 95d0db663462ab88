"""Commands for authors of skills and of queries."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from skillmill.interfaces.lint import Format


@click.command()
@click.argument("library", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl", "sarif"]),
    default="text",
    show_default=True,
    help="A line a problem, JSON rows, or SARIF 2.1.0 for code hosts.",
)
@click.option("--json", "as_json", is_flag=True, help="Short for --format jsonl.")
def lint(library: Path, form: "Format", as_json: bool) -> None:
    """Check every SKILL.md of a folder.

    Exit code 1 when a skill is lost or read with a warning; advice (severity info)
    alone is 0.

    Example: skillmill lint data/sample/library --format sarif
    """
    from skillmill.interfaces import lint as linting  # noqa: PLC0415

    problems, report = linting.lint_library(library)
    for line in linting.written(problems, "jsonl" if as_json else form):
        click.echo(line)
    click.echo(linting.summary(report), err=True)
    sys.exit(linting.exit_code(report))


@click.group()
def queries() -> None:
    """Look after sets of queries."""


@queries.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--library",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the skills that the queries should find.",
)
def check_queries(file: Path, library: Path) -> None:
    """Test queries for echoes of the skills that they should find.

    A query that holds every word of a skill's name, or a long run of words of its
    description, flatters every ranker. Exit code 1 when one does or cannot be read.

    Example: skillmill queries check my.jsonl --library data/sample/library
    """
    from skillmill.interfaces import queries as checking  # noqa: PLC0415

    found = checking.check_queries(file, library)
    for line in checking.written(found):
        click.echo(line)
    click.echo(
        f"{found.queries} queries, {found.echoing} echo, {found.report.failed} failed",
        err=True,
    )
    sys.exit(1 if found.echoes or found.report.failed else 0)
