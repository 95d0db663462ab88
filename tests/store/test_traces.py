"""Rows of trees, dependencies and bundles, written and read back."""

import re
import sqlite3
from contextlib import closing

import pytest

from skillmill.errors import StoreError
from skillmill.store import artifact, trace_tables, traces
from tests.store.examples import HEBREW, provenance

TABLES = {
    re.search(r"create table (\w+)", sql)[1]: sql
    for name, sql in vars(trace_tables).items()
    if name.isupper()
}


@pytest.mark.parametrize("kind", traces.TABLES, ids=lambda kind: kind.__name__)
def test_fields_are_the_columns_in_their_order(kind):
    table = traces.TABLES[kind]
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(TABLES[table])
        columns = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
    assert list(kind._fields) == columns


def test_every_table_has_a_row_type():
    assert sorted(TABLES) == sorted(traces.TABLES.values())


def test_rows_come_back_in_order_with_a_root_that_has_no_parent(tmp_path):
    nodes = [
        traces.TreeNodeRow("t", 1, "a", "r", HEBREW, '["map"]', "[]", "one step"),
        traces.TreeNodeRow("t", 0, "r", None, "all of it", "[]", "[]", ""),
    ]
    state = traces.TreeRow("t", "llm", "ok", "")
    path = tmp_path / "trees.sqlite"
    with artifact.writing(path, provenance("trees")) as db:
        traces.save_trace_rows(db, [*nodes, state])
    with artifact.reading(path, "trees") as db:
        assert traces.load_trace_rows(db, traces.TreeNodeRow) == nodes[::-1]
        assert traces.load_trace_rows(db, traces.TreeRow) == [state]
        assert traces.load_trace_rows(db, traces.TreeRemark) == []


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("slots", traces.SlotRow("a", "middle", "map", "artefact", "llm")),
        ("dependencies", traces.DependencyRow("a", "a", 1.0, "rule")),
        ("trees", traces.TreeRow("t", "guess", "ok", "")),
        ("traces", traces.BundleNote("t", "odd", 0, "", "")),
    ],
)
def test_what_no_column_may_hold_is_refused(tmp_path, kind, row):
    with (
        pytest.raises(StoreError, match="constraint"),
        artifact.writing(tmp_path / "x.sqlite", provenance(kind)) as db,
    ):
        traces.save_trace_rows(db, [row])
