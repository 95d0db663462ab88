"""Evolution as jobs: a step each, killed and resumed, and only edits are rolled out."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from pytest_httpserver import HTTPServer

from skillmill.evolve.llm_proposer import ROLES
from skillmill.evolve.reflective.arms import PLAIN
from skillmill.evolve.reflective.arms import ROLES as RIVAL_ROLES
from skillmill.store import artifact, evolution, scores
from skillmill.store.costs import read_costs
from skillmill.store.usage import load_usage
from tests.conftest import REPOSITORY
from tests.evolve.test_llm_proposer import (
    OPENINGS,
    analysis,
    design,
    generated,
    proposal,
)
from tests.interfaces import test_reflecting as reflecting
from tests.models.endpoint import Script, says

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SEEDS = REPOSITORY / "src" / "skillmill" / "skills" / "seeds"
NAMES = ("semantic-clue", "entity-focus", "surface-fact")
STATES = "results/sample/evolution/default/run-0"


@pytest.fixture
def flow(copied):
    for name in NAMES:
        shutil.copy(SEEDS / f"{name}.md", copied.root / f"{name}.md")
    copied.config = {
        "memory": {
            "splits": {"train": ["ferry-and-kiln"], "val": ["shelves-and-stars"]}
        },
        "evolution": {
            "seeds": [f"{name}.md" for name in NAMES],
            "steps": 2,
            "batch": 8,
            "limit": 3,
            "rivals": 2,
        },
    }
    return copied


def contents(flow):
    """Bytes of every store of evolution."""
    found = sorted((flow.root / "results" / "sample" / "evolution").rglob("*.sqlite"))
    return {path.relative_to(flow.root): path.read_bytes() for path in found}


def killed_after(flow, path):
    """Start a run and kill all of it as soon as a file is there."""
    running = subprocess.Popen(
        flow.command("evolution"),
        cwd=flow.root,
        env=flow.environment("killed"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while not path.exists() and time.monotonic() < until:
        assert running.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert path.exists()


def test_steps_are_resumed_after_kill_9_and_an_edit_reruns_its_rollouts_alone(flow):
    flow.run("evolution", run="whole")
    whole = contents(flow)
    assert len(whole) == 4
    last = flow.root / STATES / "step-2.sqlite"
    with artifact.reading(last, "evolution") as db:
        rows = evolution.load_evolution(db)
    assert [row.step for row in rows.curve] == [-1, 0, 1]
    assert len(rows.explored) == 3 + 2 * 3
    assert rows.curve[-1].capability_oracle >= rows.curve[0].capability_oracle
    with artifact.reading(last.parents[2] / "scores.sqlite", "scores") as db:
        arms = {score.arm for score in scores.load_scores(db)}
    assert {"default#0:best", "best-seed", "exhaustive", "default#0:routed"} <= arms

    for path in whole:
        (flow.root / path).unlink()
    killed_after(flow, flow.root / STATES / "step-1.sqlite")
    flow.run("evolution", run="resumed")
    assert contents(flow) == whole
    resumed = [job for job in flow.jobs("resumed") if job.rule == "evolve_step"]
    # The step that was being finished may be made again, from recorded rollouts.
    assert len(resumed) in (1, 2)
    assert all(job.computed == 0 < job.reused for job in resumed)

    seed = flow.root / "surface-fact.md"
    seed.write_text(seed.read_text("utf-8") + "\nMore words for people.\n", "utf-8")
    flow.run("evolution", run="edited-seed")
    start = next(job for job in flow.jobs("edited-seed") if job.rule == "evolve_start")
    # One seed of three was edited.
    assert start.reused == 2 * start.computed > 0


#: By the name of what is proposed: a new path, a seed's path, a name that is taken.
PROGRAMS = {
    "chained": generated("chained", "LDS", source="surface-fact"),
    "twin": generated("twin", "D", source="surface-fact"),
}
PROPOSED = [
    proposal("chained", source="surface-fact"),
    proposal("twin", source="surface-fact"),
    proposal("entity-focus", source="surface-fact"),
]


def answer(asked):
    """What a model says in each of the three stages, and as a router."""
    system, text = (asked["messages"][n]["content"] for n in (0, -1))
    role = next((r for r, words in OPENINGS.items() if words in system), "router")
    if role == "designer":
        return says(json.dumps(design(*PROPOSED)))
    if role == "generator":
        name = re.search(r'"new_skill_name": "(\S+)"', text)[1]
        return says(json.dumps(PROGRAMS[name]))
    if role == "router":
        name = "chained" if '"chained"' in text else "surface-fact"
        return says(json.dumps({"skill": name}))
    return says(json.dumps(analysis(role == "success_analyst")))


def test_a_models_proposals_and_routes_run_as_jobs_and_what_they_took_is_counted(flow):
    """All three stages over a socket; one proposal is taken and two are refused."""
    script = Script(answer)
    flow.config["evolution"] |= {
        "steps": 1,
        "cutoff": 2,
        "identity": "path",
        "rivals": 1,
        "proposer": {"kind": "llm"},
        "router": {"kind": "llm"},
        "gate": {"rule": "routed"},
    }
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(script.serve)
        model = {"model": "tiny", "base_url": server.url_for("/v1"), "max_tries": 1}
        roles = dict.fromkeys([*ROLES, "router"], model)
        flow.config["models"] = {"mode": "live", "roles": roles}
        flow.run("evolution", run="asked")
        asked = len(script.asked)
        last = flow.root / STATES / "step-1.sqlite"
        first = last.read_bytes()
        last.unlink()
        flow.run(f"{STATES}/step-1.sqlite", run="step-again")
        assert (last.read_bytes(), len(script.asked)) == (first, asked)
    with artifact.reading(last, "evolution") as db:
        rows = evolution.load_evolution(db)
        used = {row.role: row for row in load_usage(db)}
    assert {row.name for row in rows.explored} == {*NAMES, "chained"}
    assert {row.name: row.reason for row in rows.refusals} == {
        "twin": "repeats the path of semantic-clue, dense_search",
        "entity-focus": "the name entity-focus is taken",
    }
    assert (rows.curve[-1].proposed, rows.curve[-1].refused) == (1, 2)
    # Every reply of the script took 20 tokens to ask and 5 to say.
    assert set(used) == {*ROLES, "router"}
    for row in used.values():
        assert row.prompt_tokens == 20 * row.replies
        assert row.completion_tokens == 5 * row.replies
    assert (used["designer"].replies, used["generator"].replies) == (1, 2)
    costs = [row for row in read_costs(flow.records) if row.run == "asked"]
    assert sum(row.calls for row in costs) == asked
    proposing = [row for row in costs if row.role in ROLES]
    assert sum(row.calls for row in proposing) == sum(used[r].replies for r in ROLES)


def test_rivals_that_reflect_run_as_a_job_and_their_replies_are_recorded(flow):
    script = Script(reflecting.answer)
    flow.config["memory"]["splits"]["test"] = ["shelves-and-stars"]
    flow.config["memory"]["splits"]["val"] = []
    flow.config["evolution"]["reflective_calls"] = 6
    store = flow.root / "results/sample/reflective/scores.sqlite"
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(script.serve)
        model = {"model": "tiny", "base_url": server.url_for("/v1"), "max_tries": 1}
        roles = dict.fromkeys([*RIVAL_ROLES, reflecting.JUDGE], model)
        flow.config["models"] = {"mode": "live", "roles": roles}
        flow.run(str(store.relative_to(flow.root)), run="rivals")
        first, asked = store.read_bytes(), len(script.asked)
        store.unlink()
        flow.run(str(store.relative_to(flow.root)), run="rivals-again")
        assert (store.read_bytes(), len(script.asked)) == (first, asked)
    with artifact.reading(store, "scores") as db:
        found = {(row.arm, row.metric): row for row in scores.load_scores(db)}
    learnt = {
        arm: row.value for (arm, m), row in found.items() if m == "calls_learning"
    }
    assert {PLAIN, "rival:cheat-sheet"} < set(learnt)
    assert len(learnt) == 5
    assert max(learnt.values()) <= 6
    # The script answers rightly as soon as a sheet says how.
    assert found["rival:cheat-sheet", "judge"].value > found[PLAIN, "judge"].value
