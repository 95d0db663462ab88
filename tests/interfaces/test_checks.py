"""Files that a person or a log gives to the typed graph, checked before a build."""

import json

import pytest
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.store import artifact, edges, graph
from skillmill.types import Edge


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def library(tmp_path):
    for name in ("pots", "ropes", "maps"):
        folder = tmp_path / "library" / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: All about {name}.\n---\nBody {name}.\n"
        folder.joinpath("SKILL.md").write_text(text)
    return tmp_path / "library"


def call(task, step, skill, outcome="ok"):
    row = {"version": 1, "task": task, "step": step, "skill": skill}
    return json.dumps(row | {"outcome": outcome})


def test_a_sound_log_of_calls_tells_what_would_be_learned(tmp_path, library):
    log = tmp_path / "calls.jsonl"
    lines = [call(t, s, name) for t in "ab" for s, name in enumerate(("pots", "maps"))]
    lines += [call("c", 0, "ropes"), call("c", 1, "maps", "failed")]
    log.write_text("\n".join(lines) + "\n")
    done = run("calls", "check", log, "--library", library)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith(
        "5 steps of 3 tasks, 1 precedes and 0 complements learned; 6 lines found"
    )


def test_each_bad_line_of_a_log_is_told_with_its_number(tmp_path, library):
    log = tmp_path / "calls.jsonl"
    lines = [call("a", 0, "pots"), call("a", 0, "maps"), call("a", 1, "gone"), "{"]
    log.write_text("\n".join(lines) + "\n")
    done = run("calls", "check", log, "--library", library)
    assert done.exit_code == 1
    assert [line.split(": ")[:2] for line in done.stdout.splitlines()] == [
        ["calls.jsonl:2", "failed"],
        ["calls.jsonl:3", "warning"],
        ["calls.jsonl:4", "failed"],
    ]
    assert "4 lines found, 1 with warnings, 2 failed" in done.stderr


def test_a_sound_file_of_edges_is_counted(tmp_path, library):
    file = tmp_path / "edges.yaml"
    file.write_text(
        "- {source: pots, relation: requires, target: maps}\n"
        "- {source: ropes, relation: none, target: maps}\n"
    )
    done = run("edges", "check", file, "--library", library)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("1 edges, 1 vetoes; 2 lines found")


def test_an_edge_to_a_skill_that_is_gone_is_a_warning(tmp_path, library):
    file = tmp_path / "edges.csv"
    file.write_text("source,relation,target\npots,requires,mops\n")
    done = run("edges", "check", file, "--library", library)
    assert done.exit_code == 1
    assert done.stdout.startswith("edges.csv:2: warning: no skill is 'mops'")


def test_all_that_is_wrong_with_a_file_of_edges_is_one_error(tmp_path, library):
    file = tmp_path / "edges.yaml"
    file.write_text(
        "- {source: pots, relation: needs, target: maps}\n"
        "- {source: ropes, relation: requires, target: ropes}\n"
    )
    done = run("edges", "check", file, "--library", library)
    assert done.exit_code == 3
    assert "2 problems to mend: line 1: " in done.stderr
    assert "; line 2: " in done.stderr


@pytest.fixture
def results(tmp_path):
    """A study with a graph of three edges and one measured comparison."""
    folder = tmp_path / "results" / "s" / "library"
    made = [
        Edge("maps", "pots", "requires", None, "curated"),
        Edge("maps", "ropes", "requires", None, "llm"),
        Edge("pots", "ropes", "complements", None, "llm"),
    ]
    provenance = artifact.Provenance("skill-graph", "s", "0", "c0de")
    with artifact.writing(folder / "edges.sqlite", provenance) as db:
        edges.save_edges(db, made)
    provenance = artifact.Provenance("topology", "s", "0", "c0de")
    compared = graph.Comparison(
        "boost:typed", "hybrid", "all", 5, 4, 1, 2, 0, 0.5, -0.1, 0.8, 0.5
    )
    with artifact.writing(folder / "topology.sqlite", provenance) as db:
        graph.save_rows(db, [compared])
    return tmp_path / "results"


def test_verdicts_are_read_back_as_precision_by_relation(tmp_path, results):
    judged = tmp_path / "judged.csv"
    judged.write_text(
        "source,relation,target,verdict\n"
        "maps,requires,pots,correct\nmaps,requires,ropes,wrong\n"
        "pots,complements,ropes,plausible\npots,verifies,maps,\n"
    )
    place = ("--study", "s", "--results", results, "--json")
    done = run("edges", "verdicts", judged, *place)
    *told, last = map(json.loads, done.stdout.splitlines())
    assert (last["row"], last["found"]) == ("report", 3)
    rows = {row["relation"]: row for row in told if row["row"] == "precision"}
    assert done.exit_code == 0
    assert (rows["all"]["n"], rows["all"]["strict_share"]) == (3, 0.333333)
    assert rows["all"]["loose_share"] == 0.666667
    # Wilson's 95 % interval of 1 of 2, from its formula
    ends = (rows["requires"]["strict_low"], rows["requires"]["strict_high"])
    assert ends == (0.094531, 0.905469)
    assert rows["complements"]["strict_share"] == 0


def test_what_was_measured_on_a_graph_is_printed(results):
    place = ("--study", "s", "--results", results)
    (row,) = run("show", "graph", "comparison", *place, "--json").stdout.splitlines()
    assert json.loads(row)["first"] == "boost:typed"
    assert json.loads(row)["difference"] == 0.5
    done = run("show", "graph", "census", *place)
    assert (done.exit_code, done.stdout.strip()) == (0, "")
    assert "has nothing in census" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("censor", "--study", "s"), "there are: structure, bound, census, miss"),
        (("census", "--study", "t"), "no study 't' is below"),
    ],
)
def test_what_is_not_there_is_said_with_the_way_out(results, arguments, message):
    done = run("show", "graph", *arguments, "--results", results)
    assert done.exit_code == 3
    assert message in done.stderr
