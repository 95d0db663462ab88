"""The trial log."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from skillmill.errors import StoreError
from skillmill.store.trials import (
    FILE,
    Kept,
    keep_trials,
    load_trials,
    studies_with_trials,
)
from skillmill.types import Trial

BARE = Trial("alfworld", "t1", "hybrid", "m", 1, "error", reason="endpoint-down")
FULL = Trial(
    "alfworld", "t1", "hybrid", "m", 2, "success", 1.0, "", "easy", "heat", 1, 9,
    1200, 80, 3.25, 0.01,
)  # fmt: skip


def test_trials_come_back_as_they_were_sorted_and_by_study(tmp_path):
    assert load_trials(tmp_path, "s") == []
    assert keep_trials(tmp_path, "s", [FULL, BARE]) == Kept(2, 0, 0)
    keep_trials(tmp_path, "other", [FULL])
    assert load_trials(tmp_path, "s") == [BARE, FULL]
    assert studies_with_trials(tmp_path) == ["other", "s"]


def test_the_same_trial_again_is_known_and_another_is_refused_unless_asked(tmp_path):
    keep_trials(tmp_path, "s", [BARE, FULL])
    changed = replace(FULL, state="failure", reward=0.0)
    assert keep_trials(tmp_path, "s", [BARE]) == Kept(0, 1, 0)
    new = replace(FULL, task="t2")
    with pytest.raises(StoreError, match=r"another trial of task 't1'.*--replace"):
        keep_trials(tmp_path, "s", [new, changed])
    assert load_trials(tmp_path, "s") == [BARE, FULL]  # all or none
    assert keep_trials(tmp_path, "s", [new, changed], replace=True) == Kept(1, 0, 1)
    assert load_trials(tmp_path, "s") == [BARE, changed, new]


@pytest.mark.parametrize(
    "wrong",
    [{"state": "won"}, {"reward": 1.5}, {"attempt": 0}, {"seconds": float("nan")}],
)
def test_a_value_that_does_not_fit_is_refused(tmp_path, wrong):
    with pytest.raises(StoreError):
        keep_trials(tmp_path, "s", [replace(FULL, **wrong)])


def test_a_log_of_another_version_or_a_broken_one_is_refused(tmp_path):
    path = tmp_path / FILE
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma user_version = 9")
    for act in (
        lambda: load_trials(tmp_path, "s"),
        lambda: keep_trials(tmp_path, "s", [BARE]),
    ):
        with pytest.raises(StoreError, match="version 9; move it away"):
            act()
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="expected to read the trial log"):
        load_trials(tmp_path, "s")
