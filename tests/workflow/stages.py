"""The workflow's jobs in one process: its DAG, its params and its scripts.

What must be made again is decided by content: the hashes of a job's inputs, its params
and what its rule is called. A job that is not needed keeps its file, as in a run.
"""

import hashlib
import json
import os
import runpy
import sys
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from skillmill.store.artifact import logical_dump
from tests.conftest import REPOSITORY

#: Rules that need matplotlib or a shell; what they make is no store.
LEFT_OUT = {"report", "front_page", "all", "library", "memory"}


@dataclass
class Stages:
    """Inputs, results and a ledger of what each result was made of."""

    root: Path
    records: Path
    config: dict = field(default_factory=dict)
    ledger: dict[str, str] = field(default_factory=dict)
    code: Path = REPOSITORY
    targets: tuple[str, ...] = ()
    ran: list[str] = field(default_factory=list)

    def build(self) -> list[str]:
        """Make what is out of date; the rules that ran, in order."""
        self.ran = []
        planned = Planned(self.config, self.records, self.code, self.targets)
        with chdir(self.root), planned as (jobs, config):
            wanted = set()
            for job in jobs:
                # Inputs, too: a shard's conversations are no job's output.
                wanted |= {*job.output, *job.input}
                self._make(job, config)
            for path in self.stores():
                name = path.relative_to(self.root).as_posix()
                if name not in wanted:
                    path.unlink()
                    self.ledger.pop(name, None)
        return self.ran

    def _make(self, job, config) -> None:
        made_of = fingerprint(job)
        current = all(
            self.ledger.get(name) == made_of and Path(name).exists()
            for name in job.output
        )
        if current:
            return
        for name in job.output:
            Path(name).unlink(missing_ok=True)  # as Snakemake does
            Path(name).parent.mkdir(parents=True, exist_ok=True)
        run_script(job, config, self.code)
        self.ran.append(job.rule.name)
        self.ledger |= dict.fromkeys(job.output, made_of)

    def stores(self) -> list[Path]:
        """Every artifact, sorted."""
        return sorted((self.root / "results").rglob("*.sqlite"))

    def dumps(self) -> dict[str, str]:
        """Logical content of every artifact, by path."""
        return {
            path.relative_to(self.root).as_posix(): logical_dump(path)
            for path in self.stores()
        }


class Planned:
    """The jobs of a configuration in an order in which they can run."""

    def __init__(
        self,
        config: dict,
        records: Path,
        code: Path = REPOSITORY,
        targets: tuple[str, ...] = (),
    ) -> None:
        self.config = config | {"records": str(records)}
        self.code, self.targets = code, targets

    def __enter__(self):
        from snakemake.api import (
            ConfigSettings,
            DAGSettings,
            OutputSettings,
            ResourceSettings,
            SnakemakeApi,
        )
        from snakemake.settings.enums import Quietness

        self.api = SnakemakeApi(OutputSettings(quiet={Quietness.ALL}))
        self.api.__enter__()
        flow = self.api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(config=self.config),
            snakefile=self.code / "Snakefile",
        )
        flow.dag(DAGSettings(targets=set(self.targets)))
        inner = flow._workflow
        inner._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
        inner._build_dag()
        jobs = [
            job
            for layer in inner.dag.toposorted()
            for job in sorted(layer, key=lambda job: (job.rule.name, str(job.output)))
            if job.rule.name not in LEFT_OUT
        ]
        return jobs, inner.globals["config"]

    def __exit__(self, *caught):
        self.api.__exit__(*caught)


def fingerprint(job) -> str:
    """Hash of all that a job's result may depend on."""
    total = hashlib.sha256(job.rule.name.encode())
    params = {name: value for name, value in job.params.items()}
    total.update(json.dumps(params, sort_keys=True, default=str).encode())
    for name in sorted(job.input):
        total.update(f"{name}\0".encode())
        total.update(hashlib.sha256(Path(name).read_bytes()).digest())
    return total.hexdigest()


def run_script(job, config, code: Path = REPOSITORY) -> None:
    """Run a job's script here, with what Snakemake would hand to it."""
    Path(job.log[0]).parent.mkdir(parents=True, exist_ok=True)
    given = SimpleNamespace(
        input=job.input, output=job.output, params=job.params, log=job.log,
        wildcards=job.wildcards, threads=job.threads, config=config,
        rule=job.rule.name, resources=job.resources,
    )  # fmt: skip
    script = code / "scripts" / f"{job.rule.name}.py"
    with patch.dict(os.environ), patch.object(sys, "argv", [str(script)]):
        runpy.run_path(str(script), {"snakemake": given}, "__main__")


if __name__ == "__main__":
    folder, recorded, copy, given, *names = sys.argv[1:]
    Stages(
        Path(folder), Path(recorded), json.loads(given), {}, Path(copy), tuple(names)
    ).build()
