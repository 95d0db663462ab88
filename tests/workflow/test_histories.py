"""Studies of chat histories and of records run to the end."""

import json
import os
import re
from collections import Counter

import pytest

from skillmill.interfaces.why import read_plan
from skillmill.memory.shards import shard_of
from skillmill.store import artifact, scores
from tests.conftest import DATA
from tests.data.test_perltqa import MEMORY, QUESTIONS
from tests.workflow.conftest import Workflow

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.model]

real_data = pytest.mark.skipif(
    not (DATA / "longmemeval").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder with longmemeval/",
)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Runs an overlay of configs/ on a data folder, with records of its own."""

    def run(name, data, **memory):
        monkeypatch.setitem(os.environ, "SKILLMILL_DATA", str(data))
        overlays = [f"configs/{name}.yaml"]
        flow = Workflow(tmp_path, tmp_path / "records", overlays=overlays)
        flow.config = {"memory": memory} if memory else {}
        done = flow.run(run=name)
        return flow, done.stdout

    return run


def figures(flow, name):
    """(value, n) by (arm, category, metric, k)."""
    store = flow.root / f"results/{name}/memory/scores.sqlite"
    with artifact.reading(store, "scores") as db:
        rows = scores.load_scores(db)
    return {(s.arm, s.category, s.metric, s.k): (s.value, s.n) for s in rows}


@real_data
def test_longmemeval_runs_to_the_end_and_says_n(study):
    """14 of 17 can be answered, 3 of these have sessions that are no evidence."""
    flow, said = study("longmemeval", DATA)
    for label in ("session recall@5, any", "session recall@5, all", "turn recall@10"):
        assert label in said
    found = figures(flow, "longmemeval")
    for metric, k, n in (
        ("session_recall_any", 5, 3),
        ("session_recall_all", 5, 3),
        ("turn_recall", 10, 4),
    ):
        value, asked = found["fused-clues", "all", metric, k]
        assert asked == n
        assert value >= 0.5
        assert found["fused-clues", "abstention", metric, k] == (None, 0)


@real_data
def test_a_history_of_53_sessions_builds_in_minutes_at_most(study, tmp_path):
    source = DATA / "longmemeval" / "longmemeval_s_dev.json"
    rows = json.loads(source.read_text(encoding="utf-8"))
    (one,) = [row for row in rows if len(row["haystack_sessions"]) == 53]
    (tmp_path / "data" / "longmemeval").mkdir(parents=True)
    file = tmp_path / "data" / "longmemeval" / "longmemeval_s.json"
    file.write_text(json.dumps([one]), encoding="utf-8")
    flow, _ = study("longmemeval", tmp_path / "data", shards=1)
    jobs = flow.jobs("longmemeval")
    assert sum(job.computed for job in jobs if job.rule == "vectors") > 1000
    # 47 s on two idle cores; the rest is slack for a machine that does other work.
    assert sum(job.seconds for job in jobs) < 180


def test_records_of_four_sources_run_to_the_end(study, tmp_path):
    """Two characters in four shards: a shard without any must not stop the run."""
    folder = tmp_path / "data" / "perltqa"
    folder.mkdir(parents=True)
    (folder / "perltmem_en.json").write_text(json.dumps(MEMORY), encoding="utf-8")
    (folder / "perltqa_en.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    flow, _ = study("perltqa", tmp_path / "data")
    found = figures(flow, "perltqa")
    assert found["fused-clues", "all", "recall", 10] == (1.0, 5)
    assert found["fused-clues", "social_relationship", "session_recall_all", 10][1] == 2
    assert {category for _, category, _, _ in found} == {
        *("all", "profile", "social_relationship", "events", "dialogues"),
    }
    # One edit of one character: of the shards, his alone.
    edited = json.dumps(MEMORY).replace("A friend from school.", "A friend from work.")
    (folder / "perltmem_en.json").write_text(edited, encoding="utf-8")
    plan = read_plan(flow.run("--dry-run", run="planned").stdout)
    atoms = [job for job in plan if job.rule == "atoms"]
    assert [job.outputs for job in atoms] == [
        (f"results/perltqa/memory/{shard_of('Oto Kern', 4)}/atoms.sqlite",)
    ]
    per_shard = Counter(job.rule for job in plan if re.search(r"/\d/", job.outputs[0]))
    assert set(per_shard.values()) == {1}
    assert {"conversations", "memory_scores"} <= {job.rule for job in plan}
