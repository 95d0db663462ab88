"""Commands that take a task apart and bundle skills for it."""

import json
import sys
from pathlib import Path

import click

from skillmill.interfaces.options import A_STUDY, CONFIG, JSON, RESULTS, WORDS


@click.command()
@click.argument("task", type=WORDS)
@A_STUDY
@CONFIG
@RESULTS
@JSON
def tree(
    task: str,
    study: str | None,
    overlays: tuple[Path, ...],
    results: Path,
    as_json: bool,
) -> None:
    """Print a task taken apart into steps for single skills.

    TASK is the id of a task of the study, or a task in words. Exit code 1 when it has
    no tree.

    Example: skillmill tree "Convert the scans to text and sort them by date."
    """
    from dataclasses import asdict  # noqa: PLC0415

    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.tracing import tree_of  # noqa: PLC0415
    from skillmill.report.visible import visible_line, visible_text  # noqa: PLC0415

    # A task in words needs no study at all.
    meant = study_meant(results, study, needed=False)
    found = tree_of(results, meant, task, read_config(overlays))
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        for line in found.lines():
            click.echo(visible_text(line))
        for remark in found.remarks:
            click.echo(visible_line(remark), err=True)
        if found.origin == "heuristic":
            click.echo("heuristic: by clauses and list items, no model", err=True)
    if found.state != "ok":
        click.echo(f"{found.state}: {found.reason}", err=True)
        sys.exit(1)


@click.command()
@click.argument("task", type=WORDS)
@A_STUDY
@click.option("--bodies/--no-bodies", default=True, help="Whether the skills follow.")
@CONFIG
@RESULTS
@JSON
def trace(
    task: str,
    study: str | None,
    bodies: bool,
    overlays: tuple[Path, ...],
    results: Path,
    as_json: bool,
) -> None:
    """Print the skills for a task in a runnable order, and why each is in.

    TASK is the id of a task of the study, or a task in words. Exit code 1 when there
    is no skill for it.

    Example: skillmill trace yearbook --study sample --no-bodies
    """
    from skillmill.interfaces.configured import read_config  # noqa: PLC0415
    from skillmill.interfaces.studies import study_meant  # noqa: PLC0415
    from skillmill.interfaces.tracing import bundle_for  # noqa: PLC0415
    from skillmill.library.bundle import as_json as bundle_values  # noqa: PLC0415
    from skillmill.library.bundle import as_text  # noqa: PLC0415
    from skillmill.report.visible import visible_text  # noqa: PLC0415

    config = read_config(overlays)
    bundle, skills = bundle_for(results, study_meant(results, study), task, config)
    if as_json:
        click.echo(json.dumps(bundle_values(bundle), ensure_ascii=False))
    else:
        cap = config.library.trace.skill_tokens
        told = as_text(bundle, skills, bodies=bodies, cap=cap)
        click.echo(visible_text(told), nl=False)
    if bundle.state != "ok":
        sys.exit(1)
