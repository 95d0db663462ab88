"""Rows of the typed graph and of its measurements, written and read back."""

import re
import sqlite3
from contextlib import closing

import pytest

from skillmill.errors import StoreError
from skillmill.store import artifact, graph
from skillmill.store.edges import save_edges
from skillmill.store.graph_tables import GRAPH, MEASURED
from skillmill.types import Edge
from tests.store.examples import provenance

TABLES = {re.search(r"create table (\w+)", sql)[1]: sql for sql in (*GRAPH, *MEASURED)}


@pytest.mark.parametrize("kind", graph.TABLES, ids=lambda kind: kind.__name__)
def test_fields_are_the_columns_in_their_order(kind):
    table = graph.TABLES[kind]
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(TABLES[table])
        columns = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
    assert list(kind._fields) == columns


def test_rows_come_back_sorted_with_their_nulls(tmp_path):
    rows = [
        graph.Bound("origin", "b", 0, 0, None, None, None),
        graph.Bound("all", "", 2, 1, 0.5, 0.1, 0.9),
        graph.Ordering("q", 1, 1, 1.0, 0.2, 1.0, "steps"),
    ]
    path = tmp_path / "topology.sqlite"
    with artifact.writing(path, provenance("topology")) as db:
        graph.save_rows(db, rows)
    with artifact.reading(path, "topology") as db:
        assert graph.load_rows(db, graph.Bound) == [rows[1], rows[0]]
        assert graph.load_rows(db, graph.Ordering) == [rows[2]]
        assert graph.load_rows(db, graph.Audit) == []


def test_both_ends_of_an_edge_are_indexed_and_it_is_stored_once(tmp_path):
    path = tmp_path / "edges.sqlite"
    with artifact.writing(path, provenance("skill-graph")) as db:
        save_edges(db, [Edge("a", "b", "requires", None, "llm")])
        graph.save_rows(db, [graph.EdgeFlag("a", "b", "requires", "stale", "b")])
    with artifact.reading(path, "skill-graph") as db:
        assert db.execute("select count(*) from edge").fetchone() == (1,)
        (plan,) = db.execute("explain query plan select * from edge where target = 'b'")
        assert "edge_target" in plan[3]


def test_an_unknown_flag_or_cause_is_refused(tmp_path):
    rows = [
        graph.EdgeFlag("a", "b", "requires", "odd", ""),
        graph.DroppedEdge("a", "b", "requires", "llm", "odd", ""),
        graph.Candidate("a", "a", "similar"),
    ]
    for row in rows:
        with (
            pytest.raises(StoreError, match="constraint"),
            artifact.writing(tmp_path / "e.sqlite", provenance("skill-graph")) as db,
        ):
            graph.save_rows(db, [row])
