"""Running the workflow from the command line."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

import skillmill
from skillmill.errors import InputError
from skillmill.interfaces.configured import read_overlay
from skillmill.interfaces.removals import ALLOWED

#: Options after which Snakemake knows how much it may use, or needs nothing.
SIZED = ("--cores", "-c", "--jobs", "-j", "--profile", "--unlock", "--help", "-h")

#: Options with which Snakemake builds nothing, so that there is nothing to remark.
QUIET = (
    "-n",
    "--dry",
    "--unlock",
    "--report",
    "--lint",
    "--list",
    "-l",
    "-h",
    "--help",
)

#: Names the file that a workflow with something to do touches as it starts.
STARTED = "SKILLMILL_STARTED"


def run_workflow(arguments: Sequence[str], *, allow_removals: bool = False) -> int:
    """Run Snakemake with these arguments; its exit code.

    All cores are used unless the arguments say otherwise. A run that had nothing to
    do says so. `allow_removals` lifts `removals.check_removals`.
    """
    arguments = _one_configfile(arguments)
    command = [sys.executable, "-m", "snakemake", *_snakefile(arguments), *arguments]
    if not any(argument.startswith(SIZED) for argument in arguments):
        command += ["--cores", "all"]
    with tempfile.TemporaryDirectory(prefix="skillmill-") as folder:
        mark = Path(folder, "started")
        environment = {**os.environ, STARTED: str(mark)}
        if allow_removals:
            environment[ALLOWED] = "1"
        code = subprocess.run(command, check=False, env=environment).returncode
        worked = mark.exists()
    if code == 0 and not worked and not any(a.startswith(QUIET) for a in arguments):
        click.echo("nothing to do")
    return code


def mark_start() -> None:
    """Tell the `run_workflow` that waits, if one does, that there is work to do."""
    if os.environ.get(STARTED):
        Path(os.environ[STARTED]).touch()


def _one_configfile(arguments: Sequence[str]) -> list[str]:
    """The arguments with all overlays behind one `--configfile`, in their order.

    Snakemake would take the last `--configfile` and drop the ones before.

    Raises
    ------
    InputError
        If an overlay is missing.
    ConfigError
        If one is no YAML with keys.
    """
    overlays: list[str] = []
    rest: list[str] = []
    taking = False
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name in ("--configfile", "--configfiles"):
            taking = not value
            overlays += [value] if value else []
        elif taking and argument.endswith((".yaml", ".yml", ".json")):
            overlays.append(argument)
        else:
            taking = False
            rest.append(argument)
    for overlay in overlays:
        if not Path(overlay).is_file():
            raise InputError(
                f"--configfile: no file at {overlay}; the overlays that ship are in"
                " configs/",
                record=overlay,
            )
        read_overlay(Path(overlay))
    return [*rest, "--configfile", *overlays] if overlays else rest


def _snakefile(arguments: Sequence[str]) -> list[str]:
    """Arguments that name the workflow, unless the caller or the folder does.

    Raises
    ------
    InputError
        If no Snakefile lies here, beside the package or in the arguments.
    """
    if any(argument.startswith(("-s", "--snakefile")) for argument in arguments):
        return []
    places = [Path("Snakefile"), Path(skillmill.__file__).parents[2] / "Snakefile"]
    for place in places:
        if place.is_file():
            return ["--snakefile", str(place)]
    raise InputError(
        f"no Snakefile at {' or '.join(map(str, places))}; run in a checkout of the"
        " workflow or name it with --snakefile"
    )
