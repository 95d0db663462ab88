"""`skillmill recall`: records with their dates; models are stood in for."""

import json

import pytest
from click.testing import CliRunner

from skillmill.errors import InputError
from skillmill.interfaces.cli import main
from skillmill.interfaces.reading import StandInReader
from skillmill.interfaces.recall import recall, recalled_lines, recalled_rows
from skillmill.models.heuristics.reader import SpanReader
from tests.interfaces.gardens import build


@pytest.fixture
def results(tmp_path):
    build(tmp_path)
    return tmp_path


def test_records_come_best_first_with_their_dates(results):
    found = recall(results, "plot", "garden/q0", "surface-fact")
    assert (found.conversation, found.ranking.arm) == ("garden", "surface-fact")
    assert found.atoms[0].id == "garden/2/0"
    first, second, *_ = recalled_lines(found)
    assert "2024-04-10 09:15" in first
    assert "garden/2/0" in first
    assert second.strip() == "Ines: The shed needs paint"


def test_rows_hold_evidence_and_dates_for_a_machine(results):
    head, *rows = recalled_rows(recall(results, "plot", "garden/q0", budget=2))
    assert head["row"] == "question"
    assert (head["answer"], head["reader"]) == (None, None)
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["days"] == ("2024-04-10",)
    assert rows[0]["turns"]


def test_an_answer_says_that_a_stand_in_gave_it(results, monkeypatch):
    class Silent(SpanReader):
        def read(self, question, evidence):
            return type("Reading", (), {"answer": ""})()

    monkeypatch.setattr("skillmill.interfaces.reading.SpanReader", Silent)
    found = recall(results, "plot", "garden/q0", reader=StandInReader(None))
    *_, last = recalled_lines(found)
    assert last == "answer (heuristic span-reader 1): no answer found"


def test_nothing_found_is_told(results):
    found = recall(results, "plot", "garden/q1", "surface-fact")
    (line, *_) = recalled_lines(found)
    assert found.ranking.state == "ok" or line.startswith(found.ranking.state)


def test_the_command_prints_json_and_refuses_what_is_not_there(results):
    asked = ["recall", "garden/q0", "--study", "plot", "--results", str(results)]
    done = CliRunner().invoke(main, [*asked, "--json"])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0]["text"] == "Does Ines paint the shed?"
    assert rows[1]["date"] == "2024-04-10T09:15"
    plain = CliRunner().invoke(main, asked)
    assert "garden/2/0" in plain.stdout
    with pytest.raises(InputError, match="no memory of study"):
        recall(results, "elsewhere", "garden/q0")
