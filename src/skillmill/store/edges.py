"""Typed, directed edges between records."""

import sqlite3
from collections.abc import Iterable

from skillmill.store.rows import insert
from skillmill.types import Edge


def save_edges(db: sqlite3.Connection, edges: Iterable[Edge]) -> None:
    """Write edges, in any order.

    Raises
    ------
    StoreError
        If a pair comes twice with one relation and provenance, or joins a record
        to itself.
    """
    rows = ((e.source, e.target, e.relation, e.weight, e.provenance) for e in edges)
    insert(db, "edge", sorted(rows, key=lambda row: (row[0], row[1], row[2], row[4])))


def load_edges(db: sqlite3.Connection, relation: str | None = None) -> list[Edge]:
    """Read the edges of one relation, or all.

    Sorted by source, target, relation and provenance.
    """
    rows = db.execute(
        "select source, target, relation, weight, provenance from edge"
        " where ?1 is null or relation = ?1"
        " order by source, target, relation, provenance",
        (relation,),
    )
    return [Edge(*row) for row in rows]


def load_edges_of(db: sqlite3.Connection, record: str) -> list[Edge]:
    """Read the edges that begin or end at a record, in the order of `load_edges`."""
    rows = db.execute(
        "select source, target, relation, weight, provenance from edge"
        " where source = ?1 union"
        " select source, target, relation, weight, provenance from edge"
        " where target = ?1 order by source, target, relation, provenance",
        (record,),
    )
    return [Edge(*row) for row in rows]
