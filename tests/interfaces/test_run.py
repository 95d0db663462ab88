"""Arguments on their way to Snakemake."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from skillmill.errors import BusyError, ConfigError, InputError, ModelError
from skillmill.interfaces import cli_run
from skillmill.interfaces import run as running
from skillmill.interfaces.run import (
    _HOME,
    _command,
    _one_configfile,
    _shipped_profile,
    _working_directory,
)

SLURM = str(_HOME / "profiles" / "slurm")


@pytest.fixture
def overlays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("seed: 1\n")


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["--cores", "2"], ["--cores", "2"]),
        (
            ["--configfile", "a.yaml", "--cores", "1", "--configfile", "b.yaml"],
            ["--cores", "1", "--configfile", "a.yaml", "b.yaml"],
        ),
        (
            ["--configfile=a.yaml", "--configfile", "b.yaml", "library"],
            ["library", "--configfile", "a.yaml", "b.yaml"],
        ),
        (
            ["--configfile", "a.yaml", "b.yaml", "-n"],
            ["-n", "--configfile", "a.yaml", "b.yaml"],
        ),
    ],
)
def test_no_overlay_drops_another(overlays, given, passed):
    assert _one_configfile(given) == passed


def test_targets_behind_two_dashes_stay_behind_every_option(overlays):
    """`--forcerun` takes all words up to the next option, also a target."""
    given = ["--configfile", "a.yaml", "--forcerun", "tasks", "--", "x.yaml", "-y"]
    told = cli_run.run.make_context("run", [*given, "--", "--allow-removals"]).params
    assert told["allow_removals"] is False
    assert told["snakemake_arguments"] == (*given, "--", "--allow-removals")
    command = _command(given, "--nolock")
    assert command[-4:] == ["--nolock", "--", "x.yaml", "-y"]
    assert command[command.index("--forcerun") :][:4] == [
        "--forcerun", "tasks", "--configfile", "a.yaml",
    ]  # fmt: skip


def test_our_own_options_are_ours_wherever_they_stand_before_the_dashes():
    for given in (["--allow-removals", "-n"], ["-n", "--allow-removals", "--", "t"]):
        told = cli_run.run.make_context("run", list(given)).params
        assert told["allow_removals"] is True
    told = cli_run.why.make_context("why", ["--json", "--", "library"]).params
    assert told == {"as_json": True, "snakemake_arguments": ("--", "library")}


def test_the_package_without_the_workflow_says_how_to_build(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "_HOME", tmp_path / "site-packages")
    with pytest.raises(InputError, match="run in a checkout of the workflow or"):
        _command(["--dry-run"])
    monkeypatch.setitem(sys.modules, "snakemake", None)
    with pytest.raises(ModelError, match=r"skillmill\[workflow\]"):
        _command(["--dry-run"])


def test_a_missing_overlay_is_one_sentence(overlays):
    with pytest.raises(InputError, match=r"no file at c\.yaml"):
        _one_configfile(["--configfile", "a.yaml", "c.yaml"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"a\.yaml, line 1: expected keys and values, got none"),
        (b"# seed: 1\n", r"a\.yaml, line 1: expected keys and values, got none"),
        (b"- a\n", r"a\.yaml, line 1: expected keys and values, got a list"),
        (
            b"models: {}\nseed: 1\nmodels: {}\n",
            r"line 3: .* 'models' again after line 1",
        ),
        (b"models: {mode: live, mode: off}\n", r"a\.yaml, line 1: .* 'mode' again"),
        (b"seed: 1\nlibrary: [a\nmemory: b\n", r"a\.yaml, line 3: this is no YAML: "),
        (b"seed: 1\nx: \xff\n", r"a\.yaml, line 2: this is no YAML: bytes that are no"),
    ],
)
def test_an_overlay_that_is_none_is_named_with_its_line(overlays, content, message):
    with open("a.yaml", "wb") as file:
        file.write(content)
    with pytest.raises(ConfigError, match=message):
        _one_configfile(["--configfile", "a.yaml", "b.yaml"])


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["--profile", "slurm"], ["--profile", SLURM]),
        (["--profile=slurm", "-n"], [f"--profile={SLURM}", "-n"]),
        (["--profile", "mine"], ["--profile", "mine"]),
        (["slurm"], ["slurm"]),
    ],
)
def test_a_shipped_profile_is_found_by_its_name(tmp_path, monkeypatch, given, passed):
    monkeypatch.chdir(tmp_path)
    assert _shipped_profile(given) == passed


def test_a_profile_here_comes_before_the_shipped_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slurm").mkdir()
    assert _shipped_profile(["--profile", "slurm"]) == ["--profile", "slurm"]


@pytest.mark.parametrize(
    "given", [["-d", "w"], ["--directory", "w"], ["--directory=w"]]
)
def test_the_lock_lies_where_snakemake_works(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    assert _working_directory([*given, "-n"]) == tmp_path / "w"
    assert _working_directory(["-n"]) == _working_directory([]) == tmp_path


@pytest.mark.parametrize(("code", "told"), [(1, 130), (0, 0)])
def test_an_interrupted_run_says_how_to_go_on(code, told, monkeypatch, capsys):
    """Python's child has its own interrupt and decides how it ends."""

    class Interrupted(subprocess.Popen):
        def wait(self, timeout=None):
            if not vars(self).setdefault("was_interrupted", False):
                self.was_interrupted = True
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    ends = [sys.executable, "-c", f"raise SystemExit({code})"]
    assert running._waited_for(ends, {}, aside=False) == told
    assert ("`skillmill run` goes on" in capsys.readouterr().err) == bool(code)


def test_a_folder_of_another_user_is_named_before_snakemake_begins(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake" / "iocache").mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "iocache")
    for begin in (running.run_workflow, running.planned_jobs):
        with pytest.raises(BusyError, match="iocache: expected a folder that can be"):
            begin(["-n"])


def test_a_full_disk_is_named_before_snakemake_begins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    full = tmp_path / "full"
    full.mkdir()
    monkeypatch.setenv("TMPDIR", str(full))
    room = {str(full): 2**20, str(tmp_path): 2**30}
    monkeypatch.setattr(
        shutil, "disk_usage", lambda place: SimpleNamespace(free=room[str(place)])
    )
    with pytest.raises(BusyError, match=r"full: .* 10 MB .*, found 1\.0; .* TMPDIR"):
        running.planned_jobs([])
    room[str(tmp_path)] = 0
    with pytest.raises(BusyError, match=r"found 0\.0; free some, or work on another"):
        running.run_workflow([])
