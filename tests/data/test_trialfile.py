"""Result files of other runs."""

import json

import pytest

from skillmill.data.trialfile import as_row, load_trials
from skillmill.types import Trial

ROW = {"benchmark": "alfworld", "task": "t1", "method": "hybrid", "backbone": "m"}


def load(tmp_path, *rows):
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return load_trials(path)


def test_a_full_row_and_a_bare_one_are_read_and_written_back(tmp_path):
    full = ROW | {
        "attempt": 2, "state": "success", "reward": 1.0, "stratum": "easy",
        "domain": "heat", "leaves": 1, "steps": 7, "prompt_tokens": 900,
        "completion_tokens": 50, "seconds": 2.5, "usd": 0.01,
    }  # fmt: skip
    bare = ROW | {"attempt": 1, "state": "error", "reason": "docker"}
    trials, report = load(tmp_path, full, bare)
    assert trials == [
        Trial("alfworld", "t1", "hybrid", "m", 2, "success", 1.0, "", "easy", "heat",
              1, 7, 900, 50, 2.5, 0.01),
        Trial("alfworld", "t1", "hybrid", "m", 1, "error", reason="docker"),
    ]  # fmt: skip
    assert [as_row(trial) for trial in trials] == [full, bare]
    assert (report.found, report.loaded) == (2, 2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"state": "won"}, "success, failure, error"),
        ({"task": ""}, "`task`"),
        ({"attempt": 0}, "whole number from 1 in `attempt`"),
        ({"attempt": None}, "`attempt`"),
        ({"steps": 2.5}, "`steps`"),
        ({"leaves": True}, "`leaves`"),
        ({"reward": 1.5}, "from 0 to 1 in `reward`"),
        ({"seconds": -1}, "`seconds`"),
        ({"seconds": "2"}, "`seconds`"),
        ({"domain": 3}, "`domain`"),
    ],
)
def test_a_row_that_is_no_trial_fails_with_its_line_and_field(tmp_path, change, told):
    trials, report = load(tmp_path, ROW | {"state": "failure"} | change)
    assert (trials, report.failed) == ([], 1)
    assert report.problems[0].line == 1
    assert told in report.problems[0].message


def test_the_same_attempt_twice_counts_once_and_unknown_fields_warn(tmp_path):
    row = ROW | {"state": "failure", "mood": "good"}
    trials, report = load(tmp_path, row, ROW | {"state": "success"})
    assert [trial.state for trial in trials] == ["failure"]
    assert (report.warned, report.failed) == (1, 1)
    assert "the same attempt as in line 1" in report.problems[1].message
