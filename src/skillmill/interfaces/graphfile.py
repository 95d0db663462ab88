"""The graph of a library in the formats of other tools: GraphML, JSON, DOT."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from skillmill.report.visible import visible_text
from skillmill.store import artifact, catalogue, edges
from skillmill.types import Edge, LibrarySkill

GraphFormat = Literal["graphml", "json", "dot"]
Layers = Literal["typed", "similar", "all"]

SIMILAR = "similar_to"


def graph_text(path: Path, form: GraphFormat, layers: Layers = "typed") -> str:
    """The graph of a library file.

    Parameters
    ----------
    path : Path
        A `library.sqlite`.
    form : str
        `graphml` (networkx, Gephi, yEd), `json` (lists `nodes` and `edges`) or `dot`.
    layers : str
        The typed edges, the `similar_to` layer or both. Every skill is a node.

    Returns
    -------
    str
        The same for the same library, with a final line end. Hidden characters of
        names are spelled out, which XML could not hold.

    Raises
    ------
    StoreError
        If there is no library file that can be read.
    """
    with artifact.reading(path, "library") as db:
        skills = catalogue.load_skills(db)
        found = [
            edge
            for edge in edges.load_edges(db)
            if layers == "all" or (edge.relation == SIMILAR) == (layers == "similar")
        ]
    writers = {"graphml": _graphml, "json": _json, "dot": _dot}
    return writers[form](skills, found)


def _node(skill: LibrarySkill) -> dict[str, str]:
    """What is told of a skill."""
    return {
        "name": visible_text(skill.name),
        "description": visible_text(skill.description),
        "kind": skill.kind,
        "department": visible_text(skill.department),
        "category": visible_text(skill.category),
    }


def _edge(edge: Edge) -> dict[str, str | float]:
    """What is told of an edge beside its ends; a weight that is unknown is left out."""
    told: dict[str, str | float] = {
        "relation": edge.relation,
        "provenance": edge.provenance,
    }
    return told if edge.weight is None else told | {"weight": edge.weight}


def _graphml(skills: Sequence[LibrarySkill], found: Sequence[Edge]) -> str:
    import networkx as nx  # noqa: PLC0415 a third of a second, for this form alone

    graph = nx.MultiDiGraph()
    for skill in skills:
        graph.add_node(visible_text(skill.id), **_node(skill))
    for edge in found:
        ends = visible_text(edge.source), visible_text(edge.target)
        graph.add_edge(*ends, key=f"{edge.relation} {edge.provenance}", **_edge(edge))
    written = io.BytesIO()
    nx.write_graphml(graph, written)
    return written.getvalue().decode() + "\n"


def _json(skills: Sequence[LibrarySkill], found: Sequence[Edge]) -> str:
    nodes = [{"id": skill.id, **_node(skill)} for skill in skills]
    links = [{"source": e.source, "target": e.target, **_edge(e)} for e in found]
    told = {"directed": True, "nodes": nodes, "edges": links}
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def _dot(skills: Sequence[LibrarySkill], found: Sequence[Edge]) -> str:
    lines = ["digraph skills {"]
    for skill in skills:
        lines.append(f"  {_quoted(skill.id)} [label={_quoted(skill.name)}];")
    for edge in found:
        style = ", dir=none, style=dashed" if edge.relation == SIMILAR else ""
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        lines.append(f"  {ends} [label={_quoted(edge.relation)}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    """A string of DOT: quotes and backslashes escaped, on one line."""
    plain = visible_text(" ".join(text.split()))
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
