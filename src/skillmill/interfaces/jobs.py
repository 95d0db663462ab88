"""What jobs took: the run log and the cost log as one table, and its page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from skillmill.store.costs import read_costs
from skillmill.store.runs import read_jobs

#: The page's name in the folder of a study.
PAGE = "jobs.html"

Row = dict[str, Any]


def job_rows(records: Path, run: str | None = None) -> list[Row]:
    """Jobs of one run, or of all, in the order they ended, a column a fact.

    `calls` are requests to language models, `recorded` their questions that had been
    answered before; `computed` and `reused` count rows of every model, those of
    encoders and taggers too.

    Raises
    ------
    StoreError
        If a log cannot be read.
    """
    calls: Counter[tuple[str, ...]] = Counter()
    recorded: Counter[tuple[str, ...]] = Counter()
    for cost in read_costs(records, run):
        key = cost.run, cost.rule, cost.study, cost.part
        calls[key] += cost.calls
        recorded[key] += cost.recorded
    rows = []
    for job in read_jobs(records, run):
        key = job.run, job.rule, job.study, job.part
        row = asdict(job)
        cause = row.pop("first_cause")
        spent = {"calls": calls[key], "recorded": recorded[key], "first_cause": cause}
        rows.append(row | spent)
    return rows


def latest(rows: Iterable[Row], study: str) -> list[Row]:
    """The last job of each rule and part of a study: what its stores took to make."""
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        if row["study"] == study and row["state"] == "ok":
            key = row["rule"], row["part"]
            found.pop(key, None)
            found[key] = row
    return list(found.values())


def write_jobs_page(records: Path, results: Path, study: str) -> Path:
    """Write the page of a study's jobs beside its report; where it is.

    It differs between equal runs, so it is no output of any rule.

    Raises
    ------
    StoreError
        If a log cannot be read.
    """
    from skillmill.report.jobs import render_jobs  # noqa: PLC0415 half a second

    path = results / study / PAGE
    path.write_text(render_jobs(study, latest(job_rows(records), study)), "utf-8")
    return path
