"""The command line: data on stdout, remarks on stderr, a documented exit code.

Exit codes: 0 done; 1 lint found something; 2 usage or configuration; 3 input;
4 store; 5 model; 6 too many failures; 7 another run is at work. Imports are inside the
commands, so that `--help` is fast.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillmill.errors import ModelError, SkillmillError
from skillmill.interfaces import (
    cli_comparing,
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
from skillmill.interfaces.options import CONFIG, JSON, RECORDS, RESULTS

if TYPE_CHECKING:
    from skillmill.interfaces.finding import Finding


class Main(click.Group):
    """Turns an error of skillmill into one line and its exit code."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (as click declares it)
        """Run the command."""
        try:
            return super().invoke(ctx)
        except SkillmillError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(error.exit_code)


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
for _command in (*cli_project.COMMANDS, *cli_serving.COMMANDS):
    main.add_command(_command)
main.add_command(cli_comparing.compare)
main.add_command(cli_memory.recall)
main.add_command(cli_memory.export)
main.add_command(cli_memory.convert)
main.add_command(cli_models.replies)
main.add_command(cli_models.estimate)
main.add_command(cli_run.run)
main.add_command(cli_run.unlock)
main.add_command(cli_run.why)


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
@click.option("--study", default="sample", show_default=True)
@RESULTS
def show_summary(study: str, results: Path) -> None:
    """Print what a study built, its headline figures and where its page is.

    Example: skillmill show summary --study sample
    """
    from skillmill.interfaces.tables import summary  # noqa: PLC0415

    summary(results, study)


@show.command("runs")
@click.option("--run", "run_id", help="Id of one run; all when left out.")
@RECORDS
@JSON
def show_runs(run_id: str | None, records: Path, as_json: bool) -> None:
    """Print the jobs of past runs: time, memory, rows computed and reused.

    Example: skillmill show runs --json
    """
    from dataclasses import asdict  # noqa: PLC0415

    from skillmill.interfaces.show import jobs_of  # noqa: PLC0415

    jobs = jobs_of(records, run_id)
    if as_json:
        for job in jobs:
            click.echo(json.dumps(asdict(job), ensure_ascii=False))
        return
    from skillmill.interfaces.tables import job_table  # noqa: PLC0415

    job_table(jobs)


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
for _command in cli_serving.SHOWN:
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
def records_merge(records: Path) -> None:
    """Fold the shards that jobs left behind into one file per kind.

    Example: skillmill records merge
    """
    from skillmill.store.records import merge_records  # noqa: PLC0415

    done = merge_records(records)
    click.echo(
        f"{done.rows} rows of {done.shards} shards merged; {done.left} shards are in"
        f" use, {len(done.damaged)} damaged ones were set aside"
    )


@main.command()
@CONFIG
@JSON
def prefetch(overlays: tuple[Path, ...], as_json: bool) -> None:
    """Check every configured model, and prepare what can be; nothing is downloaded.

    Run it where jobs must not fail later, such as on the login node of a cluster. Exit
    code 5 when a model cannot be used; the line says how to get it.

    Example: skillmill prefetch --configfile configs/locomo.yaml
    """
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.prefetch import check_models  # noqa: PLC0415

    _tell(check_models(read_config(overlays), prepare=True), as_json)


@main.command()
@CONFIG
@click.option("--endpoint", help="Base URL of a chat endpoint to ask, too.")
@click.option("--model", help="Its model.")
@click.option("--key-variable", help="Environment variable with its key.")
@JSON
def doctor(
    overlays: tuple[Path, ...],
    endpoint: str | None,
    model: str | None,
    key_variable: str | None,
    as_json: bool,
) -> None:
    """Check this machine and the configuration, and tell what each role will use.

    Exit code 5 when something would stop a run. An endpoint is asked a handful of
    short questions.

    Example: skillmill doctor --endpoint http://localhost:8000/v1 --model qwen3
    """
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.doctor import ChatEndpoint, diagnose  # noqa: PLC0415

    if bool(endpoint) != bool(model):
        raise click.UsageError("--endpoint and --model go together; give both")
    chat = ChatEndpoint(model, endpoint, key_variable) if endpoint and model else None
    _tell(diagnose(read_config(overlays), chat), as_json)


def _tell(findings: "list[Finding]", as_json: bool) -> None:
    """Print what checks found; exit code 5 if it would stop a run."""
    from dataclasses import asdict  # noqa: PLC0415

    for finding in findings:
        if as_json:
            click.echo(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            click.echo(f"{finding.grade:8}{finding.check}: {finding.message}")
    stopping = sum(finding.grade == "stops" for finding in findings)
    if stopping:
        click.echo(f"{stopping} of {len(findings)} checks would stop a run", err=True)
        sys.exit(ModelError.exit_code)


@main.command()
@click.argument("question")
@click.option("--study", required=True, help="Name of the study.")
@click.option("--skill", default="fixed-best", show_default=True, help="Name or file.")
@click.option("--conversation", help="Whose memory a question in words is about.")
@click.option("--budget", type=click.IntRange(1), default=10, show_default=True)
@CONFIG
@RESULTS
@JSON
def explain(
    question: str,
    study: str,
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
    from skillmill.interfaces.traces import trace_lines, trace_rows  # noqa: PLC0415

    with steered("explain", study, overlays) as (model, _):
        told = explained(results, study, question, skill, conversation, budget, model)
    if as_json:
        for row in trace_rows(told):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    for line in trace_lines(told):
        click.echo(line)
