"""A working directory with its own inputs, built by the real workflow."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from skillmill.store.artifact import logical_dump
from skillmill.store.runs import JobRow, read_jobs
from tests.conftest import REPOSITORY

SAMPLE = REPOSITORY / "data" / "sample"


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
        overlay = self.root / "overlay.yaml"
        overlay.write_text(yaml.safe_dump(self.config | {"records": str(self.records)}))
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
