"""Commands that begin a project and feed it."""

import sys
from pathlib import Path

import click

from skillmill.interfaces.options import CONFIG, JSON, say


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("."))
@click.option(
    "--skills",
    type=click.Path(path_type=Path),
    help="Folder of SKILL.md files, at any depth, or a registry file; it stays there.",
)
@click.option(
    "--chats",
    type=click.Path(path_type=Path),
    help="A chat log, or an export that `skillmill convert` reads.",
)
@click.option("--study", help="Name of the study; that of the folder if left out.")
@JSON
def init(
    folder: Path,
    skills: Path | None,
    chats: Path | None,
    study: str | None,
    as_json: bool,
) -> None:
    """Begin a project in FOLDER for your own skills, your own chats, or both.

    Writes skillmill.yaml, which says what each of its keys means, and tells what to do
    next. Nothing that is there is changed.

    Example: skillmill init my-project --skills data/sample/library
    """
    from skillmill.interfaces.project import start_project  # noqa: PLC0415

    started = start_project(folder, skills, chats, study)
    if as_json:
        found, commands = list(started.found), list(started.commands)
        row = {"config": str(started.config), "found": found, "commands": commands}
        say(row, "", as_json=True)
        return
    for line in started.found:
        click.echo(f"found    {line}", err=True)
    click.echo(f"written  {started.config}", err=True)
    click.echo("next:", err=True)
    for command in started.commands:
        click.echo(f"  {command}")


@click.command()
@click.argument("skills", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Take the place of one of that name.")
@click.option("--no-run", is_flag=True, help="Copy only; build later.")
@CONFIG
@JSON
def add(
    skills: tuple[Path, ...],
    replace: bool,
    no_run: bool,
    overlays: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Copy skills into the configured library, and build what that makes stale.

    SKILLS are folders with a SKILL.md. Nothing is ever deleted: to drop a skill, remove
    its folder and run.

    Example: skillmill add ~/downloads/pdf-tools --configfile skillmill.yaml
    """
    from skillmill.interfaces.project import add_skills  # noqa: PLC0415

    for place in add_skills(skills, overlays, replace=replace):
        say({"added": str(place)}, f"added {place}", as_json, remark=True)
    if not no_run:
        from skillmill.interfaces.run import run_workflow  # noqa: PLC0415

        configs = [part for path in overlays for part in ("--configfile", str(path))]
        sys.exit(run_workflow(configs, aside=as_json))


#: In the order of the help.
COMMANDS = (init, add)
