"""Commands that look around in a built library: its skills, its edges."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillmill.interfaces.options import JSON, ONE_STUDY, RESULTS

if TYPE_CHECKING:
    from skillmill.interfaces.graphfile import GraphFormat, Layers


@click.command()
@click.argument("skill")
@ONE_STUDY
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
    from skillmill.interfaces.tables import print_json, row_table  # noqa: PLC0415

    library = ServedLibrary(library_store(results, study))
    found = library.neighbours(library.find(skill))
    if not library.build().tells_directions:
        click.echo(
            "the graph contradicts itself too often: trust no direction", err=True
        )
    if as_json:
        print_json([asdict(one) for one in found])
        return
    row_table(
        [
            {
                "skill": one.skill,
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
@ONE_STUDY
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


@click.command("catalogue")
@ONE_STUDY
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
@ONE_STUDY
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
    """One JSON row a line, or a table, which has no room for descriptions."""
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415

    if not as_json:
        rows = [{k: v for k, v in row.items() if k != "description"} for row in rows]
    print_rows(rows, as_json)


#: Commands of `show`.
SHOWN = (show_catalogue, show_edges)
#: In the order of the help.
COMMANDS = (neighbours, graph)
