"""What holds for the whole command line: exit codes, rows, colours, completion."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from skillmill import errors
from skillmill.interfaces import tracing
from skillmill.interfaces.cli import main
from skillmill.library.bundle import Bundle, Member
from tests.conftest import REPOSITORY
from tests.interfaces.shelf import EDGES, SHELF, SIMILAR, build_library, write_skills
from tests.library.skills import skill

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("line")
    build_library(write_skills(root / "skills"), root / "results")
    return root / "results"


def rows(results, *arguments):
    done = CliRunner().invoke(main, [*arguments, "--results", str(results), "--json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_exit_code_of_an_error_is_documented():
    page = (REPOSITORY / "docs" / "serving.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"^\| (\d) \|", page, re.M)}
    known = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.SkillmillError)
    }
    assert known <= told
    assert told - known <= {0, 2, 7}
    for code in told:
        assert re.search(rf"\b{code}\b", sys.modules[main.callback.__module__].__doc__)


def test_the_catalogue_and_the_edges_are_rows(results):
    skills = rows(results, "show", "catalogue")
    assert [row["skill"] for row in skills] == sorted(SHELF)
    assert skills[0]["description"] == SHELF["data/charts"][1]
    assert len(rows(results, "show", "edges")) == len(EDGES) + len(SIMILAR)
    only = rows(results, "show", "edges", "--relation", "requires")
    assert only == [
        {"source": "data/charts", "target": "data/clean", "relation": "requires",
         "weight": None, "provenance": "curated"}
    ]  # fmt: skip


def skillmill(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", "skillmill", *map(str, arguments)],
        capture_output=True, text=True, check=False, env={**os.environ, **variables},
    )  # fmt: skip


def test_words_that_are_no_utf_8_are_asked_and_told_as_utf_8_u37(results):
    done = subprocess.run(
        [sys.executable, "-m", "skillmill", "search", b"draw charts caf\xe9", "--json",
         "--arm", "keyword", "-n", "1", "--results", str(results)],
        capture_output=True, check=True,
    )  # fmt: skip
    asked, hit = map(json.loads, done.stdout.decode().splitlines())
    assert asked["text"] == "draw charts caf\ufffd"
    assert hit["skill"] == "data/charts"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_a_full_disk_is_one_sentence(results):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "skillmill", "show", "catalogue", "--results",
             str(results)],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "make room and try again" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_colour_reaches_a_pipe_or_one_who_wants_none(results):
    for variables in (
        {},
        {"NO_COLOR": "1", "FORCE_COLOR": ""},
        {"TERM": "xterm-256color"},
    ):
        done = skillmill("show", "catalogue", "--results", results, **variables)
        assert done.returncode == 0
        assert "data/charts" in done.stdout
        assert "\x1b" not in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_completion(shell):
    done = skillmill("completion", shell)
    assert done.returncode == 0, done.stderr
    assert f"_SKILLMILL_COMPLETE={shell}_complete" in done.stdout
    if shutil.which(shell):
        checked = subprocess.run(
            [shell, "-n"], input=done.stdout, text=True, check=False
        )
        assert checked.returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on the path")
def test_bash_completes_commands_and_options(tmp_path):
    program = tmp_path / "skillmill"
    program.write_text(
        "#!/bin/sh\n"
        f"exec {shlex.quote(sys.executable)} -c 'from skillmill.interfaces.cli import"
        ' main; main(prog_name="skillmill")\' "$@"\n'
    )
    program.chmod(0o755)
    script = """
        eval "$(skillmill completion bash)"
        for line in "skillmill nei" "skillmill show sco" "skillmill search --ex"; do
            COMPREPLY=() COMP_WORDS=($line) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _skillmill_completion skillmill
            echo "${COMPREPLY[@]}"
        done
    """
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert done.stdout.split() == ["neighbours", "scores", "--explain"], done.stderr


def test_a_bundle_shows_text_of_skills_without_steering_the_terminal_u53(
    results, monkeypatch
):
    hostile = skill("a", "Sums.", body="Add\x1b[2J it\u202e up.")
    bundle = Bundle("task", "additive", (Member("a", "primary", 1, 0.5, ("sum",)),))
    monkeypatch.setattr(tracing, "bundle_for", lambda *_: (bundle, {"a": hostile}))
    done = CliRunner().invoke(main, ["trace", "sum", "--results", str(results)])
    assert done.exit_code == 0, done.output
    assert "Add⟨U+001B⟩[2J it⟨U+202E⟩ up.\n" in done.output
