"""Every figure of every study, as rows: the one door that tables come from."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from skillmill.errors import InputError
from skillmill.evaluate.arms import CEILING
from skillmill.report.tables import percent
from skillmill.store import artifact, graph, scores
from skillmill.store.runs import JobRow, read_jobs
from skillmill.types import Score

#: The figures a run ends with: track -> (metric, k, words).
HEADLINES = {
    "library": (("hit", 5, "hit@5"), ("recall", 5, "recall@5")),
    "memory": (
        ("recall", 10, "evidence recall@10"),
        ("full_evidence", 10, "full evidence@10"),
        ("session_recall_any", 5, "session recall@5, any evidence session"),
        ("session_recall_all", 5, "session recall@5, all evidence sessions"),
        ("turn_recall", 10, "turn recall@10"),
        ("f1_bag", None, "F1 (f1_bag) of answers"),
    ),
}


#: Fields of a row that have names of a study's own: an unknown one is refused.
NAMED = ("arm", "category", "metric")


def score_stores(results: Path, study: str | None) -> list[Path]:
    """Score stores below a results folder, of one study or of all, sorted.

    Raises
    ------
    InputError
        If there is none; the message names the studies there are.
    """
    if not results.is_dir():
        raise InputError(
            f"no results folder at {results}; run `make run` or `skillmill run` first,"
            " or name the folder with --results"
        )
    found = sorted(results.glob("*/*/scores.sqlite"))
    mine = [path for path in found if study in (None, path.parts[-3])]
    if not mine:
        known = sorted({path.parts[-3] for path in found})
        raise InputError(
            f"no scores of study {study!r} below {results}; there are:"
            f" {', '.join(known) or 'none yet, run `skillmill run` first'}"
            if study
            else f"no scores below {results} yet; run `skillmill run` first"
        )
    return mine


def read_scores(
    results: Path, study: str | None = None, **filters: str | int | None
) -> list[Score]:
    """Score rows that match, in the order of studies, tracks and stored rows.

    `filters` are fields of `Score` with the value wanted; None matches everything.

    Raises
    ------
    InputError
        As `score_stores`, and if no row has the arm, category or metric wanted; the
        message names the known ones.
    """
    rows: list[Score] = []
    for path in score_stores(results, study):
        with artifact.reading(path, "scores") as db:
            rows.extend(scores.load_scores(db))
    wanted = {name: value for name, value in filters.items() if value is not None}
    for name in sorted(wanted.keys() & set(NAMED)):
        require_known(name, wanted[name], {getattr(row, name) for row in rows})
    return [
        row
        for row in rows
        if all(getattr(row, name) == value for name, value in wanted.items())
    ]


def require_known(name: str, value: object, known: Collection[str]) -> None:
    """Refuse a name that no row has: an empty table would look like no result.

    Raises
    ------
    InputError
        The message names the nearest and all that there are.
    """
    if value in known:
        return
    near = get_close_matches(str(value), known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise InputError(
        f"no scores of {name} {value!r}; {hint}there are: {', '.join(sorted(known))}",
        record=str(value),
    )


def headline(rows: list[Score]) -> Iterator[tuple[str, str, Score]]:
    """Track, label and row of the pooled headline figures, arms in order.

    Ceilings are left out, but for answers: reading them is work.
    """
    for track, figures in HEADLINES.items():
        for metric, k, label in figures:
            for row in rows:
                if (row.track, row.metric, row.k) != (track, metric, k):
                    continue
                if row.arm.startswith(CEILING) and metric != "f1_bag":
                    continue
                if row.category == "all" and row.split == "all":
                    yield track, label, row


def percent_of(row: Score) -> str:
    """A figure with its interval and n, in percent as the page prints it."""
    value = percent(row.value)
    if row.low is not None:
        value += f" [{percent(row.low)}, {percent(row.high)}]"
    return f"{value} (n = {row.n})"


def graph_rows(results: Path, study: str, table: str) -> list[dict[str, Any]]:
    """Rows of a table that was measured on a study's typed graph, by column.

    Raises
    ------
    InputError
        If there is no such table, or the study has no measured graph.
    """
    kinds = {graph.TABLES[kind]: kind for kind in graph.MEASURED}
    if table not in kinds:
        raise InputError(
            f"no table {table!r} is measured on a graph; there are: {', '.join(kinds)}"
        )
    store = results / study / "library" / "topology.sqlite"
    if not store.is_file():
        raise InputError(
            f"no graph of study {study!r} was measured below {results}; run"
            f" `skillmill run {store}` first"
        )
    with artifact.reading(store, "topology") as db:
        return [row._asdict() for row in graph.load_rows(db, kinds[table])]


def jobs_of(records: Path, run: str | None) -> list[JobRow]:
    """Jobs of one run, or of all, in the order they ended."""
    return [job for job in read_jobs(records) if run in (None, job.run)]


def as_json(row: Score) -> dict[str, Any]:
    """A score as the documented JSON row."""
    return {name: getattr(row, name) for name in Score.__slots__}
