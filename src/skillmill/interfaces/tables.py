"""Tables and summaries for a terminal."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from skillmill.interfaces.show import as_json as row_of
from skillmill.interfaces.show import headline, percent_of, read_scores
from skillmill.report.tables import numbered
from skillmill.report.visible import visible_line
from skillmill.store import artifact, load
from skillmill.types import LoadReport, Score

#: Arms that a summary lists for each figure, best first.
SHOWN = 8

#: Columns of the plain score table.
COLUMNS = ("study", "arm", "split", "category", "metric")


def score_table(rows: Iterable[Score]) -> None:
    """Print score rows, values in percent."""
    table = Table(box=None, pad_edge=False)
    for name in (*COLUMNS, "k"):
        table.add_column(name)
    table.add_column("percent [95 %] (n)", justify="right")
    for row in rows:
        shown = replace(row, category=numbered(row.category))
        cells = [str(getattr(shown, name)) for name in COLUMNS]
        mark = " heuristic" if row.heuristic else ""
        k = "" if row.k is None else str(row.k)
        table.add_row(*cells, k, percent_of(row) + mark)
    _console().print(table, markup=False)


def row_table(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows of the same columns, numbers to the right; nothing for no rows.

    Texts may come from outside: what is hidden or steers a terminal is spelled out.
    """
    table = Table(box=None, pad_edge=False)
    for name, value in (rows[0] if rows else {}).items():
        table.add_column(name, justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(
            *(
                ""
                if v is None
                else f"{v:,}"
                if type(v) is int
                else visible_line(str(v))
                for v in row.values()
            )
        )
    _console().print(table, markup=False)


def print_rows(rows: Sequence[Mapping[str, object]], as_json: bool) -> None:
    """Print rows of the same columns: as a table, or as JSON, one a line."""
    if as_json:
        print_json(rows)
    else:
        row_table(rows)


def print_json(rows: Iterable[Mapping[str, object]]) -> None:
    """Print rows as JSON, one a line."""
    for row in rows:
        click.echo(json.dumps(row, ensure_ascii=False))


def summary_rows(results: Path, study: str) -> Iterable[dict[str, object]]:
    """What `summary` prints, as rows: `report`, `score` and `page`."""
    for report in _loaded(results / study):
        counts = ("source", "found", "loaded", "warned", "failed")
        yield {"row": "report"} | {name: getattr(report, name) for name in counts}
    for _, label, score in headline(_scores(results, study)):
        yield {"row": "score", "label": label} | row_of(score)
    page = _page(results, study)
    if page is not None:
        yield {"row": "page", "uri": page.resolve().as_uri()}


def summary(results: Path, study: str) -> None:
    """Print what a study built, its headline figures and where its page is."""
    click.echo(f"\nstudy {study}")
    for line in built(results / study):
        click.echo(f"  built  {line}")
    rows = _scores(results, study)
    for (track, label), arms in groupby(headline(rows), key=lambda item: item[:2]):
        best = sorted((row for _, _, row in arms), key=lambda row: -(row.value or 0))
        click.echo(f"  {track}: {label}, percent [95 % interval]")
        for row in best[:SHOWN]:
            mark = " heuristic" if row.heuristic else ""
            click.echo(f"    {row.arm:<24} {percent_of(row)}{mark}")
        if len(best) > SHOWN:
            click.echo(f"    and {len(best) - SHOWN} more: skillmill show scores")
    page = _page(results, study)
    if page is not None:
        click.echo(f"  report {page.resolve().as_uri()}")


def _scores(results: Path, study: str) -> list[Score]:
    """Score rows; a run of single targets, or of a library without tasks, has none."""
    scored = any((results / study).glob("*/scores.sqlite"))
    return read_scores(results, study) if scored else []


def _page(results: Path, study: str) -> Path | None:
    """Where the page is, if there is one; the sample's lies on top, too."""
    places = [results / study / "report.html"]
    if study == "sample":
        places.insert(0, results / "report.html")
    return next((place for place in places if place.exists()), None)


def built(study: Path) -> Iterable[str]:
    """One line per load report of a study: found, loaded, warned, failed."""
    for report in _loaded(study):
        yield (
            f"{report.source}: {report.found} found, {report.loaded} loaded,"
            f" {report.warned} with warnings, {report.failed} failed"
        )


def _loaded(study: Path) -> Iterable[LoadReport]:
    """The load reports of a study."""
    for kind in ("library/catalogue", "library/tasks", "memory/conversations"):
        path = study / f"{kind}.sqlite"
        if not path.exists():
            continue
        with artifact.reading(path, path.stem) as db:
            yield from load.load_report(db)


def _console() -> Console:
    """Standard output; wide when it is not a terminal, so that no cell is cut."""
    console = Console(soft_wrap=True)
    return console if console.is_terminal else Console(width=240)
