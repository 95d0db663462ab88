"""Commands about language models: recorded replies, costs, estimates."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from skillmill.interfaces.options import CONFIG, JSON, RECORDS, RESULTS, say


@click.group()
def replies() -> None:
    """Look after recorded replies of language models."""


@replies.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--role", default="", help="Replies of one role only.")
@RECORDS
@JSON
def export_replies(file: Path, role: str, records: Path, as_json: bool) -> None:
    """Write recorded replies to FILE, JSON Lines, to carry them elsewhere.

    It holds all prompts and replies, and no keys.

    Example: skillmill replies export replies.jsonl --role emit_edges
    """
    from skillmill.store import reply_transfer  # noqa: PLC0415

    count = reply_transfer.export_replies(records, file, role)
    row = {"replies": count, "file": str(file)}
    say(row, f"{count} replies written to {file}", as_json)


@replies.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@RECORDS
@JSON
def import_replies(file: Path, records: Path, as_json: bool) -> None:
    """Add the replies of FILE, which `skillmill replies export` wrote.

    Import only what you trust: it decides what a replayed run says.

    Example: skillmill replies import replies.jsonl
    """
    from skillmill.store import reply_transfer  # noqa: PLC0415

    done = reply_transfer.import_replies(records, file)
    say(
        {"added": done.added, "known": done.known, "notes": done.notes},
        f"{done.added} replies added, {done.known} were there, {done.notes} notes on"
        " endpoints added",
        as_json,
    )


@replies.command("prune")
@click.option("--old-prompts", is_flag=True, help="Replies to other prompt versions.")
@click.option("--failures", is_flag=True, help="Replies that could not be used.")
@click.option(
    "--unused-days",
    type=click.IntRange(0),
    help="Replies neither made nor used in the last so many days.",
)
@RECORDS
@JSON
def prune_replies(
    old_prompts: bool,
    failures: bool,
    unused_days: int | None,
    records: Path,
    as_json: bool,
) -> None:
    """Delete recorded replies for good; what was paid for is then asked again.

    Example: skillmill replies prune --failures --unused-days 90
    """
    from skillmill.models.prompts import prompt_version, roles  # noqa: PLC0415
    from skillmill.store import reply_upkeep  # noqa: PLC0415

    if not (old_prompts or failures or unused_days is not None):
        raise click.UsageError(
            "say what to delete: --old-prompts, --failures or --unused-days"
        )
    versions = {role: [prompt_version(role)] for role in roles()}
    gone = reply_upkeep.prune_replies(
        records,
        versions=versions if old_prompts else None,
        failures=failures,
        unused_days=unused_days,
    )
    fields = ("old_versions", "failures", "unused", "kept", "left")
    say(
        {name: getattr(gone, name) for name in fields},
        f"{gone.old_versions} replies to other prompts, {gone.failures} failures and"
        f" {gone.unused} unused ones deleted; {gone.kept} kept, {gone.left} files are"
        " in use and were left alone",
        as_json,
    )


@replies.command("stats")
@click.option("--since", default="", help="ISO 8601 day or time, UTC.")
@RECORDS
@JSON
def reply_stats(since: str, records: Path, as_json: bool) -> None:
    """Count recorded replies: tokens, requests, seconds by model, role and stage.

    Example: skillmill replies stats --json
    """
    from skillmill.store import reply_upkeep  # noqa: PLC0415

    _tell(reply_upkeep.reply_counts(records, since), as_json, "no replies are recorded")


@click.command()
@CONFIG
@click.option(
    "--games",
    type=click.Path(path_type=Path),
    help="Games of ALFWorld: the most that playing each once would ask.",
)
@RESULTS
@JSON
def estimate(
    overlays: tuple[Path, ...], games: Path | None, results: Path, as_json: bool
) -> None:
    """Tell what a run would ask of language models and spend; nothing is sent.

    Calls are the questions that are not recorded; retries, repairs and direction checks
    come on top. Reply tokens are the most that `max_tokens` allows. Roles whose
    questions follow from replies are named on standard error, each with the reason.

    Example: skillmill estimate --configfile configs/alfworld.yaml --json
    """
    from skillmill.interfaces import estimate as estimating  # noqa: PLC0415
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415

    config = read_config(overlays)
    why = f"nothing would be asked: models.mode is {config.models.mode!r}"
    if config.models.mode != "off":
        why = "nothing is left to ask that is known beforehand"
    _tell(estimating.estimate(config, results, games), as_json, why)
    for role, reason in estimating.untold(config).items():
        click.echo(f"not estimated: {role}: {reason}", err=True)


@click.command()
@click.option("--run", "run_id", help="Id of one run; all when left out.")
@click.option("--study", help="Name of the study; all when left out.")
@RECORDS
@JSON
def costs(run_id: str | None, study: str | None, records: Path, as_json: bool) -> None:
    """Print what runs spent on language models: tokens and money by role and stage.

    Example: skillmill show costs --json
    """
    from skillmill.interfaces.costs import costs_of  # noqa: PLC0415

    _tell(costs_of(records, run_id, study), as_json, "nothing was asked yet")


def _tell(rows: Iterable[Any], as_json: bool, nothing: str) -> None:
    """Print rows of a dataclass; on stderr, that there are none."""
    found = [asdict(row) for row in rows]
    if not found:
        click.echo(nothing, err=True)
    elif as_json:
        for row in found:
            click.echo(json.dumps(row, ensure_ascii=False))
    else:
        from skillmill.interfaces.tables import row_table  # noqa: PLC0415

        row_table(found)
