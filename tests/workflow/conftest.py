"""A working directory with its own inputs, built by the real workflow."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from skillmill.store.artifact import logical_dump
from skillmill.store.runs import JobRow, read_jobs
from tests.conftest import REPOSITORY

SAMPLE = REPOSITORY / "data" / "sample"

#: What a copy of the code consists of.
CODE = ("Snakefile", "config.yaml", "rules", "scripts", "src", "profiles", "reports",
        "envs")  # fmt: skip

#: Intervals from few resamples and one draw: the same code in a tenth of the time.
QUICK = {
    "encoder": {"backend": "onnx"},
    "evaluation": {"bootstrap": 20},
    "library": {"edges": {"arms": {"draws": 1}}},
    "memory": {"skills": ["src/skillmill/skills/seeds/fused-clues.md",
                          "src/skillmill/skills/seeds/entity-focus.md"]},
}  # fmt: skip

#: Of each conversation of the small sample, to keep a build short.
TURNS, QUESTIONS = 24, 5


@dataclass
class Workflow:
    """Inputs and results in a folder of their own; the code may be a copy, too."""

    root: Path
    records: Path
    code: Path = REPOSITORY
    config: dict = field(default_factory=dict)
    overlays: list[str] = field(default_factory=list)

    def run(self, *arguments, code=0, run="r", **options):
        """Run Snakemake; the finished process, its exit code checked."""
        self.write_overlay()
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.root,
            env=self.environment(run),
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        said = done.stdout + done.stderr
        assert (done.returncode == 0) == (code == 0), said[-6000:]
        assert "Traceback" not in said, said[-6000:]
        return done

    def write_overlay(self):
        """Write the configuration where `command` reads it."""
        overlay = self.root / "overlay.yaml"
        overlay.write_text(yaml.safe_dump(self.config | {"records": str(self.records)}))

    def command(self, *arguments):
        """The command line of a run."""
        return [
            sys.executable, "-m", "skillmill", "run",
            "--snakefile", str(self.code / "Snakefile"),
            "--configfile", *[str(self.code / name) for name in self.overlays],
            "overlay.yaml", "--cores", "2", *arguments,
        ]  # fmt: skip

    def environment(self, run):
        """The environment of a run: the code's own package, one thread a job."""
        return {
            **os.environ,
            "PYTHONPATH": str(self.code / "src"),
            "OMP_NUM_THREADS": "1",
            "SKILLMILL_RUN": run,
            "SKILLMILL_DATA": os.environ.get("SKILLMILL_DATA", ""),
        }

    def jobs(self, run="r") -> list[JobRow]:
        """The jobs that a run has logged."""
        return [job for job in read_jobs(self.records) if job.run == run]

    def stores(self) -> list[Path]:
        """Every artifact, sorted."""
        return sorted((self.root / "results").rglob("*.sqlite"))

    def dumps(self) -> dict[str, str]:
        """Logical content of every artifact, by path."""
        return {
            path.relative_to(self.root).as_posix(): logical_dump(path)
            for path in self.stores()
        }

    def clone(self, root: Path) -> "Workflow":
        """The same inputs in another folder, nothing built."""
        root.mkdir(parents=True)
        shutil.copytree(self.root / "data", root / "data")
        return Workflow(root, self.records, self.code, self.config)


@pytest.fixture(scope="session")
def records(tmp_path_factory):
    """Record stores that all builds of a session share, so that models run once."""
    return tmp_path_factory.mktemp("records")


def sample_copy(root: Path, records: Path) -> Workflow:
    """The sample's inputs, copied to `root/data/sample`."""
    shutil.copytree(SAMPLE, root / "data" / "sample")
    return Workflow(root, records)


def small_inputs(root: Path) -> None:
    """The sample's library, and the beginning of its conversations, below `root`."""
    shutil.copytree(SAMPLE, root / "data" / "sample")
    file = root / "data" / "sample" / "conversations.jsonl"
    kept, counts = [], {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = row["conversation"], row["type"]
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= (TURNS if row["type"] == "turn" else QUESTIONS):
            kept.append(line)
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")


def small_sample(root: Path, records: Path, code: Path = REPOSITORY) -> Workflow:
    """The small sample, built in a third of the sample's time."""
    small_inputs(root)
    return Workflow(root, records, code, json.loads(json.dumps(QUICK)))


def recorded_rows(records):
    """Keys of every recorded row, of vectors and tags, over all shards."""
    found = set()
    for file in records.rglob("*.sqlite"):
        if file.parent == records:
            continue
        with closing(sqlite3.connect(file)) as db:
            for table in ("vector_record", "tag_record", "token_record"):
                if db.execute(
                    "select 1 from sqlite_schema where name = ?", (table,)
                ).fetchone():
                    rows = db.execute(f"select model, key from {table}")
                    found |= {(table, *row) for row in rows}
    return found


def code_copy(code: Path) -> Path:
    """A copy of the code that may be edited, in the new folder `code`."""
    code.mkdir(parents=True)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in CODE:
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, code / name, ignore=left_out)
        else:
            shutil.copy(REPOSITORY / name, code / name)
    return code


@pytest.fixture(scope="session")
def built(tmp_path_factory, records):
    """The sample, built once; tests that change it copy it first."""
    flow = sample_copy(tmp_path_factory.mktemp("built"), records)
    flow.run(run="first")
    return flow


@pytest.fixture
def copied(built, tmp_path):
    """The built sample in a folder of its own, Snakemake's notes included."""
    root = tmp_path / "copied"
    shutil.copytree(built.root, root, symlinks=True)
    return Workflow(root, built.records, built.code, dict(built.config))
