"""Sequences of edits in one folder, through Snakemake, some runs killed on the way.

Each sequence starts where the one before ended and asks for a part of the stores or for
all, so that edits of others pile up. At its end every store it needs is compared with a
clean build of the same inputs by the same code, made by the stage functions in a
process of its own (`stages`) from the same record stores, which it must not add to.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from skillmill.interfaces.runlock import holder_of
from tests.conftest import REPOSITORY
from tests.workflow.conftest import Workflow, code_copy, recorded_rows, small_sample
from tests.workflow.editor import Editor
from tests.workflow.stages import Stages

#: Sequences after which the inputs go back to what they were: none may run out.
RENEWED = 8

#: What sequences ask for, in turn: both tracks, or what is made from a part of one.
#: Without the page, which holds nothing of its own.
TARGETS = [
    ["library", "memory"],
    *[
        [f"results/sample/{name}.sqlite" for name in names]
        for names in [
            ["library/library", "library/scores", "library/topology"],
            ["memory/scores"],
            ["traces/scores"],
            ["answers/scores", "comparisons/scores", "turns/scores"],
        ]
        * 2
    ],
]

#: Seconds in which Snakemake has read the workflow, and that a kill waits at most.
READ, LONGEST = 1.5, 20.0


class Chain:
    """A folder, its edits and its kills; `kills` in `sequences`, evenly spread."""

    def __init__(self, root: Path, seed: int, sequences: int, kills: int) -> None:
        code = code_copy(root / "code")
        self.flow = small_sample(root / "flow", root / "records", code)
        shutil.copytree(self.flow.root / "data", self.flow.root / "beginning")
        self.root, self.sequences, self.wanted_kills = root, sequences, kills
        self.rng = random.Random(seed)
        self.editor = Editor(self.flow.root, seed, self.flow.config, code)
        self.kills: Counter[str] = Counter()
        self.done = 0
        self.recorded: set = set()
        self.seconds = 20.0
        self.build()

    def sequence(self) -> str:
        """Edits, a run, edits, a run, and a comparison; what was done."""
        before, kills = len(self.editor.done), self.kills.total()
        if self.done % RENEWED == RENEWED - 1:
            self.editor.restore()
            self.editor.done.append("restore")
        for _ in range(self.rng.choice([2, 3, 4, 5])):
            self.editor.edit()
        self.done += 1
        while self.kills.total() < self.wanted_kills * self.done // self.sequences:
            self.kill()
            if self.rng.random() < 0.5:
                self.editor.edit()
        self.build()
        self.compare()
        return (
            f"sequence {self.done} ({self.targets()[0]}):"
            f" {' '.join(self.editor.done[before:])};"
            f" {self.kills.total() - kills} kills"
        )

    def targets(self) -> list[str]:
        """What this sequence asks for."""
        return TARGETS[self.done % len(TARGETS)]

    def build(self) -> None:
        """A run to its end: it pays for what was not recorded, and for nothing else."""
        run = f"run-{self.done}-{len(self.editor.done)}-{self.kills.total()}"
        started = time.monotonic()
        self.flow.run(*self.targets(), run=run)
        took = time.monotonic() - started
        self.seconds = min((self.seconds + took) / 2, LONGEST)
        computed = sum(job.computed for job in self.flow.jobs(run))
        before = self.recorded
        self.keep_count()
        assert computed == len(self.recorded - before), self.editor.done

    def keep_count(self) -> None:
        """No recorded row may be lost."""
        now = recorded_rows(self.flow.records)
        assert now >= self.recorded, (self.editor.done, self.kills)
        self.recorded = now

    def kill(self) -> None:
        """A run that is killed at a random moment, unless it ends before."""
        self.flow.write_overlay()
        process = subprocess.Popen(
            self.flow.command(*self.targets()), cwd=self.flow.root,
            env=self.flow.environment("killed"), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(self.rng.uniform(READ, max(0.8 * self.seconds, 2 * READ)))
        except subprocess.TimeoutExpired:
            self.kills[kill_something(process, self.flow.root, self.rng)] += 1
            process.wait()
            while family(self.flow.root):
                time.sleep(0.1)
        self.keep_count()

    def compare(self) -> None:
        """Every store equals that of a clean build, which computes nothing."""
        clean = Workflow(self.root / "clean", self.flow.records)
        shutil.copytree(self.flow.root / "data", clean.root / "data")
        stage_by_stage(clean.root, self.flow, self.targets())
        assert recorded_rows(self.flow.records) == self.recorded
        theirs = clean.dumps()
        assert theirs
        mine = {name: dump for name, dump in self.flow.dumps().items()
                if name in theirs or self.targets() == TARGETS[0]}  # fmt: skip
        said = (self.done, self.editor.done, self.kills)
        assert [n for n in theirs if mine.get(n) != theirs[n]] == [], said
        shards = self.flow.config["memory"].get("shards", 1)
        for name in mine.keys() - theirs.keys():  # shards that there are no more
            found = re.fullmatch(r"results/sample/memory/(\d+)/\w+\.sqlite", name)
            assert found, (name, said)
            assert int(found[1]) >= shards, (name, said)
        assert not list((self.flow.root / "results").rglob("*.tmp")), said
        shutil.rmtree(clean.root)


def stage_by_stage(root: Path, flow: Workflow, targets: list[str]) -> None:
    """A clean build in `root` by the stage functions of the code of `flow`."""
    path = os.pathsep.join([str(flow.code / "src"), str(REPOSITORY)])
    done = subprocess.run(
        [sys.executable, "-m", Stages.__module__, root, flow.records, flow.code,
         json.dumps(flow.config), *targets],
        env={**flow.environment("clean"), "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-6000:]


def family(root: Path) -> list[int]:
    """Processes of the run at work in `root`, its first process left out."""
    holder = holder_of(root)
    return [] if holder is None else holder.orphans()


def kill_something(process: subprocess.Popen, root: Path, rng: random.Random) -> str:
    """Kill the whole run, its first process alone, or one process of it."""
    kind = rng.choice(["all", "first", "one"])
    others = family(root)
    if kind == "one" and others:
        try:
            os.kill(rng.choice(others), signal.SIGKILL)
        except ProcessLookupError:  # that job has just ended
            kind = "first"
        else:
            return kind
    if kind == "all":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
        kind = "first"
    return kind
