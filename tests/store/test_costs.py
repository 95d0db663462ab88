"""The cost log, and the usage in an artifact."""

import sqlite3
from contextlib import closing

import pytest

from skillmill.errors import StoreError
from skillmill.store import artifact
from skillmill.store.artifact import Provenance
from skillmill.store.costs import FILE, CostRow, log_costs, read_costs
from skillmill.store.usage import UsedTokens, load_usage, save_usage

ROW = CostRow("r", "edges", "s", "0", "router", "x", "m", 3, 1, 0, 2, 2, 1, 9, 4, 0.5)
FREE = CostRow("q", "edges", "s", "0", "router", "x", "m", 3, 3, 0, 0, 0, 0, 0, 0, None)


def test_costs_are_read_back_in_order_and_by_run(tmp_path):
    assert read_costs(tmp_path) == []
    log_costs(tmp_path, [ROW])
    log_costs(tmp_path, [FREE, ROW])
    assert read_costs(tmp_path) == [ROW, FREE, ROW]
    assert read_costs(tmp_path, "q") == [FREE]


def test_a_log_of_another_version_or_a_broken_one_is_refused_with_the_way_out(tmp_path):
    path = tmp_path / FILE
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma user_version = 9")
    for act in (lambda: read_costs(tmp_path), lambda: log_costs(tmp_path, [ROW])):
        with pytest.raises(StoreError, match="version 9; move it away"):
            act()
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="expected to read the cost log"):
        read_costs(tmp_path)


def test_usage_is_kept_sorted_in_the_artifact(tmp_path):
    used = [
        UsedTokens("router", stage, "m", 2, 0, 10, n) for n, stage in enumerate("ba")
    ]
    made = Provenance("skill-graph", "s", "0", "c0de", {}, {}, {})
    with artifact.writing(tmp_path / "x.sqlite", made) as db:
        save_usage(db, used)
    with artifact.reading(tmp_path / "x.sqlite", "skill-graph") as db:
        assert load_usage(db) == used[::-1]
