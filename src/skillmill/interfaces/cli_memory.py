"""Commands about memories: ask one, look at answers, hand results to other tools."""

import json
from pathlib import Path

import click

from skillmill.interfaces.options import (
    A_STUDY,
    CONFIG,
    JSON,
    RESULTS,
    WORDS,
    report_rows,
)

STUDY = click.option("--study", required=True, help="Name of the study.")
ARM = click.option("--arm", required=True, help="Retrieval skill or other arm.")


@click.command()
@click.argument("question", type=WORDS)
@A_STUDY
@click.option("--conversation", help="Whose memory a question in words is about.")
@click.option("--skill", default="fixed-best", show_default=True, help="Name or file.")
@click.option("--budget", type=click.IntRange(1), default=10, show_default=True)
@click.option("--answer", is_flag=True, help="Let the reader answer, too.")
@CONFIG
@RESULTS
@JSON
def recall(
    question: str,
    study: str | None,
    conversation: str | None,
    skill: str,
    budget: int,
    answer: bool,
    overlays: tuple[Path, ...],
    results: Path,
    as_json: bool,
) -> None:
    """Find what a memory holds about a question: records, best first, with dates.

    QUESTION is a question in words, or the id of one of the study. With --configfile
    the language models configured there answer and steer; else a stand-in answers.

    Example: skillmill recall "Which telescope did she build?" --study sample
    --conversation shelves-and-stars --answer
    """
    from skillmill.interfaces import recall as recalling  # noqa: PLC0415
    from skillmill.interfaces.steering import steered  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415

    meant = study_meant(results, study)
    with steered("recall", meant, overlays, reading=answer) as (model, reader):
        found = recalling.recall(
            results,
            meant,
            question,
            skill,
            conversation,
            budget,
            reader=reader,
            model=model,
        )
    if as_json:
        for row in recalling.recalled_rows(found):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    for line in recalling.recalled_lines(found):
        click.echo(line)


@click.command()
@click.argument("export", type=click.Path(path_type=Path))
@click.option(
    "--output", type=click.Path(path_type=Path), help="A file; else standard output."
)
@click.option(
    "--form",
    type=click.Choice(["messages", "slack", "whatsapp"]),
    help="What EXPORT is; told from its content when left out.",
)
@click.option(
    "--day-first/--month-first",
    default=None,
    help="How text exports write 5/8/2024; told from all dates when left out.",
)
@click.option(
    "--pause-hours",
    type=click.FloatRange(0, min_open=True),
    default=6.0,
    show_default=True,
    help="A longer silence begins a new session.",
)
@click.option("--overwrite", is_flag=True, help="Replace an output that is there.")
@click.option(
    "--json", "as_json", is_flag=True, help="What was left out as rows; with --output."
)
def convert(
    export: Path,
    output: Path | None,
    form: str | None,
    day_first: bool | None,
    pause_hours: float,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a chat log, which `memory.path` can name, of a chat program's export.

    EXPORT is a file with messages by role, an unpacked Slack workspace or a WhatsApp
    text. What was left out is told on standard error, with its place.

    Example: skillmill convert chat.txt --output chat.jsonl
    """
    from skillmill.interfaces.converting import convert_file  # noqa: PLC0415

    if as_json and output is None:
        raise click.UsageError("standard output is the chat log; name an --output")
    text, report = convert_file(
        export,
        output,
        form,
        day_first=day_first,
        pause_hours=pause_hours,
        overwrite=overwrite,
    )
    if output is None:
        click.echo(text, nl=False)
    if as_json:
        report_rows(report)
        return
    from skillmill.report.visible import visible_line  # noqa: PLC0415

    for problem in report.problems:
        place = f"{problem.record}: " if problem.record else ""
        said = f"{problem.severity}: {place}{problem.message}"
        click.echo(visible_line(said), err=True)
    click.echo(
        f"{report.found} messages, {report.usable} converted, {report.failed} left out",
        err=True,
    )


@click.command("answers")
@STUDY
@click.option("--arm", help="What found the evidence.")
@click.option("--kind", help="Kind of question.")
@click.option("--state", type=click.Choice(["ok", "empty", "failed", "skipped"]))
@click.option("--conversation")
@RESULTS
@JSON
def show_answers(
    study: str, results: Path, as_json: bool, **filters: str | None
) -> None:
    """Count answers by arm and kind, with --json one row a question.

    Example: skillmill show answers --study sample --json
    """
    from skillmill.interfaces import answered  # noqa: PLC0415

    rows = answered.answer_rows(results, study, **filters)
    if as_json:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    from skillmill.interfaces.tables import row_table  # noqa: PLC0415

    row_table(answered.answer_counts(rows))


@click.group()
def export() -> None:
    """Write results in the formats of other tools, to standard output."""


@export.command("trec")
@STUDY
@click.option("--arm", help="The run of this arm; not needed with --qrels.")
@click.option("--qrels", is_flag=True, help="The evidence in place of a run.")
@click.option("--turns", is_flag=True, help="Qrels of turns, for arms that rank them.")
@RESULTS
def export_trec(
    study: str, arm: str | None, qrels: bool, turns: bool, results: Path
) -> None:
    """Write a TREC run file or qrels file.

    Example: skillmill export trec --study sample --arm fixed-best > fixed-best.run
    """
    from skillmill.interfaces import exporting  # noqa: PLC0415

    if qrels:
        lines = exporting.trec_qrels(results, study, turns=turns)
    elif arm is None:
        raise click.UsageError("name an --arm, or ask for --qrels")
    else:
        lines = exporting.trec_run(results, study, arm)
    for line in lines:
        click.echo(line)


@export.command("longmemeval")
@STUDY
@ARM
@click.option("--variant", help="Only this variant, under the published ids.")
@RESULTS
def export_longmemeval(
    study: str, arm: str, variant: str | None, results: Path
) -> None:
    """Write answers as the JSON lines that LongMemEval's evaluation reads.

    Example: skillmill export longmemeval --study sample --arm fixed-best
    """
    from skillmill.interfaces import exporting  # noqa: PLC0415

    for line in exporting.hypotheses(results, study, arm, variant):
        click.echo(line)
