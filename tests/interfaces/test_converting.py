"""A chat program's export becomes a chat log that the loader reads."""

import json

import pytest
from click.testing import CliRunner

from skillmill.data.chatlog import load_chatlog
from skillmill.interfaces.cli import main

CHAT = """\
13/04/2024, 09:15 - Ines: I sowed the first leeks.
13/04/2024, 09:16 - Tom: Mine are on the sill.
14/04/2024, 18:40 - Tom: The frost took half of them.
"""


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "garden.txt"
    path.write_text(CHAT, encoding="utf-8")
    return path


def convert(*arguments):
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


def test_what_is_converted_loads_as_a_memory(export, tmp_path):
    output = tmp_path / "garden.jsonl"
    done = convert(export, "--output", output)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "3 messages, 3 converted, 0 left out" in done.stderr
    [conversation], _, report = load_chatlog(output)
    assert report.failed == 0
    assert conversation.speakers == ("Ines", "Tom")
    assert [len(session.turns) for session in conversation.sessions] == [2, 1]
    assert conversation.sessions[1].started == "2024-04-14T18:40"


def test_without_an_output_the_log_goes_to_standard_output(export):
    done = convert(export, "--pause-hours", "48")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["text"][:4] for row in rows] == ["I so", "Mine", "The "]
    assert {row["session"] for row in rows} == {1}


def test_a_file_that_is_there_is_kept_unless_it_may_be_replaced(export, tmp_path):
    output = tmp_path / "kept.jsonl"
    output.write_text("mine", encoding="utf-8")
    done = convert(export, "--output", output)
    assert (done.exit_code, output.read_text(encoding="utf-8")) == (3, "mine")
    assert "give --overwrite" in done.stderr
    assert convert(export, "--output", output, "--overwrite").exit_code == 0
    assert len(output.read_text(encoding="utf-8").splitlines()) == 3


def test_what_is_no_export_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Buy seeds.", encoding="utf-8")
    done = convert(path)
    assert done.exit_code == 3
    assert "expected a chat export" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_output_that_cannot_be_written_leaves_nothing_behind(export, tmp_path):
    done = convert(export, "--output", tmp_path / "none" / "garden.jsonl")
    assert done.exit_code == 3
    assert "expected to write the chat log" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["garden.txt"]
