"""The documented scores of the stand-ins that need no model are those of today."""

import importlib.util

import pytest

from skillmill.data.chatlog import load_chatlog
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def benchmark():
    path = REPOSITORY / "benchmarks" / "standins.py"
    spec = importlib.util.spec_from_file_location("standins_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page():
    return (REPOSITORY / "docs" / "standins.md").read_text(encoding="utf-8")


def test_the_judge_scores_as_documented(benchmark, page, capsys):
    _, questions, _ = load_chatlog(benchmark.SAMPLE / "conversations.jsonl")
    benchmark.print_judge(questions)
    printed = capsys.readouterr().out
    rows = [row for row in printed.splitlines() if not row.startswith("judge:")]
    assert len(rows) == 9
    for row in rows:
        group, rest = row.split(" n ")
        n, score = rest.split("(unsure")[0].split(maxsplit=1)
        start, end = f"| {group.strip()} |", f"| {n} | {score.strip()} |"
        told = [line for line in page.splitlines() if line.startswith(start)]
        assert any(line.endswith(end) for line in told), row


def test_the_splitter_scores_as_documented(benchmark, page, capsys):
    benchmark.print_splitter()
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  joined clauses  n 300  F1 100  right count 100",
        "  sample tasks    n 12  right count 50  off by one or less 100",
    ]
    assert "| joined clauses | 300 | 100 | 100 | |" in page
    assert "| sample tasks | 12 | | 50 | 100 |" in page


def test_every_rewording_belongs_to_a_question_of_the_sample(benchmark):
    _, questions, _ = load_chatlog(benchmark.SAMPLE / "conversations.jsonl")
    rewordings = benchmark.EXAMPLES["rewordings"]
    assert len(rewordings) == 40
    assert set(rewordings) <= {question.text for question in questions}


def test_a_shifted_answer_differs_from_the_gold_answer(benchmark):
    assert benchmark.shifted("7 May 2024") == "16 May 2024"
    assert benchmark.shifted("from eight to twelve") == "from 9 to twelve"
    assert benchmark.shifted("larch") is None
