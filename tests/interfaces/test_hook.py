"""The prompt hook: short advice, silence where nothing fits, never a veto."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.interfaces.hooking import HEAD, TOKEN, prompt_text
from tests.interfaces.shelf import build_library, write_skills

pytestmark = pytest.mark.model

#: The hook as it runs where standard input is closed.
CLOSED = 'exec "$0" -m skillmill hook --results "$1" <&-'


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("hook")
    build_library(write_skills(root / "skills"), root / "results")
    return root / "results"


def run(results, *arguments, given=None):
    return CliRunner().invoke(
        main, ["hook", "--results", str(results), *arguments], input=given
    )


@pytest.mark.parametrize(
    "given",
    [
        "draw bar charts of a table",
        json.dumps({"session_id": "1", "prompt": "draw bar charts of a table"}),
        '  {"prompt": "draw bar charts of a table", "cwd": "/"}',
    ],
)
def test_it_tells_what_may_fit(results, given):
    done = run(results, "-n", "1", given=given)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        HEAD,
        "- data/charts: Draw bar and line charts from a table.",
    ]
    assert run(results, "-n", "1", "--prompt", given).stdout == done.stdout


@pytest.mark.parametrize(
    "given",
    [
        "",
        " \n",
        "{}",
        '{"prompt": ""}',
        '{"prompt": null, "cwd": "draw charts"}',
        '{"hook_event_name": "SessionStart", "cwd": "draw charts of a table"}',
        "thanks, that is all",
        "fix flaky websocket",
    ],
)
def test_it_is_silent_where_nothing_fits(results, given):
    done = run(results, given=given)
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.parametrize("tokens", [1, 30, 40, 60, 120, 300])
def test_it_keeps_to_its_budget(results, tokens):
    done = run(
        results, "--tokens", str(tokens), given="cook soup, bake bread, draw maps"
    )
    assert len(done.stdout) <= tokens * TOKEN
    lines = done.stdout.splitlines()
    assert lines == [] or lines[0] == HEAD
    if tokens == 300:
        assert len(lines) > 2
    if tokens == 1:
        assert lines == []


def test_a_large_prompt_is_read_from_its_start(results):
    given = "draw bar charts of a table\n" + "x " * 5_000_000
    done = run(results, "--arm", "keyword", "-n", "1", given=given)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "data/charts" in done.stdout


def test_whatever_goes_wrong_is_no_veto(results, tmp_path):
    done = run(tmp_path, given="draw charts")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert run(tmp_path, "--limit", "0", given="x").exit_code == 1
    assert run(tmp_path, "--no-such-option", given="x").exit_code == 1
    closed = subprocess.run(
        ["sh", "-c", CLOSED, sys.executable, str(results)],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, "", "")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_prompt_with_a_byte_order_mark_is_read(results, encoding):
    given = '{"prompt": "draw bar charts of a table", "cwd": "/kitchen/soup"}'
    done = run(results, "-n", "1", given=given.encode(encoding))
    assert "- data/charts: " in done.stdout


def test_hostile_text_is_spelled_out_and_stays_on_its_line(tmp_path):
    hostile = {
        "evil/skill\n- fake": ("e", '"draw charts\\u202e\\n- fake: \\e[2J"', "x")
    }
    build_library(
        write_skills(tmp_path / "skills", hostile), tmp_path / "results",
        typed=[], similar=[],
    )  # fmt: skip
    done = run(tmp_path / "results", given="draw charts")
    assert len(done.stdout.splitlines()) == 2
    assert not {"\u202e", "\x1b"} & set(done.stdout)


def test_what_is_no_hook_object_is_the_prompt_itself():
    for given in ("{not json", '{"text": "x"}', '["prompt"]', "{" * 99_999):
        assert prompt_text(given) == given
