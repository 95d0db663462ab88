"""The scripts of the rules `slots`, `dependencies` and `trees`, called as functions."""

import json

import numpy as np
import pytest

from skillmill.errors import InputError, LimitError
from skillmill.interfaces.job import Counts
from skillmill.interfaces.tracing import read_library, read_trees
from skillmill.library.dependencies import DependencySettings
from skillmill.library.querytree import TreeSettings
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, catalogue, load
from skillmill.store.usage import load_usage
from skillmill.types import Task
from tests.interfaces.test_memory_scripts import script
from tests.library.linker import skill
from tests.models.endpoint import MemoryReplies, Script, says, settings
from tests.store.examples import provenance

TASKS = [
    Task("t1", "Sand the hull and paint it.", ()),
    Task("t2", "Sand the deck.", ()),
    Task("t3", "Write an invoice.", ()),
]


def tree(requirement):
    root = {"id": "0", "parent": None, "requirement": "all"}
    leaf = {"id": "1", "parent": "0", "requirement": requirement}
    verb = {"transformation": requirement.split()[0]}
    return json.dumps({"nodes": [root, leaf | verb]})


def by_task(body):
    """A good tree for one task, one that nobody asked for, and prose."""
    asked = json.dumps(body["messages"])
    if "hull" in asked:
        return says(tree("Sand the hull"))
    return says(tree("Deploy a server")) if "deck" in asked else says("no idea")


@pytest.fixture
def grow(tmp_path):
    """Run `trees` on three tasks; the outcomes and the path of its store."""
    place = tmp_path / "tasks.sqlite"
    with artifact.writing(place, provenance("tasks")) as db:
        catalogue.save_tasks(db, TASKS)

    def run(failed_share):
        counts = Counts()
        with ChatClient(
            {"decompose": settings()},
            MemoryReplies(),
            rng=np.random.default_rng(0),
            http_client=Script(by_task).client(),
        ) as client:
            script("trees").main(
                tasks_path=place,
                client=client,
                asks={"model": "tiny"},
                settings=TreeSettings(),
                failed_share=failed_share,
                output=tmp_path / "trees.sqlite",
                provenance=provenance("trees"),
                counts=counts,
            )
        return counts

    return run, tmp_path / "trees.sqlite"


def test_trees_that_failed_are_stored_as_failed_and_counted(grow):
    run, path = grow
    counts = run(failed_share=1.0)
    assert {tree.task: tree.state for tree in read_trees(path)} == {
        "t1": "ok",
        "t2": "failed",
        "t3": "failed",
    }
    assert (counts.total("ok"), counts.total("failed")) == (1, 2)
    with artifact.reading(path, "trees") as db:
        assert [row.role for row in load_usage(db)] == ["decompose"]
        assert sum(o[-1] for o in load.load_outcomes(db)) == 3


def test_too_many_failed_trees_stop_the_run_and_write_nothing(grow):
    run, path = grow
    # A third of the replies is no tree, which is allowed; two thirds have failed.
    with pytest.raises(LimitError, match="decompose: 2 of 3"):
        run(failed_share=0.5)
    assert not path.exists()


def test_tasks_that_are_not_the_benchmarks_split_are_refused(tmp_path):
    place, catalogue_path = tmp_path / "t.jsonl", tmp_path / "catalogue.sqlite"
    rows = [
        {"task_id": name, "instruction_text": "Add.", "gt": ["a"], "difficulty": level}
        for name, level in (("t1", "easy"), ("t2", "hard"))
    ]
    place.write_text("\n".join(map(json.dumps, rows)))
    with artifact.writing(catalogue_path, provenance("catalogue")) as db:
        catalogue.save_skills(db, [skill("a", "Sums.")])

    def run(**strata):
        script("tasks").main(
            tasks_path=place,
            catalogue_path=catalogue_path,
            standins_path=None,
            failed_share=0.2,
            output=tmp_path / "tasks.sqlite",
            provenance=provenance("tasks"),
            counts=Counts(),
            split={"strata": strata, "names": {"easy": "core"}, "key": "the.key"},
        )

    run(core=1, hard=1)
    with pytest.raises(
        InputError, match=r"t\.jsonl: expected 2 .*set the\.key to null"
    ):
        run(core=2)


def test_declared_slots_become_dependencies_of_a_library(tmp_path):
    skills = [
        skill("a", "Sums.", inputs=("Invoice CSV", "note")),
        skill("b", "Reads.", outputs=("invoice-csv",)),
    ]
    paths = {n: tmp_path / f"{n}.sqlite" for n in ("catalogue", "slots", "edges")}
    with artifact.writing(paths["catalogue"], provenance("catalogue")) as db:
        catalogue.save_skills(db, skills)
    with ChatClient({}, MemoryReplies(), rng=np.random.default_rng(0), mode="off") as c:
        script("slots").main(
            catalogue_path=paths["catalogue"],
            client=c,
            asks={},
            failed_share=0.2,
            output=paths["slots"],
            provenance=provenance("slots"),
            counts=Counts(),
        )
    counts = Counts()
    script("dependencies").main(
        slots_path=paths["slots"],
        settings=DependencySettings(),
        encoder=None,
        records=tmp_path / "records",
        output=paths["edges"],
        provenance=provenance("dependencies"),
        counts=counts,
    )
    library = read_library(*paths.values())
    assert [edge.producer for edge in library.graph.into("a")] == ["b"]
    assert library.wanted == {"a": ["invoice-csv", "note"], "b": []}
    assert library.costs["b"] == 2  # "Reads." has six characters
    assert counts.total("ok") == 1
