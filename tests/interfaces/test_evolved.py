import json

import pytest
from click.testing import CliRunner

from skillmill.errors import InputError
from skillmill.evolve.storing import rows_of
from skillmill.interfaces.cli import main
from skillmill.interfaces.evolved import explored_of, state_path, trie_lines
from skillmill.store import artifact, evolution
from tests.evolve.test_step import OURS, evolved


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The stores of a short run."""
    root = tmp_path_factory.mktemp("results")
    folder = root / "study" / "evolution" / "default" / "run-0"
    for step, state in enumerate(evolved(OURS, steps=2)):
        provenance = artifact.Provenance("evolution", "study", "1", "code")
        with artifact.writing(folder / f"step-{step}.sqlite", provenance) as db:
            evolution.save_evolution(db, rows_of(state))
    return root


def test_the_last_step_is_shown_unless_another_is_named(results):
    assert state_path(results, "study", "default", 0, None).name == "step-2.sqlite"
    assert state_path(results, "study", "default", 0, 1).name == "step-1.sqlite"
    with pytest.raises(InputError, match=r"run 7 below .* default, run-0"):
        state_path(results, "study", "default", 7, None)
    with pytest.raises(InputError, match="none yet, run `skillmill run"):
        state_path(results, "other", "default", 0, None)


def test_the_trie_has_each_shared_prefix_once_and_each_skill_where_it_ends(results):
    path = state_path(results, "study", "default", 0, None)
    lines = list(trie_lines(path))
    rows = explored_of(path)
    assert lines[0] == "dense_search"
    assert lines.count("dense_search") == 1
    ends = [line for line in lines if "(" in line]
    assert len(ends) == len(rows) == 3 + 6 + 6
    seed = next(line for line in lines if " d (seed" in line)
    row = next(row for row in rows if row["name"] == "d")
    assert f"val {row['val']:.3f} of 9" in seed
    for line in ends:
        depth = (len(line) - len(line.lstrip())) // 2
        assert depth >= 1


def test_the_commands_print_tables_and_json(results):
    def said(*arguments):
        shared = ["--study", "study", "--results", str(results)]
        done = CliRunner().invoke(main, ["show", *arguments, *shared])
        assert done.exit_code == 0, done.output
        return done.output

    assert "dense_search" in said("trie")
    rows = [json.loads(line) for line in said("trie", "--json").splitlines()]
    assert {row["status"] for row in rows} <= {
        "both", "capability", "deploy", "displaced", "rejected",
    }  # fmt: skip
    curve = [json.loads(line) for line in said("evolution", "--json").splitlines()]
    assert [row["step"] for row in curve] == [-1, 0, 1]
    assert "capability_oracle" in said("evolution")
    done = CliRunner().invoke(main, ["show", "trie", "--results", str(results)])
    assert done.stdout == said("trie")
    wrong = ["show", "trie", "--study", "other", "--results", str(results)]
    assert CliRunner().invoke(main, wrong).exit_code == 3
