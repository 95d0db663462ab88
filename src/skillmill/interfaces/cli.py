"""The command line: data on stdout, remarks on stderr, a documented exit code.

Exit codes: 0 done; 1 lint found something; 2 usage or configuration; 3 input;
4 store; 5 model; 6 too many failures; 7 another run is at work. Imports are inside the
commands, so that `--help` is fast.
"""

import errno
import json
from pathlib import Path
from typing import Any

import click

from skillmill.errors import SkillmillError
from skillmill.interfaces import (
    cli_around,
    cli_checks,
    cli_comparing,
    cli_completion,
    cli_downstream,
    cli_evolution,
    cli_households,
    cli_library,
    cli_memory,
    cli_models,
    cli_predictions,
    cli_project,
    cli_run,
    cli_serving,
    cli_trace,
)
from skillmill.interfaces.options import (
    A_STUDY,
    CONFIG,
    JSON,
    RECORDS,
    RESULTS,
    WORDS,
    say,
)

#: What the system says where a disk is full.
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Main(click.Group):
    """Turns an error of skillmill into one line and its exit code."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (as click declares it)
        """Run the command."""
        try:
            return super().invoke(ctx)
        except SkillmillError as error:
            from skillmill.report.visible import visible_text  # noqa: PLC0415

            click.echo(f"error: {visible_text(str(error))}", err=True)
            ctx.exit(error.exit_code)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            click.echo(f"error: {error.strerror}; make room and try again", err=True)
            ctx.exit(1)


@click.group(cls=Main)
@click.version_option(package_name="skillmill")
def main() -> None:
    """Build, measure and use retrieval for agents."""


main.add_command(cli_trace.tree)
main.add_command(cli_trace.trace)
main.add_command(cli_library.lint)
main.add_command(cli_library.queries)
main.add_command(cli_predictions.predictions)
main.add_command(cli_library.edges)
main.add_command(cli_library.calls)
cli_downstream.downstream.add_command(cli_households.alfworld)
cli_downstream.downstream.add_command(cli_households.alfworld_leaves)
cli_downstream.downstream.add_command(cli_households.alfworld_tasks)
main.add_command(cli_downstream.downstream)
for _command in (*cli_project.COMMANDS, *cli_serving.COMMANDS, *cli_around.COMMANDS):
    main.add_command(_command)
main.add_command(cli_comparing.compare)
main.add_command(cli_memory.recall)
main.add_command(cli_memory.export)
main.add_command(cli_memory.convert)
main.add_command(cli_models.replies)
main.add_command(cli_models.estimate)
main.add_command(cli_checks.prefetch)
main.add_command(cli_checks.doctor)
main.add_command(cli_run.run)
main.add_command(cli_run.unlock)
main.add_command(cli_run.why)
main.add_command(cli_completion.completion)


@main.group()
def show() -> None:
    """Print what was built."""


@show.command("scores")
@click.option("--study", help="Name of the study; all when left out.")
@click.option("--track", type=click.Choice(["library", "memory"]))
@click.option("--arm", help="Ranker, retrieval skill or other compared method.")
@click.option("--metric", help="Name of the metric, such as recall.")
@click.option("--category", help="Category of the queries; `all` is the pooled row.")
@click.option("--split", type=click.Choice(["train", "val", "test", "all"]))
@click.option("--k", type=int, help="Cut-off.")
@RESULTS
@JSON
def show_scores(
    study: str | None, results: Path, as_json: bool, **filters: str | int | None
) -> None:
    """Print score rows: a table, or with --json one row a line.

    Example: skillmill show scores --study sample --metric recall --json
    """
    from skillmill.interfaces import show as rows  # noqa: PLC0415

    found = rows.read_scores(results, study, **filters)
    if as_json:
        for row in found:
            click.echo(json.dumps(rows.as_json(row), ensure_ascii=False))
        return
    from skillmill.interfaces.tables import score_table  # noqa: PLC0415

    score_table(found)


@show.command("summary")
@A_STUDY
@RESULTS
@JSON
def show_summary(study: str | None, results: Path, as_json: bool) -> None:
    """Print what a study built, its headline figures and where its page is.

    Example: skillmill show summary --study sample
    """
    from skillmill.interfaces import tables  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415

    meant = study_meant(results, study)
    if as_json:
        tables.print_json(tables.summary_rows(results, meant))
    else:
        tables.summary(results, meant)


@show.command("runs")
@click.option("--run", "run_id", help="Id of one run; all when left out.")
@RECORDS
@JSON
def show_runs(run_id: str | None, records: Path, as_json: bool) -> None:
    """Print the jobs of past runs: time, memory, rows computed and reused, requests.

    Example: skillmill show runs --json
    """
    from skillmill.interfaces.jobs import job_rows  # noqa: PLC0415
    from skillmill.interfaces.tables import print_rows  # noqa: PLC0415

    rows = job_rows(records, run_id)
    if not as_json:
        rows = [{k: v for k, v in row.items() if k != "first_cause"} for row in rows]
    print_rows(rows, as_json)


@show.command("causes", hidden=True)
@click.option("--run", "run_id", required=True)
@RECORDS
def show_causes(run_id: str, records: Path) -> None:
    """Print the first cause of each failed job of a run."""
    from skillmill.interfaces.show import jobs_of  # noqa: PLC0415

    for job in jobs_of(records, run_id):
        if job.state == "failed":
            click.echo(f"error: {job.rule}: {job.first_cause}", err=True)


show.add_command(cli_memory.show_answers)
for _command in cli_around.SHOWN:
    show.add_command(_command)
show.add_command(cli_models.costs)
show.add_command(cli_library.show_graph)
show.add_command(cli_evolution.show_trie)
show.add_command(cli_evolution.show_evolution)


@main.group()
def records() -> None:
    """Look after the record stores."""


@records.command("merge")
@RECORDS
@JSON
def records_merge(records: Path, as_json: bool) -> None:
    """Fold the shards that jobs left behind into one file per kind.

    Example: skillmill records merge
    """
    from skillmill.store.records import merge_records  # noqa: PLC0415

    done = merge_records(records)
    damaged = [str(path) for path in done.damaged]
    say(
        {"rows": done.rows, "shards": done.shards, "left": done.left,
         "damaged": damaged},
        f"{done.rows} rows of {done.shards} shards merged; {done.left} shards are in"
        f" use, {len(damaged)} damaged ones were set aside",
        as_json,
    )  # fmt: skip


@main.command()
@click.argument("question", type=WORDS)
@A_STUDY
@click.option("--skill", default="fixed-best", show_default=True, help="Name or file.")
@click.option("--conversation", help="Whose memory a question in words is about.")
@click.option("--budget", type=click.IntRange(1), default=10, show_default=True)
@CONFIG
@RESULTS
@JSON
def explain(
    question: str,
    study: str | None,
    skill: str,
    conversation: str | None,
    budget: int,
    overlays: tuple[Path, ...],
    results: Path,
    as_json: bool,
) -> None:
    """Show step by step what a retrieval skill finds for a question.

    QUESTION is the id of a question of the study, or a question in words, which the
    study's own encoder reads. A star marks evidence. The step `llm_process` asks the
    model that --configfile gives its role; else it is skipped.

    Example: skillmill explain shelves-and-stars/q3 --study sample --skill fused-clues
    """
    from skillmill.interfaces.explain import explain as explained  # noqa: PLC0415
    from skillmill.interfaces.steering import steered  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.traces import trace_lines, trace_rows  # noqa: PLC0415

    meant = study_meant(results, study)
    with steered("explain", meant, overlays) as (model, _):
        told = explained(results, meant, question, skill, conversation, budget, model)
    if as_json:
        for row in trace_rows(told):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    for line in trace_lines(told):
        click.echo(line)
