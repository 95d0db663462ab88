"""The skill graph as data that the page's script draws."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillmill.report.sunflower import sunflower
from skillmill.report.visible import visible_text
from skillmill.types import Edge

#: The most skills of an arm that a task's overlay marks.
FOUND = 5
#: Departments with fewer skills are laid out together.
SMALL_GROUP = 3


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A skill as the graph shows it; `group` is its department."""

    id: str
    name: str
    group: str


@dataclass(frozen=True, slots=True)
class GraphTask:
    """A task: the skills that it needs, and what arms found, best first."""

    id: str
    text: str
    relevant: tuple[str, ...]
    found: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """Everything the drawing needs; edges may name skills that `nodes` lacks."""

    nodes: Sequence[GraphNode] = ()
    edges: Sequence[Edge] = ()
    tasks: Sequence[GraphTask] = ()


def graph_data(graph: SkillGraph, edge_limit: int) -> dict[str, object] | None:
    """Return what the script draws, None where there is no skill.

    `nodes` are [id, name, group place, x, y, degree], sorted by id; `groups` are
    [name, x, y, radius, n]; `edges` are [layer place, provenance place, source
    place, target place], the typed ones first and then the nearest neighbours with
    the largest weight, at most `edge_limit`; `left_out` counts the rest of each
    layer; `tasks` are [id, text, relevant places, [places found by each arm]].
    A neighbour pair that is named from both sides is one edge.
    """
    if not graph.nodes:
        return None
    nodes = sorted(graph.nodes, key=lambda node: node.id)
    place_of = {node.id: place for place, node in enumerate(nodes)}
    edges = _ordered(graph.edges, place_of)
    degrees = Counter(
        end for edge in edges for end in (edge.source, edge.target)
    )  # of all edges, shown or not
    groups = _groups(nodes, degrees)
    centres, spots = sunflower([len(members) for _, members in groups])
    rows: list[list[object]] = [[]] * len(nodes)
    for number, ((_, members), group_spots) in enumerate(
        zip(groups, spots, strict=True)
    ):
        for place, (x, y) in zip(members, group_spots, strict=True):
            node = nodes[place]
            text = [visible_text(node.id), visible_text(node.name)]
            rows[place] = [*text, number, x, y, degrees[node.id]]
    shown, rest = edges[:edge_limit], edges[edge_limit:]
    layers = sorted({edge.relation for edge in edges})
    sources = sorted({edge.provenance for edge in edges})
    arms = sorted({arm for task in graph.tasks for arm in task.found})
    return {
        "nodes": rows,
        "groups": [
            [visible_text(name), *centre, len(members)]
            for (name, members), centre in zip(groups, centres, strict=True)
        ],
        "layers": layers,
        "provenances": sources,
        "edges": [
            [
                layers.index(edge.relation),
                sources.index(edge.provenance),
                place_of[edge.source],
                place_of[edge.target],
            ]
            for edge in shown
        ],
        "left_out": sorted(Counter(edge.relation for edge in rest).items()),
        "arms": [visible_text(arm) for arm in arms],
        "tasks": [_task(task, arms, place_of) for task in graph.tasks],
    }


def _ordered(edges: Sequence[Edge], place_of: Mapping[str, int]) -> list[Edge]:
    """Edges between known skills, each neighbour pair once, in drawing order."""
    kept: dict[tuple[str, ...], Edge] = {}
    for edge in edges:
        if edge.source not in place_of or edge.target not in place_of:
            continue
        ends = (edge.source, edge.target)
        if edge.provenance == "embedding":
            ends = (min(ends), max(ends))
        kept.setdefault((*ends, edge.relation, edge.provenance), edge)

    def order(edge: Edge) -> tuple[bool, float, str, str, str, str]:
        near = edge.provenance == "embedding"
        weight = -(edge.weight or 0.0) if near else 0.0
        ends = (edge.source, edge.target)
        return (near, weight, edge.relation, *ends, edge.provenance)

    return sorted(kept.values(), key=order)


def _groups(
    nodes: Sequence[GraphNode], degrees: Mapping[str, int]
) -> list[tuple[str, list[int]]]:
    """Places of the skills of each department, well-connected ones first."""
    sizes = Counter(node.group for node in nodes)
    members: dict[str, list[int]] = {}
    for place, node in enumerate(nodes):
        large = node.group and sizes[node.group] >= SMALL_GROUP
        members.setdefault(node.group if large else "", []).append(place)
    for places in members.values():
        places.sort(key=lambda place: (-degrees[nodes[place].id], place))
    return sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))


def _task(
    task: GraphTask, arms: Sequence[str], place_of: Mapping[str, int]
) -> list[object]:
    found = [
        [place_of[s] for s in task.found.get(arm, ())[:FOUND] if s in place_of]
        for arm in arms
    ]
    relevant = [place_of[skill] for skill in task.relevant if skill in place_of]
    return [visible_text(task.id), visible_text(task.text), relevant, found]
