"""The typed graph on the page: counted by hand, left out where there is none."""

from pathlib import Path

from skillmill.report.graph_tables import MeasuredGraph, graph_tables
from skillmill.report.inputs import PageLimits, ReportInputs
from skillmill.report.page import render_page
from skillmill.report.sources import gather
from skillmill.store import artifact, edges, graph
from skillmill.types import Edge

EDGES = [
    Edge("a", "b", "requires", None, "llm"),
    Edge("a", "c", "requires", None, "curated"),
    Edge("b", "c", "complements", None, "llm"),
]
MEASURED = [
    graph.Census("contradictory", "", 2, 0.085),
    graph.Bound("origin", "similar", 3, 2, 0.666667, 0.2, 0.9),
    graph.Structure("typed", "", 1, 9, 3, 3.0, 7.0, 3.0, 2.0, 2.0, 2.0),
    graph.Structure("typed", "random", 20, 9, 3, 4.5, 6.1, 2.4, 1.1, 1.2, 1.3),
    graph.Structure("typed:mention", "", 1, 9, 1, 2.0, 8.0, 2.0, 1.0, 1.0, 1.0),
    graph.Comparison("h@1+L", "h@6", "all", 6, 89, 1, 2, 12, -0.1124, -0.2, 0, 0.01),
    graph.Comparison("h@1+L", "h@6", "direct", 6, 30, 1, 2, 2, 0, -0.1, 0.1, 1),
    graph.Ordering("q", 0, 0, None, None, None, "transitions"),
]


def tables(**given):
    return {table.title: table for table in graph_tables(MeasuredGraph(**given))}


def measured(rows):
    found = {}
    for row in rows:
        found.setdefault(type(row), []).append(row)
    return found


def test_edges_are_counted_by_relation_and_provenance():
    table = tables(edges=EDGES)["Typed edges by relation and provenance"]
    assert table.columns == ("relation", "curated", "llm", "all")
    assert table.rows == (("requires", "1", "1", "2"), ("complements", "0", "1", "1"))


def test_flags_and_causes_are_counted():
    table = tables(
        flags=[graph.EdgeFlag("a", "b", "requires", "confirmed", "both ends")],
        dropped=[
            graph.DroppedEdge("b", "a", "requires", "llm", "cycle", "") for _ in "ab"
        ],
    )["Flagged and dropped edges"]
    assert table.rows == (("dropped: cycle", "2"), ("in the graph, confirmed", "1"))


def test_shares_are_percent_and_what_is_unknown_says_so():
    found = tables(measured=measured(MEASURED))
    assert found["Direction census"].rows == (("contradictory", "2", "8.5"),)
    bound = ("origin similar", "3", "2", "66.7", "20.0 to 90.0")
    assert found["Topology bound"].rows == (bound,)
    unknown = ("q", "0", "n/a", "n/a", "transitions")
    assert found["What comes next"].rows == (unknown,)


def test_layers_stand_beside_their_controls_and_pooled_rows_come_first():
    found = tables(measured=measured(MEASURED))
    names = [row[0] for row in found["Structure by layer"].rows]
    assert names == ["typed", "typed, random"]
    compared = found["Search and graph on the same tasks"].rows
    assert compared[0] == (
        "h@1+L − h@6, all", "6", "89", "-11.2", "-20.0 to 0.0", "0.01"
    )  # fmt: skip
    assert compared[1][0].endswith(", direct")


def test_a_study_without_a_graph_has_no_section():
    assert graph_tables(MeasuredGraph()) == []
    assert 'id="typed-graph"' not in render_page(ReportInputs("s", "title"))


def test_the_stores_of_a_graph_are_read_and_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = Path("results/s/library")
    made = artifact.Provenance("skill-graph", "s", "0", "c0de")
    with artifact.writing(folder / "edges.sqlite", made) as db:
        edges.save_edges(db, EDGES)
    made = artifact.Provenance("topology", "s", "0", "c0de")
    with artifact.writing(folder / "topology.sqlite", made) as db:
        graph.save_rows(db, MEASURED)
    stores = [folder / "edges.sqlite", folder / "topology.sqlite"]
    inputs = gather("s", stores, PageLimits())
    assert inputs.built["typed edges"] == 3
    page = render_page(inputs)
    assert 'id="typed-graph"' in page
    assert "h@1+L − h@6, all" in page
    assert "-20.0 to 0.0" in page
