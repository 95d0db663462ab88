"""What every workflow script shares: its log, its counts, its errors.

A script computes inside `with job(snakemake) as this:`. A `SkillmillError` becomes
one line on stderr and in the log and a non-zero exit code, without a traceback; every
job, failed or not, leaves a row in the run log.
"""

import logging
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from skillmill.errors import INTERRUPTED, LimitError, SkillmillError, StoreError
from skillmill.interfaces.garbage import collect_seldom
from skillmill.interfaces.portable import homes_of, portable_names
from skillmill.store.artifact import Provenance
from skillmill.store.runs import JobRow, log_job
from skillmill.types import LoadReport, Problem, State


@dataclass
class Counts:
    """What became of the records of one job.

    `computed` rows were paid for in this job, `reused` ones came from the record
    stores; both depend on what ran before and never go into an artifact. `states`
    counts the stage's records by (state, reason); they do.
    """

    computed: int = 0
    reused: int = 0
    states: Counter[tuple[State, str]] = field(default_factory=Counter)
    first_cause: str | None = None

    def add(self, state: State, n: int = 1, reason: str | None = None) -> None:
        """Count `n` records in a state."""
        if n:
            self.states[state, reason or ""] += n
        if state == "failed" and n and self.first_cause is None:
            self.first_cause = reason

    def total(self, state: State) -> int:
        """Records in a state, whatever the reason."""
        return sum(n for (found, _), n in self.states.items() if found == state)

    def check(self, stage: str, failed_share: float) -> None:
        """Stop when more records failed than the limit allows.

        Raises
        ------
        LimitError
            Naming the share, the limit and the first cause.
        """
        total, failed = self.states.total(), self.total("failed")
        if total and failed / total > failed_share:
            raise LimitError(
                f"{stage}: {failed} of {total} records failed, more than"
                f" limits.failed_share = {failed_share}; the first cause:"
                f" {self.first_cause}"
            )


@dataclass
class Job:
    """One running script."""

    snakemake: Any
    counts: Counts = field(default_factory=Counts)

    @property
    def study(self) -> str:
        """Name of the study."""
        return str(self.snakemake.wildcards.study)

    @property
    def run(self) -> str:
        """Id of the run that the job belongs to; '' outside of any."""
        return os.environ.get("SKILLMILL_RUN", "")

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return str(self.snakemake.rule)

    @property
    def part(self) -> str:
        """Shard or wildcard; '' if the rule has none."""
        wildcards = self.snakemake.wildcards
        return str(wildcards.get("part") or wildcards.get("shard") or "")

    @property
    def models(self) -> Mapping[str, Any]:
        """The section on language models, which the workflow has checked."""
        return dict(self.snakemake.config["models"])

    @property
    def records(self) -> Path:
        """Folder of the record stores.

        From the configuration, not from the rule's params: where rows are recorded
        and how many may fail do not change a result, so they must not rerun a job.
        """
        return Path(self.snakemake.config["records"])

    @property
    def failed_share(self) -> float:
        """Largest share of a stage's records that may fail."""
        return float(self.snakemake.config["limits"]["failed_share"])

    def provenance(
        self,
        kind: str,
        models: Mapping[str, str] | None = None,
        without: Collection[str] = (),
    ) -> Provenance:
        """What the artifact was made of: inputs by role, params, code, models."""
        params = {
            name: value
            for name, value in self.snakemake.params.items()
            if name not in ("code", "given", *without)
        }
        inputs = {role: _paths(value) for role, value in self.snakemake.input.items()}
        homes = homes_of(str(self.snakemake.config["data_root"]))
        return Provenance(
            kind=kind,
            study=self.study,
            package_version=metadata.version("skillmill"),
            code=str(self.snakemake.params.code),
            params=params,
            inputs=inputs,
            models=dict(models or {}),
            names=portable_names(chain.from_iterable(inputs.values()), homes),
        )


def _paths(value: str | Iterable[str]) -> list[str]:
    """One input or several as a list of paths."""
    return [value] if isinstance(value, str) else [str(path) for path in value]


@contextmanager
def job(snakemake: Any) -> Iterator[Job]:  # noqa: ANN401 (typed by Snakemake at run time)
    """Run a script's body with log, counts, run log and clear errors."""
    logging.basicConfig(
        filename=snakemake.log[0],
        filemode="w",
        level=logging.INFO,
        format="%(levelname)s %(message)s",
    )
    # A line a request would bury what a failed job says; what was sent is recorded.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    this = Job(snakemake)
    collect_seldom()
    started = time.monotonic()
    try:
        yield this
    except KeyboardInterrupt:
        # The terminal interrupts every job of a run: one traceback each says nothing.
        logging.error("interrupted")
        sys.exit(INTERRUPTED)
    except (SkillmillError, OSError) as error:
        # An OSError is the machine's trouble (disk full, folder not writable) and names
        # its file; a traceback would only hide it.
        this.counts.first_cause = str(error)
        logging.error("%s", error)
        _log_run(this, time.monotonic() - started, state="failed")
        sys.stderr.write(f"error: {error}\n")
        sys.exit(getattr(error, "exit_code", SkillmillError.exit_code))
    _log_run(this, time.monotonic() - started, state="ok")


def _log_run(this: Job, seconds: float, state: Literal["ok", "failed"]) -> None:
    """Add the job's row to the run log; a log that cannot be written is a warning.

    The job's result does not depend on it.
    """
    counts = this.counts
    logging.info("%s", counts)
    row = JobRow(
        run=this.run,
        rule=this.rule,
        study=this.study,
        part=this.part,
        state=state,
        seconds=round(seconds, 3),
        peak_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        computed=counts.computed,
        reused=counts.reused,
        ok=counts.total("ok"),
        empty=counts.total("empty"),
        failed=counts.total("failed"),
        skipped=counts.total("skipped"),
        first_cause=counts.first_cause,
    )
    try:
        log_job(this.records, row)
    except StoreError as error:
        logging.warning("%s", error)
        sys.stderr.write(f"warning: {error}\n")


def count_report(counts: Counts, report: LoadReport, failed_share: float) -> None:
    """Count a load report and stop past the limit.

    Raises
    ------
    LimitError
        If more than `failed_share` of the items found could not be loaded.
    """
    counts.add("ok", report.usable)
    failed = [p for p in report.problems if p.severity == "failed"]
    counts.add("failed", report.failed, _cause(failed[0]) if failed else None)
    counts.check(f"loading {report.source}", failed_share)


def _cause(problem: Problem) -> str:
    """A problem with its place, as one phrase."""
    line = f":{problem.line}" if problem.line else ""
    return f"{problem.file}{line}: {problem.message}"
