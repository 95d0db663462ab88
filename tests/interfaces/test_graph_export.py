"""The graph of a library in other tools' formats, and its neighbours on a terminal."""

import json
import re

import networkx as nx
import pytest
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.types import Edge
from tests.interfaces.shelf import EDGES, SHELF, SIMILAR, build_library, write_skills

pytestmark = pytest.mark.model

HOSTILE = {
    "odd/quote": ('"a \\"quoted\\" <b>name</b> & more"', '"back\\\\slash \\e[2J"', "x")
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("graph")
    skills = write_skills(root / "skills")
    write_skills(root / "skills", HOSTILE)
    again = Edge("data/clean", "data/maps", "feeds_into", 0.5, "learned")
    build_library(skills, root / "results", typed=[*EDGES, again])
    return root / "results"


def run(results, *arguments, code=0):
    done = CliRunner().invoke(main, [*arguments, "--results", str(results)])
    assert done.exit_code == code, done.output
    return done


def exported(results, form, layer="typed"):
    return run(results, "graph", "export", "--format", form, "--layer", layer).stdout


def test_graphml_is_read_by_networkx_with_every_edge(results, tmp_path):
    file = tmp_path / "graph.graphml"
    file.write_text(exported(results, "graphml", "all"), encoding="utf-8")
    graph = nx.read_graphml(file)
    assert set(graph.nodes) == {*SHELF, *HOSTILE}
    found = sorted(
        (source, target, data["relation"], data["provenance"])
        for source, target, data in graph.edges(data=True)
    )
    wanted = [(e.source, e.target, e.relation, e.provenance) for e in EDGES + SIMILAR]
    assert found == sorted(
        [*wanted, ("data/clean", "data/maps", "feeds_into", "learned")]
    )
    assert graph.nodes["odd/quote"]["name"] == 'a "quoted" <b>name</b> & more'
    assert graph.nodes["data/maps"]["kind"] == "skill"


@pytest.mark.parametrize(("layer", "relations"), [
    ("typed", {"requires", "feeds_into", "alternative_to"}),
    ("similar", {"similar_to"}),
    ("all", {"requires", "feeds_into", "alternative_to", "similar_to"}),
])  # fmt: skip
def test_json_holds_the_layer_that_was_asked_for(results, layer, relations):
    told = json.loads(exported(results, "json", layer))
    assert len(told["nodes"]) == len(SHELF) + 1
    assert {edge["relation"] for edge in told["edges"]} == relations
    for edge in told["edges"]:
        assert ("weight" in edge) == (edge["provenance"] in ("embedding", "learned"))


def test_dot_keeps_each_node_on_one_line_whatever_its_name(results):
    lines = exported(results, "dot", "all").splitlines()
    assert (lines[0], lines[-1]) == ("digraph skills {", "}")
    string = r'"(?:[^"\\]|\\.)*"'
    node = re.compile(rf"  {string} \[label={string}\];")
    edge = re.compile(rf"  {string} -> {string} \[label={string}[^\]]*\];")
    kinds = [bool(node.fullmatch(line)) + 2 * bool(edge.fullmatch(line))
             for line in lines[1:-1]]  # fmt: skip
    assert kinds == [1] * (len(SHELF) + 1) + [2] * (len(EDGES) + 2)
    assert "\x1b" not in "".join(lines)


def test_the_same_library_is_the_same_text(results):
    for form in ("graphml", "json", "dot"):
        assert exported(results, form) == exported(results, form)


def test_neighbours_are_rows_or_a_table(results):
    rows = [
        json.loads(line)
        for line in run(results, "neighbours", "clean", "--json").stdout.splitlines()
    ]
    assert [(row["skill"], row["role"], row["provenance"]) for row in rows] == [
        ("data/charts", "after", "curated"),
        ("data/maps", "after", "rule"),
        ("data/maps", "after", "learned"),
    ]
    table = run(results, "neighbours", "data/clean").stdout
    assert "<- requires" in table
    assert "-> feeds_into" in table


def test_an_unknown_skill_is_one_sentence(results):
    done = run(results, "neighbours", "kleen", code=3)
    assert done.stderr.startswith("error: no skill, or several, are called 'kleen'")


def test_a_graph_that_contradicts_itself_says_so(tmp_path):
    from skillmill.store.graph import DroppedEdge

    dropped = [DroppedEdge("data/clean", "data/charts", "requires", "llm",
                           "contradicted", "")]  # fmt: skip
    skills = write_skills(tmp_path / "skills")
    build_library(skills, tmp_path / "results", dropped=dropped)
    done = run(tmp_path / "results", "neighbours", "clean")
    assert "trust no direction" in done.stderr
