"""The command that compares two runs."""

from pathlib import Path
from typing import Any

import click

from skillmill.interfaces.options import JSON, RESULTS


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--track", type=click.Choice(["library", "memory"]))
@click.option("--arm", help="Ranker, retrieval skill or other compared method.")
@click.option("--metric", help="Name of the metric, such as recall.")
@click.option("--k", type=int, help="Cut-off.")
@click.option(
    "--category", default="all", show_default=True, help="`all` is the pooled row."
)
@click.option("--questions", is_flag=True, help="Those whose value differs, instead.")
@RESULTS
@JSON
def compare(
    first: str,
    second: str,
    questions: bool,
    results: Path,
    as_json: bool,
    **filters: str | int | None,
) -> None:
    """Compare two runs on the questions that both were asked.

    FIRST and SECOND are studies of the results folder, or folders of results
    elsewhere. The difference is first minus second, with a paired 95 % interval over
    questions. What cannot be compared is counted.

    Example: skillmill compare sample elsewhere/results/sample --metric recall
    """
    from skillmill.interfaces import comparing  # noqa: PLC0415
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415
    from skillmill.report.othersource import only_in_one  # noqa: PLC0415
    from skillmill.report.visible import visible_text  # noqa: PLC0415

    one, other = (comparing.named_run(results, name) for name in (first, second))
    told = comparing.question_rows if questions else comparing.difference_rows
    rows = told(one, other, filters)
    for line in only_in_one(one, other):
        click.echo(line, err=True)
    if as_json:
        print_rows(rows, as_json=True)
        return
    shown = rows if questions else [_readable(row) for row in rows]
    print_rows(
        [
            {k: visible_text(v) if isinstance(v, str) else v for k, v in row.items()}
            for row in shown
        ],
        as_json=False,
    )


def _readable(row: dict[str, Any]) -> dict[str, object]:
    """A row of differences as the terminal shows it, in percent."""
    from skillmill.report.tables import (  # noqa: PLC0415
        column_name,
        percent,
        signed,
        signed_interval,
    )

    left = ("only_first", "only_second", "changed", "unscored")
    return {
        "arm": row["arm"],
        "metric": column_name(row["metric"], row["k"]),
        "n": row["n"],
        "first": percent(row["first"]),
        "second": percent(row["second"]),
        "difference [95 %]": f"{signed(row['difference'])}"
        f" [{signed_interval(row['low'], row['high'])}]",
        "higher": row["higher"],
        "lower": row["lower"],
        "left out": sum(row[name] for name in left),
    }
