"""Bundles of the sample, as a user gets them."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from skillmill.errors import InputError
from skillmill.interfaces.agent_tools import AgentTools
from skillmill.interfaces.cli import main
from skillmill.interfaces.served import ServedLibrary
from skillmill.interfaces.tracing import read_library, read_trees
from skillmill.library.trace import trace
from skillmill.library.tracerows import bundle_of
from skillmill.library.tracing import TraceSettings
from skillmill.store import artifact, catalogue, rankings, scores, traces
from tests.library.planted import query


@pytest.fixture(scope="module")
def folder(built):
    return built.root / "results" / "sample" / "library"


@pytest.fixture(scope="module")
def skills(folder):
    with artifact.reading(folder / "catalogue.sqlite", "catalogue") as db:
        return {skill.id: skill for skill in catalogue.load_skills(db)}


@pytest.fixture(scope="module")
def tasks(folder):
    with artifact.reading(folder / "tasks.sqlite", "tasks") as db:
        return catalogue.load_tasks(db)


@pytest.fixture(scope="module")
def bundles(folder):
    with artifact.reading(folder / "traces.sqlite", "traces") as db:
        members = traces.load_trace_rows(db, traces.BundleMember)
        notes = traces.load_trace_rows(db, traces.BundleNote)
        rows = traces.load_trace_rows(db, traces.BundleRow)
    return {row.task: bundle_of(row, members, notes) for row in rows}


def unserved(members, skills):
    """Inputs that some skill makes and no earlier member does, by the declared names.

    A skill that gives back what it takes is no maker of it.
    """
    makers = {}
    for skill in skills.values():
        for output in skill.outputs:
            makers.setdefault(output, set()).add(skill.id)
    made, lacking = set(), []
    for member in members:
        own = skills[member]
        lacking += [
            (member, name)
            for name in own.inputs
            if makers.get(name, set()) - {member} and name not in made
        ]
        made.update(own.outputs)
    return lacking


def test_every_prerequisite_is_in_the_bundle_before_what_needs_it(bundles, skills):
    assert len(bundles) == 12
    for bundle in bundles.values():
        assert bundle.state == "ok"
        assert unserved([m.skill for m in bundle.members], skills) == []
        assert (bundle.broken, bundle.left_out) == ((), ())


def test_so_it_is_from_the_skills_that_each_task_needs(folder, skills, tasks):
    library = read_library(
        *(folder / f"{n}.sqlite" for n in ("catalogue", "slots", "dependencies"))
    )
    for task in tasks:
        needed = dict.fromkeys(task.relevant, 1.0)
        found = trace(library, query(library, needed), TraceSettings())
        members = [member.skill for member in found.members]
        assert set(task.relevant) <= set(members)
        assert unserved(members, skills) == []


def test_bundles_hold_what_the_ranker_found_and_cost_what_their_texts_do(
    bundles, folder, skills
):
    with artifact.reading(folder / "rankings.sqlite", "rankings") as db:
        ranked = {one.query: one for one in rankings.load_rankings(db, "hybrid")}
    for task, bundle in bundles.items():
        primary = [m.skill for m in bundle.ranked() if m.role == "primary"]
        assert primary == list(ranked[task].items[:6])
        text = sum(
            -(-len(skills[m.skill].description + skills[m.skill].body) // 4)
            for m in bundle.members
        )
        assert bundle.tokens == text


def test_arms_are_scored_at_their_budget_with_paired_differences(built):
    path = built.root / "results" / "sample" / "traces" / "scores.sqlite"
    with artifact.reading(path, "scores") as db:
        table = scores.load_scores(db)
    pooled = [one for one in table if one.category == "all"]
    at = {(one.arm, one.metric, one.k): one for one in pooled}
    assert at["skilltrace@6", "recall", 6].n == 12
    assert ("skilltrace@6", "recall", 5) not in at
    both = at["bundle@6", "recall", 6].value, at["hybrid@6", "recall", 6].value
    assert both[0] == both[1]
    # Prerequisites come behind the ranked places: read whole, a bundle holds more.
    assert at["bundle@6", "recall", 50].value >= both[0]
    assert at["load-all", "recall", 50].value == 1
    difference = at["skilltrace@6 - hybrid@6", "recall_difference", 6]
    assert difference.value == pytest.approx(
        at["skilltrace@6", "recall", 6].value - both[1], abs=2e-6
    )


def test_each_tree_has_a_leaf_for_each_step_in_the_words_of_its_task(folder, tasks):
    texts = {task.id: " ".join(task.text.split()) for task in tasks}
    trees = read_trees(folder / "trees.sqlite")
    assert {tree.task for tree in trees} == texts.keys()
    for tree in trees:
        assert tree.origin == "heuristic"
        assert tree.nodes[0].requirement == texts[tree.task]
    assert max(len(tree.leaves()) for tree in trees) >= 3


def invoke(built, *arguments):
    results = str(built.root / "results")
    return CliRunner().invoke(main, [*arguments, "--results", results])


def test_a_task_is_shown_as_a_tree_by_its_id_and_in_words(built):
    shown = invoke(built, "tree", "yearbook")
    assert shown.exit_code == 0
    assert (
        "\n  prepare the charts for print with the right resolution\n" in shown.output
    )
    words = invoke(built, "tree", "Convert the scans and sort them", "--json")
    rows = json.loads(words.stdout)["nodes"]
    assert [row["requirement"] for row in rows[1:]] == [
        "Convert the scans",
        "sort them",
    ]
    steering = invoke(built, "tree", "Sort the \x1b[2Jscans\u202e by date")
    assert not {"\x1b", "\u202e"} & set(steering.output)
    blank = invoke(built, "tree", " ")
    assert blank.exit_code == 1
    assert "holds no word" in blank.output


def test_a_bundle_is_shown_as_text_and_as_json(built, bundles):
    text = invoke(built, "trace", "yearbook")
    assert text.exit_code == 0
    lines = text.output.splitlines()
    assert lines[0] == "# Skills for yearbook"
    assert f"Source: {bundles['yearbook'].members[0].skill}/SKILL.md" in text.output
    shown = json.loads(invoke(built, "trace", "yearbook", "--json").stdout)
    assert [m["skill"] for m in shown["members"]] == [
        m.skill for m in bundles["yearbook"].members
    ]
    assert shown["tokens"] == bundles["yearbook"].tokens


def test_a_task_in_words_gets_a_bundle_too(built, skills):
    wanted = "Turn paper receipts into a monthly report with charts."
    found = invoke(built, "trace", wanted, "--json")
    assert found.exit_code == 0, found.output
    members = [m["skill"] for m in json.loads(found.stdout)["members"]]
    assert "finance/board-pack" in members
    assert unserved(members, skills) == []


def test_a_study_without_dependencies_says_how_to_get_them(tmp_path):
    (tmp_path / "sample" / "library").mkdir(parents=True)
    (tmp_path / "sample" / "library" / "catalogue.sqlite").touch()
    asked = ["trace", "x", "--study", "sample", "--results", str(tmp_path)]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 3
    assert "study 'sample' has no dependency graph" in done.output


def test_a_study_without_tasks_bundles_as_one_with_them(built, tmp_path):
    wanted = "Turn paper receipts into a monthly report with charts."
    expected = json.loads(invoke(built, "trace", wanted, "--json").stdout)
    library = tmp_path / "results" / "sample" / "library"
    library.mkdir(parents=True)
    for name in ("catalogue", "vectors", "slots", "dependencies"):
        file = f"{name}.sqlite"
        shutil.copy(built.root / "results/sample/library" / file, library / file)
    bare = ("--results", str(tmp_path / "results"), "--json")
    found = CliRunner().invoke(main, ["trace", wanted, *bare])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout) == expected
    assert expected["members"]


def test_an_agent_gets_the_same_bundle_from_its_tools(built):
    tools = AgentTools(
        ServedLibrary(built.root / "results/sample/library/library.sqlite")
    )
    assert [tool.__name__ for tool in tools.tools][1] == "trace_task"
    told = tools.trace_task("yearbook")
    shown = invoke(built, "trace", "yearbook", "--json")
    expected = json.loads(shown.stdout)
    members = [m["skill"] for m in told["bundle"]["members"]]
    assert members == [m["skill"] for m in expected["members"]]
    assert all(m["why"] and m["description"] for m in told["bundle"]["members"])
    assert told["index"]["version"] == tools.status()["version"]
    words = "Read the supplier invoices and match them with payments"
    fresh = tools.trace_task(words)
    with ThreadPoolExecutor(8) as pool:
        crowd = list(pool.map(tools.trace_task, [words, "yearbook"] * 10))
    assert [one["bundle"] for one in crowd] == [fresh["bundle"], told["bundle"]] * 10
    assert "finance/pair-up" in [m["skill"] for m in fresh["bundle"]["members"]]
    json.dumps(fresh)
    with pytest.raises(InputError, match="got a blank one"):
        tools.trace_task(" ")
