"""Hand-written trees in place of a model's: what they do to the arms of SkillTrace.

    python -m benchmarks.trace_trees results/skillsbench [results/skillsbench+1000 ...]

The studies must be built (configs/skillsbench.yaml). A scripted endpoint replies to the
role `decompose` with the trees of trace_trees.json, which are written by hand, in our
words, for ten tasks, and by someone who had seen which skills each needs: what a good
model might reply, no result of one. All other parts are the real ones. Prints mean
recall at budgets 6 and 8 for these ten tasks, with paired 95 % intervals against the
entry ranker, and beside it the same for trees by clauses and list items.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from skillmill.compute.scoring import recall
from skillmill.compute.statistics import bootstrap_mean
from skillmill.evaluate.trace_arms import rank_with_traces, trace_arms
from skillmill.interfaces.libraries import read_queries, read_skills
from skillmill.interfaces.tracing import read_library
from skillmill.library.querytree import QueryTree, clause_tree, grow_trees
from skillmill.library.settings import RankerSettings
from skillmill.library.tracequeries import trace_queries
from skillmill.library.tracing import TraceSettings
from skillmill.models.chat import RoleSettings
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, catalogue, rankings
from skillmill.store.replies import ReplyRecords
from skillmill.types import Task

TREES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
BUDGETS = (6, 8)
URL = "http://scripted.test/v1"
SHOWN = (
    "hybrid", "vector", "skilltrace", "skilltrace-tree", "skilltrace-matching",
    "skilltrace-dependencies", "skilltrace-argmax", "skilltrace+fill", "matched+fill",
    "hybrid as many as skilltrace",
)  # fmt: skip


def scripted(tasks: Sequence[Task]) -> httpx2.AsyncClient:
    """A client whose endpoint replies with the tree of the task that is asked about."""

    def reply(request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.content)["messages"][-1]["content"]
        task = next(t for t in tasks if _start(t.text) in " ".join(asked.split()))
        leaves = [
            {"id": f"{n}", "parent": "0", **leaf}
            for n, leaf in enumerate(TREES[task.id], start=1)
        ]
        nodes = [{"id": "0", "parent": None, "requirement": task.id}, *leaves]
        content = json.dumps({"nodes": nodes})
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return httpx2.Response(200, json={"choices": [choice]})

    return httpx2.AsyncClient(transport=httpx2.MockTransport(reply))


def _start(text: str) -> str:
    return " ".join(text.split())[:80]


def hand_trees(tasks: Sequence[Task], records: Path) -> list[QueryTree]:
    """Trees of the scripted endpoint, through the real client and its checks."""
    role = RoleSettings(model="hand-written", base_url=URL)
    with (
        ReplyRecords(records) as replies,
        ChatClient(
            {"decompose": role},
            replies,
            rng=np.random.default_rng(0),
            http_client=scripted(tasks),
        ) as client,
    ):
        return grow_trees(tasks, client)[0]


def recalls(
    folder: Path, tasks: Sequence[Task], trees: Sequence[QueryTree], weights: str
) -> Mapping[str, list[float]]:
    """Recall of each arm for each task, `arm@budget` -> values in the tasks' order."""
    library = read_library(
        *(folder / f"{n}.sqlite" for n in ("catalogue", "slots", "dependencies"))
    )
    wanted = {task.id for task in tasks}
    store = folder / "vectors.sqlite"
    queries = [
        q for q in read_queries(folder / "tasks.sqlite", store) if q.id in wanted
    ]
    with artifact.reading(folder / "rankings.sqlite", "rankings") as db:
        entries = {r.query: r for r in rankings.load_rankings(db, "hybrid")}
    texts = sorted({leaf.requirement for tree in trees for leaf in tree.leaves()})
    vectors = load_encoder(EncoderSettings()).encode(texts)
    prepared = trace_queries(
        read_skills(folder / "catalogue.sqlite", store),
        queries,
        {tree.task: tree for tree in trees},
        entries,
        dict(zip(texts, vectors, strict=True)),
        RankerSettings(),
    )
    settings = replace(TraceSettings(), weights=weights)
    found = rank_with_traces(library, prepared, trace_arms(settings, 2), BUDGETS)
    items = {(one.arm, one.query): one.items for one in found}
    return {
        f"{name}@{k}": [
            recall(items[f"{name}@{k}", t.id], t.relevant, k) or 0.0 for t in tasks
        ]
        for name in SHOWN
        for k in BUDGETS
    }


def row(name: str, values: Mapping[str, list[float]], k: int) -> str:
    """Mean recall of an arm, and the paired difference to the entry ranker."""
    own, other = np.array(values[f"{name}@{k}"]), np.array(values[f"hybrid@{k}"])
    told = f"{name:26} @{k}  {own.mean():.3f}"
    if name == "hybrid":
        return told
    gap: Any = bootstrap_mean((own - other).tolist(), np.random.default_rng(0), 5000)
    return f"{told}  {gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def main(studies: Sequence[str]) -> None:
    """Print a table for each study."""
    for study in studies:
        folder = Path(study, "library")
        with artifact.reading(folder / "tasks.sqlite", "tasks") as db:
            tasks = [task for task in catalogue.load_tasks(db) if task.id in TREES]
        hand = hand_trees(tasks, Path(study, "scripted-records"))
        clauses = [clause_tree(task.id, task.text) for task in tasks]
        for label, trees in (("by hand", hand), ("by clauses", clauses)):
            leaves = sum(len(tree.leaves()) for tree in trees)
            for weights in ("both", "cosine"):
                print(
                    f"\n{study}: trees {label}, {len(tasks)} tasks, {leaves} leaves,"
                    f" weights {weights}"
                )
                values = recalls(folder, tasks, trees, weights)
                for name in SHOWN:
                    for k in BUDGETS:
                        print(row(name, values, k))


if __name__ == "__main__":
    main(sys.argv[1:])
