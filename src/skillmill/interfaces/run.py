"""Running the workflow from the command line."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import click

import skillmill
from skillmill.errors import INTERRUPTED, InputError, ModelError
from skillmill.interfaces.configured import read_overlay
from skillmill.interfaces.lockholder import TOKEN
from skillmill.interfaces.place import require_place
from skillmill.interfaces.removals import ALLOWED
from skillmill.interfaces.runlock import claim, only_run, unlock
from skillmill.interfaces.why import Rerun, read_plan

#: Options after which Snakemake knows how much it may use, or needs nothing.
SIZED = ("--cores", "-c", "--jobs", "-j", "--profile", "--unlock", "--help", "-h")

#: Options with which Snakemake builds nothing: nothing to lock or to remark.
QUIET = (
    "-n",
    "--dry",
    "--unlock",
    "--report",
    "--summary",
    "-S",
    "--detailed-summary",
    "-D",
    "--dag",
    "--rulegraph",
    "--filegraph",
    "--version",
    "-v",
    "--lint",
    "--list",
    "-l",
    "-h",
    "--help",
)

#: Options with which Snakemake only tells something, wherever it is.
_TELLING = frozenset({"--version", "-v", "-h", "--help"})

_HOME = Path(skillmill.__file__).parents[2]

#: Names the file that a workflow with something to do touches as it starts.
STARTED = "SKILLMILL_STARTED"


def run_workflow(
    arguments: Sequence[str], *, allow_removals: bool = False, aside: bool = False
) -> int:
    """Run Snakemake with these arguments; its exit code.

    All cores are used unless the arguments say otherwise. A run that had nothing to
    do says so. `allow_removals` lifts `removals.check_removals`; `aside` puts all that
    is said on standard error.

    Raises
    ------
    BusyError
        If another run is at work in the folder, it is not ours to write, or a disk is
        full.
    """
    folder = _working_directory(_options(arguments))
    if "--unlock" in _options(arguments):
        click.echo(unlock(folder), err=aside)
        return 0
    if not _TELLING & {*_options(arguments)}:
        require_place(folder)
    variables = {ALLOWED: "1"} if allow_removals else {}
    if any(argument.startswith(QUIET) for argument in _options(arguments)):
        return _waited_for(_command(arguments), variables, aside)
    folder.mkdir(parents=True, exist_ok=True)
    # Snakemake's own lock would outlive a killed run, and cannot tell that it did.
    command = _command(arguments, "--nolock")
    with (
        only_run(folder) as token,
        tempfile.TemporaryDirectory(prefix="skillmill-") as temporary,
    ):
        mark = Path(temporary, "started")
        variables |= {STARTED: str(mark), TOKEN: token}
        code = _waited_for(command, variables, aside)
        worked = mark.exists()
    if code == 0 and not worked:
        click.echo("nothing to do", err=aside)
    return code


def planned_jobs(arguments: Sequence[str]) -> list[Rerun]:
    """Jobs that `run_workflow` would run with these arguments, and why.

    Raises
    ------
    InputError
        If the workflow cannot be read; Snakemake's words are in the message.
    BusyError
        If the folder is not ours to write, or a disk is full.
    """
    require_place(_working_directory(_options(arguments)))
    done = subprocess.run(
        _command(arguments, "--dry-run"),
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise InputError(
            f"the workflow cannot be read ({' '.join(said[-2:])}); `skillmill run"
            " --dry-run` says more"
        )
    return read_plan(done.stdout + done.stderr)


def _command(arguments: Sequence[str], *more: str) -> list[str]:
    """Snakemake's command line, with `more` options."""
    if find_spec("snakemake") is None:
        raise ModelError(
            "the package 'snakemake' is not installed, which builds; `make run` in a"
            " checkout, or `pip install 'skillmill[workflow]'`, brings it (a library"
            " that was built needs neither to be searched)",
            record="snakemake",
        )
    given = _options(arguments)
    options = _shipped_profile(_one_configfile(given))
    command = [sys.executable, "-m", "snakemake", *_snakefile(options), *options]
    if not any(option.startswith(SIZED) for option in options):
        command += ["--cores", "all"]
    return [*command, *more, *arguments[len(given) :]]


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments before `--`; behind it are targets."""
    return arguments[: [*arguments, "--"].index("--")]


def _waited_for(
    command: Sequence[str], variables: Mapping[str, str], aside: bool
) -> int:
    """Run a command to its end; its exit code, `INTERRUPTED` if it was interrupted.

    An interrupt reaches it from the terminal, and it decides when to end; a request
    to terminate is passed on.
    """
    process = subprocess.Popen(
        command,
        env={**os.environ, **variables},
        stdout=sys.stderr.fileno() if aside else None,
    )
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    interrupted = False
    try:
        while True:
            try:
                code = process.wait()
                break
            except KeyboardInterrupt:
                interrupted = True
    finally:
        signal.signal(signal.SIGTERM, before)
    if not (interrupted and code):
        return code
    click.echo("interrupted; `skillmill run` goes on where this stopped", err=True)
    return INTERRUPTED


def _working_directory(arguments: Sequence[str]) -> Path:
    """The folder that Snakemake will work in."""
    found = "."
    for argument, following in pairwise([*arguments, ""]):
        if argument in ("-d", "--directory"):
            found = following
        elif argument.startswith("--directory="):
            found = argument.partition("=")[2]
    return Path(found).absolute()


def mark_start() -> None:
    """Tell the `run_workflow` that waits, if one does, that there is work to do.

    Without one, Snakemake was started by hand: it takes the lock itself.

    Raises
    ------
    BusyError
        If another run is at work in the folder.
    """
    claim(Path.cwd())
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


def _shipped_profile(arguments: Sequence[str]) -> list[str]:
    """The arguments with `--profile NAME` as a path where NAME is a shipped one.

    A folder of that name here comes first.
    """
    shipped = _HOME / "profiles"
    passed: list[str] = []
    for before, argument in zip(["", *arguments], arguments, strict=False):
        name = argument.removeprefix("--profile=")
        named = before == "--profile" or name != argument
        if named and not Path(name).exists() and (shipped / name).is_dir():
            argument = argument.removesuffix(name) + str(shipped / name)  # noqa: PLW2901
        passed.append(argument)
    return passed


def _snakefile(arguments: Sequence[str]) -> list[str]:
    """Arguments that name the workflow, unless the caller or the folder does.

    Raises
    ------
    InputError
        If no Snakefile lies here, beside the package or in the arguments.
    """
    if any(argument.startswith(("-s", "--snakefile")) for argument in arguments):
        return []
    places = [Path("Snakefile"), _HOME / "Snakefile"]
    for place in places:
        if place.is_file():
            return ["--snakefile", str(place)]
    raise InputError(
        f"no Snakefile at {' or '.join(map(str, places))}: the package alone searches"
        " and serves what was built; to build, run in a checkout of the workflow or"
        " name its Snakefile with --snakefile"
    )
