"""The typed graph through Snakemake, with a scripted endpoint on a real socket."""

import csv
import json
import shutil

import pytest
import yaml
from pytest_httpserver import HTTPServer

from skillmill.store import artifact, graph
from skillmill.store.artifact import logical_dump
from skillmill.store.edges import load_edges
from skillmill.store.load import load_outcomes
from tests.library.linker import Linker
from tests.workflow.conftest import sample_copy

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

EDGES = "results/sample/library/edges.sqlite"
KEY = "linker-secret-4711-do-not-store"


@pytest.fixture
def linker():
    return Linker()


@pytest.fixture
def flow(tmp_path, records, linker, monkeypatch):
    """The sample's library, its edges emitted by the scripted endpoint."""
    monkeypatch.setenv("LINKER_KEY", KEY)
    made = sample_copy(tmp_path / "run", tmp_path / "records")
    if (records / "vectors").exists():
        shutil.copytree(records / "vectors", made.records / "vectors")
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(linker.serve)
        model = {
            "model": "tiny",
            "base_url": server.url_for("/v1"),
            "key_variable": "LINKER_KEY",
            "max_tries": 1,
        }
        made.config = {
            "library": {"edges": {}},
            "memory": {"path": None},
            "models": {"mode": "live", "roles": {"emit_edges": model}},
        }
        yield made


def calls(flow, linker, run):
    """How often the endpoint was asked by a run, which the run log must agree with."""
    linker.asked.clear()
    flow.run(EDGES, run=run)
    jobs = [job for job in flow.jobs(run) if job.rule == "edges"]
    assert sum(job.computed for job in jobs) == len(linker.asked)
    return len(linker.asked)


def skill_file(flow, name):
    return flow.root / "data" / "sample" / "library" / name / "SKILL.md"


def describe(flow, name, text):
    path = skill_file(flow, name)
    old = path.read_text(encoding="utf-8")
    path.write_text(old.replace("description: ", f"description: {text} ", 1))


def add(flow, name, text):
    path = skill_file(flow, name)
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {path.parent.name}\ndescription: {text}\n---\nBody.\n")


def edges_of(flow):
    with artifact.reading(flow.root / EDGES, "skill-graph") as db:
        return load_edges(db), load_outcomes(db), graph.load_rows(db, graph.EdgeFlag)


def test_exact_calls_for_what_changed_and_equals_a_clean_build(flow, linker, tmp_path):
    assert calls(flow, linker, "first") == 24
    found, outcomes, _ = edges_of(flow)
    assert {"llm", "derived", "rule"} <= {edge.provenance for edge in found}
    assert sum(o.n for o in outcomes if o.stage == "emit_edges") == 24
    first = set(linker.prompts)
    assert calls(flow, linker, "again") == 0
    assert flow.jobs("again") == []
    describe(flow, "finance/chaser", "Sort the post of the mill.")
    add(flow, "finance/mill-post", "Sort and stamp the post of the mill.")
    shutil.rmtree(skill_file(flow, "geodata/slope-lines").parent)
    linker.prompts.clear()
    changed = calls(flow, linker, "edited")
    assert 2 <= changed < 24
    assert changed == len(linker.prompts) == len(set(linker.prompts) - first)
    linker.asked.clear()
    flow.run("--forcerun", "edges", "--", EDGES, run="forced")
    assert linker.asked == []
    clean = flow.clone(tmp_path / "clean")
    clean.records = tmp_path / "clean-records"
    shutil.copytree(flow.records / "vectors", clean.records / "vectors")
    assert calls(clean, linker, "clean") == 24
    assert logical_dump(clean.root / EDGES) == logical_dump(flow.root / EDGES)
    for path in [*flow.root.rglob("*"), *flow.records.rglob("*")]:
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_the_far_end_of_directed_edges_is_asked_where_it_was_not_shown_the_pair(
    flow, linker
):
    flow.config["library"]["edges"]["check_direction"] = True
    asked = calls(flow, linker, "checked")
    _, outcomes, flags = edges_of(flow)
    counted = {stage: 0 for stage in ("emit_edges", "check_direction")}
    for outcome in outcomes:
        if outcome.stage in counted:
            counted[outcome.stage] += outcome.n
    assert counted["emit_edges"] == 24
    assert counted["check_direction"] == asked - 24 > 0
    assert all(len(shown) == 2 for shown in linker.asked[24:])
    assert {"confirmed", "unconfirmed"} & {flag.flag for flag in flags}
    assert calls(flow, linker, "again") == 0


def test_source_calls_once_for_an_edit_and_an_addition_never_for_a_deletion_or_move(
    flow, linker
):
    flow.config["library"]["ids"] = "name"
    linker.rule = lambda asked, shown: [
        {"source": asked["id"], "relation": "alternative_to", "target": other["id"]}
        for other in shown
    ]
    flow.config["library"]["edges"]["invalidation"] = "source"
    assert calls(flow, linker, "first") == 24
    describe(flow, "finance/daybook", "Keep the books of the mill.")
    assert calls(flow, linker, "edit") == 1
    flags = edges_of(flow)[2]
    assert "daybook has changed" in {f.detail for f in flags}
    add(flow, "finance/dunning", "Sort open invoices by how long they are overdue.")
    assert calls(flow, linker, "add") == 1
    shutil.rmtree(skill_file(flow, "publishing/reflow").parent)
    assert calls(flow, linker, "delete") == 0
    assert "'reflow'" not in logical_dump(flow.root / EDGES)
    found = edges_of(flow)[0]
    folder = skill_file(flow, "finance/dunning").parent
    folder.rename(skill_file(flow, "publishing/dunning").parent)
    assert calls(flow, linker, "move") == 0
    assert edges_of(flow)[0] == found


def test_an_endpoint_out_of_order_ends_the_run_with_its_cause_u32(flow, linker):
    linker.status = 500
    done = flow.run(EDGES, run="down", code=1)
    assert "emit_edges" in done.stdout + done.stderr
    assert "'tiny'" in done.stdout + done.stderr
    assert not (flow.root / EDGES).exists()


def test_curated_edges_a_log_and_verdicts_go_through_the_workflow(flow, linker):
    """Everything a user may give, on the sample, the model off."""
    data = flow.root / "data"
    (data / "edges.yaml").write_text(
        "- {source: chaser, relation: requires, target: pair-up}\n"
        "- {source: finance/chaser, relation: none, target: finance/daybook}\n"
        "- {source: finance/gone, relation: requires, target: pair-up}\n"
    )
    used = {
        "supplier-bills": ["paper-desk", "line-reader", "pair-up"],
        "unpaid-abroad": ["common-coin", "pair-up", "chaser"],
        "account-download": ["paper-desk", "line-reader", "daybook"],
    }
    rows = [
        {"version": 1, "task": task, "step": step, "skill": skill, "outcome": "ok"}
        for task, skills in used.items()
        for step, skill in enumerate(skills)
    ]
    (data / "calls.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    flow.config["models"]["mode"] = "off"
    flow.config["library"]["edges"] |= {
        "curated": "data/edges.yaml",
        "calls": "data/calls.jsonl",
        "sequences": "data/calls.jsonl",
    }
    flow.run("library", run="given")
    found = {(e.source, e.relation, e.target): e.provenance for e in edges_of(flow)[0]}
    assert found["finance/chaser", "requires", "finance/pair-up"] == "curated"
    learned = ("finance/paper-desk", "precedes", "finance/line-reader")
    assert found[learned] == "learned"
    sample = flow.root / "results/sample/library/edge_sample.csv"
    with sample.open(newline="") as file:
        judged = list(csv.DictReader(file))
    assert {row["verdict"] for row in judged} == {""}
    for row in judged:
        row["verdict"] = "correct" if row["relation"] == "requires" else "plausible"
    with (data / "judged.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=[*judged[0]])
        writer.writeheader()
        writer.writerows(judged)
    flow.config["library"]["edges"]["audit"] = "data/judged.csv"
    flow.run("library", run="judged")
    assert {job.rule for job in flow.jobs("judged")} == {"topology"}
    # Filled in where it was drawn, and drawn anew: what a person did is not lost.
    shutil.copyfile(data / "judged.csv", sample)
    flow.config["library"]["edges"]["audit_sample"] = 1
    flow.run(sample.relative_to(flow.root), run="again")
    beside = sample.with_name("edge_sample.judged.csv")
    assert beside.read_bytes() == (data / "judged.csv").read_bytes()
    assert len(sample.read_text().splitlines()) < len(judged) + 1
    path = flow.root / "results/sample/library/topology.sqlite"
    with artifact.reading(path, "topology") as db:
        audit = {row.relation: row for row in graph.load_rows(db, graph.Audit)}
        steps = {row.name: row for row in graph.load_rows(db, graph.Ordering)}
        missing = [
            kind.__name__
            for kind in graph.TABLES
            if graph.TABLES[kind] not in EMPTY_HERE and not graph.load_rows(db, kind)
        ]
    assert missing == []
    assert audit["requires"].strict_share == 1.0
    assert audit["all"].n == len(judged)
    assert (steps["p"].n, steps["q"].n) == (9, 6)
    assert linker.asked == []


#: Tables of the graph, and that of echoing queries, which the sample has none of.
EMPTY_HERE = {
    "candidate", "edge_origin", "edge_flag", "dropped_edge", "rejected_entry",
    "inflation",
}  # fmt: skip


def test_a_wrong_file_is_refused_in_one_sentence(flow):
    bad = flow.root / "data" / "edges.yaml"
    bad.write_text("- {source: chaser, relation: require, target: pair-up}\n- 5\n")
    flow.config["library"]["edges"] |= {"curated": "data/edges.yaml"}
    flow.config["models"]["mode"] = "off"
    done = flow.run(EDGES, run="bad", code=3)
    said = done.stdout + done.stderr
    assert "edges.yaml: 2 problems to mend: line 1" in said
    assert "line 2: expected" in said
    overlay = yaml.safe_load((flow.root / "overlay.yaml").read_text())
    assert overlay["library"]["edges"]["curated"] == "data/edges.yaml"
