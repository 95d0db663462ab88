"""Options that several commands have."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from skillmill.types import LoadReport, Problem


class Words(click.ParamType[str]):
    """Words from a command line, where bytes that are no UTF-8 become U+FFFD."""

    name = "text"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Keep the text but for those; no row could be written with them."""
        if value.isascii():
            return value
        from skillmill.models.tokens import encodable  # noqa: PLC0415

        return encodable(value)


WORDS = Words()
RESULTS = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder of the results.",
)
RECORDS = click.option(
    "--records",
    type=click.Path(path_type=Path),
    default=Path("records"),
    show_default=True,
    help="Folder of the record stores.",
)
ONE_STUDY = click.option(
    "--study", help="Name of the study; not needed if there is one."
)
A_STUDY = click.option(
    "--study", help="Name of the study; else the only one there is, or the sample."
)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON row a line.")
CONFIG = click.option(
    "--configfile",
    "overlays",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Configuration laid over config.yaml; may be repeated.",
)


def say(
    row: Mapping[str, object], sentence: str, as_json: bool, *, remark: bool = False
) -> None:
    """Tell what was done: as a row, or as a sentence, a remark on standard error."""
    if as_json:
        click.echo(json.dumps(row, ensure_ascii=False))
    else:
        click.echo(sentence, err=remark)


def problem_line(problem: "Problem") -> str:
    """File, line, severity, what is wrong, code: one line, safe to show."""
    from skillmill.report.visible import visible_line  # noqa: PLC0415

    where = f"{problem.file}:{problem.line or 1}"
    said = f"{where}: {problem.severity}: {problem.message} [{problem.code}]"
    return visible_line(said)


def report_rows(report: "LoadReport") -> None:
    """Print what was found in a file: a row a problem, then one of the counts."""
    from dataclasses import asdict  # noqa: PLC0415

    counts = {key: value for key, value in asdict(report).items() if key != "problems"}
    for problem in report.problems:
        click.echo(json.dumps({"row": "problem"} | asdict(problem), ensure_ascii=False))
    click.echo(json.dumps({"row": "report"} | counts, ensure_ascii=False))
