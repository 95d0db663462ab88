"""The page of a study's jobs: what each of its stores took to make."""

from collections.abc import Mapping, Sequence

from skillmill.report.page import environment

#: Columns that are summed in the last row; memory has a largest value instead.
SUMMED = ("seconds", "computed", "reused", "calls", "recorded")


def render_jobs(study: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return a page of one table: a job a row, and what all took together.

    Rows have `rule`, `part`, `run` and the columns of `SUMMED`, and `peak_mb`.
    """
    numbers = [{name: float(str(row[name])) for name in SUMMED} for row in rows]
    total = {name: sum(row[name] for row in numbers) for name in SUMMED}
    peak = max((float(str(row["peak_mb"])) for row in rows), default=0.0)
    template = environment().get_template("jobs.html")
    return template.render(study=study, rows=rows, total=total, peak=peak)
