"""The command line as a user meets it."""

import resource
import subprocess
import sys

import pytest
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from tests.conftest import REPOSITORY


@pytest.fixture
def library(tmp_path):
    """A folder with one plain skill and one with an unquoted colon."""
    for name, description in (
        ("plain", "Draw charts."),
        ("colon", "Build charts. Use when: the user asks for plots"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        folder.joinpath("SKILL.md").write_text(
            f"---\nname: {name}\ndescription: {description}\n---\nBody.\n"
        )
    return tmp_path


def test_lint_names_file_and_line_and_exits_with_one_u40(library):
    done = CliRunner().invoke(main, ["lint", str(library)])
    assert done.exit_code == 1
    assert "colon/SKILL.md:3: warning:" in done.stdout
    assert "2 found: 1 loaded, 1 with warnings, 0 failed" in done.stderr


def test_lint_of_a_clean_library_exits_with_zero(library):
    (library / "colon" / "SKILL.md").unlink()
    done = CliRunner().invoke(main, ["lint", str(library), "--json"])
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.parametrize("place", ["none", "empty"])
def test_lint_of_nothing_is_one_sentence(tmp_path, place):
    (tmp_path / "empty").mkdir()
    done = CliRunner().invoke(main, ["lint", str(tmp_path / place)])
    assert done.exit_code == 3
    assert done.stderr.startswith("error: ")
    assert str(tmp_path / place) in done.stderr


def test_help_is_fast_and_imports_no_model():
    code = (
        "import sys; from click.testing import CliRunner\n"
        "from skillmill.interfaces.cli import main\n"
        "print(CliRunner().invoke(main, ['--help']).stdout)\n"
        "bad = {'torch', 'spacy', 'numpy', 'scipy'} & sys.modules.keys()\n"
        "sys.exit(f'imports {bad}' if bad else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for verb in ("run", "show", "lint", "records"):
        assert verb in done.stdout


def commands(command=main, path=()):
    """Every command that is not hidden, with its words."""
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))
    if not hasattr(command, "commands") and not command.hidden:
        yield " ".join(path), command


def test_every_command_has_an_example():
    for name, command in commands():
        assert f"Example: skillmill {name}" in command.help, name


#: Commands whose standard output has a format of its own.
FORMATS = {
    "mcp": "the protocol",
    "run": "what Snakemake says",
    "completion": "a script",
    "graph export": "GraphML, JSON or DOT",
    "predictions export": "a JSON object",
    "downstream export": "JSON Lines",
    "downstream alfworld-tasks": "JSON Lines",
    "downstream alfworld-leaves": "a JSON object",
    "queries calibrate": "YAML",
    "export trec": "a TREC file",
    "export longmemeval": "JSON Lines",
}


def test_every_command_prints_rows_on_demand_or_a_documented_format():
    without = {
        name
        for name, command in commands()
        if not any("--json" in option.opts for option in command.params)
    }
    assert without == FORMATS.keys()
    page = (REPOSITORY / "docs" / "serving.md").read_text(encoding="utf-8")
    for name, form in FORMATS.items():
        assert f"| `{name}` | {form} |" in page


def test_help_takes_a_fraction_of_a_second():
    """CPU time: that of a clock tells how busy the machine is. Measured: 0.1 s."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "skillmill", "--help"],
            check=True,
            capture_output=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        )
    assert min(times) < 0.3, times


def test_merging_records_says_what_was_folded(tmp_path):
    import numpy as np

    from skillmill.store.records import VectorRecords, text_key

    with VectorRecords(tmp_path, {"model": "m"}) as recorded:
        recorded.add([text_key("a"), text_key("b")], np.ones((2, 3), dtype=np.float32))
    done = CliRunner().invoke(main, ["records", "merge", "--records", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "2 rows of 1 shards merged; 0 shards are in use,"
        " 0 damaged ones were set aside\n"
    )
    again = CliRunner().invoke(
        main, ["records", "merge", "--records", str(tmp_path), "--json"]
    )
    assert again.stdout == '{"rows": 0, "shards": 0, "left": 0, "damaged": []}\n'
