"""Commands that run the workflow, or tell about it."""

import json
import sys
from pathlib import Path

import click

from skillmill.interfaces.options import JSON, say

PASSED_ON = {"ignore_unknown_options": True, "help_option_names": ["-h"]}


class PassedOn(click.Command):
    """A command that hands on a `--` and what follows, which click would take out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; those from `--` on are Snakemake's as they are."""
        end = args.index("--") if "--" in args else len(args)
        mine, kept = args[:end], tuple(args[end:])
        rest = super().parse_args(ctx, mine)
        ctx.params["snakemake_arguments"] += kept
        return rest


@click.command(cls=PassedOn, context_settings=PASSED_ON)
@click.argument("snakemake_arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--allow-removals", is_flag=True, help="Build even if most skills are gone."
)
def run(snakemake_arguments: tuple[str, ...], allow_removals: bool) -> None:
    """Build what is out of date; further arguments go to Snakemake.

    Targets follow `--` where an option before would take them for its own. A run that
    was killed is continued. Only one runs in a folder at a time: exit code 7 when
    another does.

    Example: skillmill run --configfile configs/alfworld.yaml --dry-run
    """
    from skillmill.interfaces.run import run_workflow  # noqa: PLC0415

    sys.exit(run_workflow(list(snakemake_arguments), allow_removals=allow_removals))


@click.command(cls=PassedOn, context_settings=PASSED_ON)
@JSON
@click.argument("snakemake_arguments", nargs=-1, type=click.UNPROCESSED)
def why(snakemake_arguments: tuple[str, ...], as_json: bool) -> None:
    """Tell what `skillmill run` would do now, and why; further arguments as there.

    Example: skillmill why --configfile configs/alfworld.yaml
    """
    from skillmill.interfaces.run import planned_jobs  # noqa: PLC0415
    from skillmill.interfaces.why import plan_lines, plan_rows  # noqa: PLC0415

    jobs = planned_jobs(list(snakemake_arguments))
    if as_json:
        for row in plan_rows(jobs):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    for line in plan_lines(jobs):
        click.echo(line)


@click.command()
@click.option(
    "--directory",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="Working directory of the run; here when left out.",
)
@click.option("--force", is_flag=True, help="The lock's host cannot be seen from here.")
@JSON
def unlock(directory: Path, force: bool, as_json: bool) -> None:
    """Drop the locks that a dead run left in its working directory.

    Seldom needed: `skillmill run` sees by itself that a run on this host is dead. The
    lock of a living process is never broken (exit code 7).

    Example: skillmill unlock
    """
    from skillmill.interfaces.runlock import unlock as unlocked  # noqa: PLC0415

    done = unlocked(directory.absolute(), force=force)
    say({"done": done}, done, as_json)
