"""Evolution as jobs: a step each, killed and resumed, and only edits are rolled out."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from skillmill.store import artifact, evolution, scores
from tests.conftest import REPOSITORY

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
    flow.run("evolution", run="edited")
    start = next(job for job in flow.jobs("edited") if job.rule == "evolve_start")
    # One seed of three was edited.
    assert start.reused == 2 * start.computed > 0
