"""Commands that use a built library: search it, look around in it."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.interfaces.options import JSON, RESULTS

if TYPE_CHECKING:
    from skillmill.interfaces.graphfile import GraphFormat, Layers
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


@click.command()
@click.argument("skill")
@STUDY
@RESULTS
@JSON
def neighbours(skill: str, study: str | None, results: Path, as_json: bool) -> None:
    """List what stands around a skill in the graph, typed relations first.

    SKILL is an id or a name that one skill alone has.

    Example: skillmill neighbours pair-up --study sample
    """
    from dataclasses import asdict  # noqa: PLC0415

    from skillmill.interfaces.searching import library_store  # noqa: PLC0415
    from skillmill.interfaces.served import ServedLibrary  # noqa: PLC0415

    library = ServedLibrary(library_store(results, study))
    found = library.neighbours(library.find(skill))
    if not library.build().tells_directions:
        click.echo(
            "the graph contradicts itself too often: trust no direction", err=True
        )
    if as_json:
        for one in found:
            click.echo(json.dumps(asdict(one), ensure_ascii=False))
        return
    from skillmill.interfaces.tables import row_table  # noqa: PLC0415
    from skillmill.report.visible import visible_text  # noqa: PLC0415

    row_table(
        [
            {
                "skill": visible_text(one.skill),
                "is": one.role or "similar",
                "relation": f"{'->' if one.forward else '<-'} {one.relation}",
                "weight": "" if one.weight is None else f"{one.weight:.3f}",
                "provenance": one.provenance,
            }
            for one in found
        ]
    )


@click.group()
def graph() -> None:
    """Hand the graph of a library to other tools."""


@graph.command("export")
@STUDY
@click.option(
    "--format",
    "form",
    type=click.Choice(["graphml", "json", "dot"]),
    default="graphml",
    show_default=True,
    help="For networkx, Gephi and yEd; for scripts; for Graphviz.",
)
@click.option(
    "--layer",
    type=click.Choice(["typed", "similar", "all"]),
    default="typed",
    show_default=True,
    help="Typed edges, neighbours by embedding, or both.",
)
@RESULTS
def graph_export(
    study: str | None, form: "GraphFormat", layer: "Layers", results: Path
) -> None:
    """Write the skills and their edges, to standard output.

    Example: skillmill graph export --study sample --format dot > skills.dot
    """
    from skillmill.interfaces.graphfile import graph_text  # noqa: PLC0415
    from skillmill.interfaces.searching import library_store  # noqa: PLC0415

    click.echo(graph_text(library_store(results, study), form, layer), nl=False)


@click.command()
@STUDY
@click.option(
    "--library",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the skills' files, where it is not where it was built from.",
)
@click.option("--memories", help="Study whose memories are served, too.")
@click.option(
    "--transport", type=click.Choice(["stdio", "http"]), default="stdio",
    show_default=True,
)  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback only.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option(
    "--token-variable",
    default="SKILLMILL_TOKEN",
    show_default=True,
    help="Environment variable with the token of HTTP clients.",
)
@click.option(
    "--log-calls",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Note which skills are read, in this file; off unless given.",
)
@RESULTS
def mcp(
    study: str | None,
    library: Path | None,
    memories: str | None,
    transport: str,
    host: str,
    port: int,
    token_variable: str,
    log_calls: Path | None,
    results: Path,
) -> None:
    """Serve a library to agents over the Model Context Protocol, read-only.

    Over HTTP clients send `Authorization: Bearer <token>`; without one in the
    environment a token is made and told on standard error.

    Example: skillmill mcp --study sample
    """
    from skillmill.interfaces import serving  # noqa: PLC0415

    serving.serve(
        serving.tools_of(results, study, library, memories, log_calls),
        transport,
        host,
        port,
        token_variable,
    )


@click.command()
@click.option(
    "--prompt", help="What the user typed; read from standard input if left out."
)
@STUDY
@click.option(
    "--arm",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
)
@LIMIT
@click.option(
    "--tokens",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    help="The most that the list may have, four characters each.",
)
@RESULTS
def hook(
    prompt: str | None,
    study: str | None,
    arm: "Arm",
    limit: int,
    tokens: int,
    results: Path,
) -> None:
    """Tell which skills may fit a prompt; for prompt hooks of coding agents.

    Prints a short list, or nothing where nothing fits. Standard input is the prompt, or
    a JSON object with the key `prompt`. Exit code 1, whatever went wrong: some agents
    take 2 for a veto.

    Example: skillmill hook --study sample --prompt "match payments with invoices"
    """
    from skillmill.errors import SkillmillError  # noqa: PLC0415
    from skillmill.interfaces.hooking import advice  # noqa: PLC0415
    from skillmill.interfaces.searching import LONGEST, library_store  # noqa: PLC0415

    if prompt is None:
        # A JSON object may have the prompt behind other keys.
        prompt = sys.stdin.buffer.read(10 * LONGEST).decode("utf-8", "replace")
    try:
        path = library_store(results, study)
        told = advice(path, prompt, arm=arm, limit=limit, tokens=tokens)
    except SkillmillError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    click.echo(told, nl=False)


@click.command("catalogue")
@STUDY
@RESULTS
@JSON
def show_catalogue(study: str | None, results: Path, as_json: bool) -> None:
    """List the skills of a built library.

    Example: skillmill show catalogue --study sample
    """
    from skillmill.interfaces.listed import skill_rows  # noqa: PLC0415
    from skillmill.interfaces.searching import library_store  # noqa: PLC0415

    _print_rows(skill_rows(library_store(results, study)), as_json)


@click.command("edges")
@STUDY
@click.option("--relation", help="Only this one, such as requires or similar_to.")
@RESULTS
@JSON
def show_edges(
    study: str | None, relation: str | None, results: Path, as_json: bool
) -> None:
    """List the edges of a built library, typed ones and similar_to.

    Example: skillmill show edges --study sample --relation feeds_into --json
    """
    from skillmill.interfaces.listed import edge_rows  # noqa: PLC0415
    from skillmill.interfaces.searching import library_store  # noqa: PLC0415

    _print_rows(edge_rows(library_store(results, study), relation), as_json)


def _print_rows(rows: "list[dict[str, object]]", as_json: bool) -> None:
    """One JSON row a line, or a table whose texts are safe to show."""
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    from skillmill.interfaces.tables import row_table  # noqa: PLC0415
    from skillmill.report.visible import visible_text  # noqa: PLC0415

    row_table(
        [
            {
                name: visible_text(value) if isinstance(value, str) else value
                for name, value in row.items()
                if name != "description"
            }
            for row in rows
        ]
    )


#: Commands of `show`.
SHOWN = (show_catalogue, show_edges)
#: In the order of the help.
COMMANDS = (search, neighbours, graph, mcp, hook)
