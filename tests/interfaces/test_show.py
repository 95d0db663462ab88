"""The door to every figure."""

import json

import pytest
from click.testing import CliRunner

from skillmill.errors import InputError
from skillmill.interfaces.cli import main
from skillmill.interfaces.show import headline, percent_of, read_scores
from skillmill.interfaces.tables import row_table
from skillmill.store import artifact
from tests.interfaces.conftest import score


def shown(results, *arguments):
    done = CliRunner().invoke(
        main, ["show", "scores", "--results", str(results), "--json", *arguments]
    )
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_row_has_the_documented_fields_in_order(results):
    row = shown(results, "--study", "two")[0]
    assert list(row) == [
        "track", "study", "arm", "split", "category", "metric", "k", "n", "value",
        "low", "high", "heuristic",
    ]  # fmt: skip
    assert (row["value"], row["heuristic"], row["k"]) == (0.5, True, 10)


def test_every_study_is_read_without_arguments(results):
    assert {row["study"] for row in shown(results)} == {"one", "two"}
    assert len(shown(results)) == 6


@pytest.mark.parametrize(
    ("arguments", "n"),
    [
        (["--study", "one"], 4),
        (["--arm", "keyword"], 1),
        (["--metric", "hit"], 1),
        (["--category", "all"], 4),
        (["--category", "temporal"], 1),
        (["--track", "memory"], 2),
        (["--k", "5"], 4),
        (["--split", "test"], 0),
        (["--study", "one", "--metric", "recall", "--category", "all"], 2),
    ],
)
def test_filters_narrow_the_rows(results, arguments, n):
    assert len(shown(results, *arguments)) == n


def test_a_value_that_cannot_be_computed_is_null(results):
    (row,) = shown(results, "--category", "temporal")
    assert (row["value"], row["low"], row["n"]) == (None, None, 0)


def test_an_unknown_study_names_the_ones_there_are(results):
    done = CliRunner().invoke(
        main, ["show", "scores", "--study", "tow", "--results", str(results)]
    )
    assert done.exit_code == 3
    assert "no scores of study 'tow'" in done.stderr
    assert "one, two" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("option", "wrong", "hint"),
    [
        ("--arm", "keywrod", "did you mean 'keyword'? there are: "),
        ("--metric", "accuracy", "no scores of metric 'accuracy'; there are: "),
        ("--category", "temporale", "did you mean 'temporal'?"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(results, option, wrong, hint):
    """An empty table would look as if there were no result."""
    done = CliRunner().invoke(
        main, ["show", "scores", option, wrong, "--results", str(results)]
    )
    assert (done.exit_code, done.stdout) == (3, "")
    assert hint in done.stderr


def test_a_missing_folder_says_what_to_run(tmp_path):
    with pytest.raises(InputError, match="run `make run` or `skillmill run` first"):
        read_scores(tmp_path / "none")


def test_the_table_says_heuristic_and_never_cuts_a_cell(results):
    done = CliRunner().invoke(main, ["show", "scores", "--results", str(results)])
    assert "fused-clues" in done.stdout
    assert "50.0 [25.0, 75.0] (n = 12) heuristic" in done.stdout
    assert "n/a (n = 0)" in done.stdout
    assert "…" not in done.stdout


def test_percent_rounds_half_up_as_the_page_does():
    row = score(value=0.1225, low=0.1, high=0.2)
    assert percent_of(row) == "12.3 [10.0, 20.0] (n = 12)"


def test_the_headline_is_the_pooled_row_of_each_track(results):
    rows = read_scores(results)
    assert [(track, label, row.arm) for track, label, row in headline(rows)] == [
        ("library", "hit@5", "hybrid"),
        ("library", "recall@5", "hybrid"),
        ("library", "recall@5", "keyword"),
        ("memory", "evidence recall@10", "fused-clues"),
    ]


def test_a_summary_of_a_study_without_scores_says_what_was_built(tmp_path, results):
    path = results / "three" / "memory" / "vectors.sqlite"
    with artifact.writing(path, artifact.Provenance("vectors", "three", "0", "c0de")):
        pass
    done = CliRunner().invoke(
        main, ["show", "summary", "--study", "three", "--results", str(results)]
    )
    assert (done.exit_code, done.stdout.split()) == (0, ["study", "three"])


def test_a_summary_prints_the_headline_figures(results):
    done = CliRunner().invoke(
        main, ["show", "summary", "--study", "one", "--results", str(results)]
    )
    assert "library: recall@5, percent [95 % interval]" in done.stdout
    assert "50.0 [25.0, 75.0] (n = 12)" in done.stdout
    as_rows = CliRunner().invoke(
        main, ["show", "summary", "--study", "one", "--results", str(results), "--json"]
    )
    rows = [json.loads(line) for line in as_rows.stdout.splitlines()]
    assert {row["row"] for row in rows} == {"score"}
    assert {(row["label"], row["arm"]) for row in rows} >= {("recall@5", "hybrid")}


def test_no_table_lets_text_steer_the_terminal(capsys):
    row_table([{"skill": "a\x1b[31mb\nc", "note": "x\u202ey", "n": 1234, "none": None}])
    said = capsys.readouterr().out
    assert "a⟨U+001B⟩[31mb⟨U+000A⟩c" in said
    assert "x⟨U+202E⟩y" in said
    assert "1,234" in said
    assert "\x1b" not in said
    assert "\u202e" not in said
