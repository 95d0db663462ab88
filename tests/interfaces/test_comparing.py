"""`skillmill compare`: two folders of results in, rows out."""

import json

import pytest
from click.testing import CliRunner

from skillmill.interfaces.cli import main
from skillmill.store import artifact, catalogue, scores
from skillmill.types import QueryScore, Task


def build(folder, tasks, values):
    """Stores of a study: tasks by id, and hybrid's recall@5 of each."""
    written = {
        "tasks": lambda db: catalogue.save_tasks(
            db, [Task(name, text, ("s",), ("direct",)) for name, text in tasks.items()]
        ),
        "scores": lambda db: scores.save_query_scores(
            db, [QueryScore(*key, "recall", 5, v) for key, v in values.items()]
        ),
    }
    for kind, write in written.items():
        provenance = artifact.Provenance(kind, folder.name, "0", "c0de")
        path = folder / "library" / f"{kind}.sqlite"
        with artifact.writing(path, provenance) as db:
            write(db)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("compare")
    texts = {"t1": "first", "t2": "second", "t3": "third\x1b[2J\u202e"}
    new = {("hybrid", "t1"): 1.0, ("hybrid", "t2"): 0.5, ("hybrid", "t3"): 1.0}
    old = {("hybrid", "t1"): 0.0, ("hybrid", "t2"): 1.0, ("hybrid", "t3"): 0.0}
    build(root / "results" / "new", texts, new | {("keyword", "t1"): 1.0})
    build(root / "results" / "old", texts, old)
    build(root / "away", texts | {"t2": "another"}, old)
    (root / "results" / "empty").mkdir()
    build(root / "results" / "other", texts, {("late", "t1"): 1.0})
    return root / "results"


def compared(results, *arguments):
    return CliRunner().invoke(
        main, ["compare", *map(str, arguments), "--results", str(results)]
    )


def test_a_row_has_n_both_values_and_the_paired_interval(results):
    done = compared(results, "new", "old", "--json")
    assert done.exit_code == 0, done.output
    (row,) = [json.loads(line) for line in done.stdout.splitlines()]
    ends = row.pop("low"), row.pop("high")
    assert ends[0] < 0.5 <= ends[1]
    assert row == {
        "track": "library", "arm": "hybrid", "metric": "recall", "k": 5,
        "category": "all", "n": 3, "first": 0.833333, "second": 0.333333,
        "difference": 0.5, "higher": 2, "lower": 1,
        "only_first": 0, "only_second": 0, "changed": 0, "unscored": 0,
    }  # fmt: skip
    assert done.stderr == "library: in new alone: keyword\n"


def test_verdicts_of_two_judges_are_not_to_be_compared(tmp_path):
    for name, models in (("one", {}), ("two", {"judge_locomo": "tiny"})):
        folder = tmp_path / name
        build(folder, {"t1": "first"}, {("hybrid", "t1"): 1.0})
        made = artifact.Provenance(
            "scores", name, "0", "c0de", {"judge": "judge_locomo"}, {}, models
        )
        with artifact.writing(folder / "answers" / "scores.sqlite", made) as db:
            scores.save_query_scores(db, [QueryScore("late", "t1", "judge", None, 1.0)])
    told = "judged by the stand-in in one, the model tiny in two: do not compare"
    assert told in compared(tmp_path, "one", "two").stderr
    assert "judged" not in compared(tmp_path, "one", "one").stderr


def test_the_table_is_in_percent_and_hides_no_character(results):
    done = compared(results, "new", "old")
    assert "recall@5  3  83.3   33.3    +50.0 [" in done.stdout
    told = compared(results, "new", "old", "--questions").stdout
    assert "⟨U+001B⟩" in told
    assert not {"\x1b", "\u202e"} & set(told)


def test_a_folder_elsewhere_is_compared_and_other_questions_left_out(results):
    done = compared(results, "new", results.parent / "away", "--json")
    row = json.loads(done.stdout)
    assert (row["n"], row["changed"], row["difference"]) == (2, 1, 1.0)


def test_the_questions_that_changed_are_listed(results):
    done = compared(results, "new", "old", "--questions", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["question"], r["first"], r["second"]) for r in rows] == [
        ("t1", 1.0, 0.0), ("t2", 0.5, 1.0), ("t3", 1.0, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "gone"), "expected the results of a study with scores"),
        (("new", "other"), "have no scored measure in common"),
        (("new", "empty"), "expected the results of a study with scores"),
        (("new", "old", "--metric", "recal"), "did you mean 'recall'?"),
        (("new", "old", "--category", "hard"), "there are: all, direct"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(results, arguments, said):
    done = compared(results, *arguments)
    assert done.exit_code == 3
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
