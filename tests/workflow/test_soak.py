"""Kills through Snakemake, again and again, between edits: `make soak`."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from skillmill.interfaces.runlock import TOKEN, holder_of
from tests.workflow.conftest import sample_copy
from tests.workflow.editor import Editor
from tests.workflow.test_faults import recorded_rows

KILLS = int(os.environ.get("SKILLMILL_SOAK_KILLS", "0"))

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.model,
    pytest.mark.timeout(6 * 3600),
    pytest.mark.skipif(not KILLS, reason="takes minutes to hours: make soak"),
]


def family(root: Path) -> list[int]:
    """Processes of the run at work in `root`, its first process left out."""
    holder = holder_of(root)
    return [] if holder is None else holder.orphans()


def wait_until_gone(root: Path) -> None:
    """Let the jobs that a kill has left behind end."""
    while family(root):
        time.sleep(0.1)


def kill_something(process: subprocess.Popen, root: Path, rng: random.Random) -> str:
    """Kill the whole run, its first process alone, or one process of it."""
    kind = rng.choice(["all", "first", "one"])
    others = family(root)
    if kind == "all":
        os.killpg(process.pid, signal.SIGKILL)
    elif kind == "first" or not others:
        os.kill(process.pid, signal.SIGKILL)
    else:
        os.kill(rng.choice(others), signal.SIGKILL)
    return kind


def test_after_any_kills_between_any_edits_all_is_as_in_a_clean_build(tmp_path, capsys):
    rng = random.Random(11)
    flow = sample_copy(tmp_path / "flow", tmp_path / "records")
    (flow.root / "overlay.yaml").write_text(f"records: {flow.records}\n")
    editor = Editor(flow.root, 11)
    kills: list[str] = []
    recorded: set = set()
    while len(kills) < KILLS:
        process = subprocess.Popen(
            flow.command(), cwd=flow.root, env=flow.environment("killed"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(rng.uniform(2, 20))
        except subprocess.TimeoutExpired:
            try:
                kills.append(kill_something(process, flow.root, rng))
            except ProcessLookupError:
                continue
            process.wait()
            wait_until_gone(flow.root)
        else:
            editor.edit()
        now = recorded_rows(flow.records)
        assert now >= recorded, kills
        recorded = now
    flow.run(run="end")
    computed = sum(job.computed for job in flow.jobs("end"))
    assert computed == len(recorded_rows(flow.records) - recorded)
    clean = flow.clone(tmp_path / "clean")
    clean.run(run="clean")
    with capsys.disabled():
        counts = {kind: kills.count(kind) for kind in sorted(set(kills))}
        os.write(1, f"\n{len(kills)} kills {counts}, edits {editor.done}\n".encode())
    mine, theirs = flow.dumps(), clean.dumps()
    assert [n for n in mine if mine[n] != theirs.get(n)] == []
    assert mine.keys() == theirs.keys()
    assert not list((flow.root / "results").rglob("*.tmp"))
    assert TOKEN not in os.environ
