"""Commands for authors of skills and of queries."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from skillmill.interfaces.options import (
    A_STUDY,
    JSON,
    RESULTS,
    problem_line,
    report_rows,
    say,
)

if TYPE_CHECKING:
    from skillmill.interfaces.lint import Format
    from skillmill.types import LoadReport


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
@click.option(
    "--ids",
    type=click.Choice(["folder", "name"]),
    default="folder",
    help="What a skill's id is, as library.ids says.",
)
@JSON
def check_queries(
    file: Path, library: Path, ids: Literal["folder", "name"], as_json: bool
) -> None:
    """Test queries for echoes of the skills that they should find.

    A query that holds every word of a skill's name, or a long run of words of its
    description, flatters every ranker. Exit code 1 when one does or cannot be read.

    Example: skillmill queries check my.jsonl --library data/sample/library
    """
    from dataclasses import asdict  # noqa: PLC0415

    from skillmill.interfaces import queries as checking  # noqa: PLC0415

    found = checking.check_queries(file, library, ids)
    if as_json:
        for echo in found.echoes:
            say({"row": "echo"} | asdict(echo), "", as_json=True)
        report_rows(found.report)
    else:
        for line in checking.written(found):
            click.echo(line)
    click.echo(
        f"{found.queries} queries, {found.echoing} echo, {found.report.failed} failed",
        err=True,
    )
    sys.exit(1 if found.echoes or found.report.failed else 0)


@queries.command("calibrate")
@click.option("--study", required=True, help="Name of the study.")
@click.option(
    "--on",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="Queries that have a skill, as docs/library.md describes; may be repeated.",
)
@click.option(
    "--off",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Queries that have none; left out: those of data/queries.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, 0.5),
    default=0.02,
    show_default=True,
    help="Share of the first that may be refused.",
)
@RESULTS
def calibrate(
    study: str,
    on: tuple[Path, ...],
    off: tuple[Path, ...],
    rate: float,
    results: Path,
) -> None:
    """Fit the off-topic gate for a study's encoder, and print it as configuration.

    The thresholds that ship are MiniLM's: with another encoder the gate is off until
    these keys are in the configuration.

    Example: skillmill queries calibrate --study mine --on asked.jsonl > gate.yaml
    """
    from skillmill.interfaces import gating  # noqa: PLC0415
    from skillmill.interfaces.configured import workflow_folder  # noqa: PLC0415

    others = off or (workflow_folder() / "data" / "queries" / "off_topic.jsonl",)
    found = gating.calibrate(results / study / "library", on, others, rate)
    click.echo(gating.as_yaml(*found), nl=False)


_LIBRARY = click.option(
    "--library",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the skills that the file is about.",
)


@click.group()
def edges() -> None:
    """Look after the files of the typed graph."""


@edges.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@_LIBRARY
@JSON
def check_edges(file: Path, library: Path, as_json: bool) -> None:
    """Test a file of curated edges (.yaml or .csv) before it is built with.

    Exit code 3 when it holds something that stops a build, each with its line; 1 when
    it names a skill that the library has not; 0 when all of it is used.

    Example: skillmill edges check my-edges.yaml --library data/sample/library
    """
    from skillmill.interfaces import checks  # noqa: PLC0415

    found = checks.check_edges(file, library)
    _tell(found.report, f"{found.edges} edges, {found.vetoes} vetoes", as_json)


@edges.command("verdicts")
@click.argument("file", type=click.Path(path_type=Path))
@A_STUDY
@RESULTS
@JSON
def edge_verdicts(file: Path, study: str | None, results: Path, as_json: bool) -> None:
    """Read back a sample of edges with verdicts, and print the precision it shows.

    The sample to fill in is results/<study>/library/edge_sample.csv. Intervals are
    Wilson's, 95 %. Exit code 1 when an edge is in the graph no more.

    Example: skillmill edges verdicts judged.csv --study sample
    """
    from skillmill.interfaces import checks  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415

    graph = results / study_meant(results, study) / "library" / "edges.sqlite"
    found = checks.check_verdicts(file, graph)
    mark = {"row": "precision"} if as_json else {}
    print_rows([mark | row._asdict() for row in found.rows], as_json)
    _tell(found.report, f"{found.rows[0].n if found.rows else 0} verdicts", as_json)


@click.group()
def calls() -> None:
    """Look after logs of skill calls."""


@calls.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@_LIBRARY
@JSON
def check_calls(file: Path, library: Path, as_json: bool) -> None:
    """Test a log of skill calls, and tell what would be learned from it.

    Exit code 1 when a line cannot be used or names a skill that the library has not.

    Example: skillmill calls check calls.jsonl --library data/sample/library
    """
    from skillmill.interfaces import checks  # noqa: PLC0415

    found = checks.check_calls(file, library)
    learned = f"{found.precedes} precedes and {found.complements} complements learned"
    told = f"{found.steps} steps of {found.tasks} tasks, {learned}"
    _tell(found.report, told, as_json)


def _tell(report: "LoadReport", summary: str, as_json: bool) -> None:
    """Print problems, then a summary; exit code 1 if there was any but advice."""
    if as_json:
        report_rows(report)
    else:
        for problem in report.problems:
            click.echo(problem_line(problem))
    click.echo(
        f"{summary}; {report.found} lines found, {report.warned} with warnings,"
        f" {report.failed} failed",
        err=True,
    )
    sys.exit(1 if report.warned or report.failed else 0)


@click.command("graph")
@click.argument("table", default="comparison")
@A_STUDY
@RESULTS
@JSON
def show_graph(table: str, study: str | None, results: Path, as_json: bool) -> None:
    """Print what was measured on the typed graph.

    TABLE is structure, bound, census, miss, entry, comparison, cost, audit, ordering
    or inflation. Shares are fractions, intervals 95 %.

    Example: skillmill show graph comparison --study sample --json
    """
    from skillmill.interfaces.show import graph_rows  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415

    meant = study_meant(results, study)
    rows = graph_rows(results, meant, table)
    print_rows(rows, as_json)
    if not rows:
        click.echo(f"study {meant!r} has nothing in {table}", err=True)
