"""Rows of slots, dependencies, query trees and bundles."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from skillmill.store.rows import insert


class SlotRow(NamedTuple):
    """One thing that a skill takes or gives."""

    skill: str
    side: str
    name: str
    kind: str
    source: str


class SchemaState(NamedTuple):
    """Whether anything is known of what a skill takes and gives."""

    skill: str
    state: str
    reason: str


class DependencyRow(NamedTuple):
    """A consumer takes what a producer makes."""

    consumer: str
    producer: str
    weight: float
    source: str


class ServedRow(NamedTuple):
    """Which output serves an input."""

    consumer: str
    producer: str
    input: str
    output: str
    likeness: float


class TreeRow(NamedTuple):
    """The state of a task's tree."""

    task: str
    origin: str
    state: str
    reason: str


class TreeNodeRow(NamedTuple):
    """A node of a task's tree; `inputs` and `outputs` are JSON arrays."""

    task: str
    position: int
    id: str
    parent: str | None
    requirement: str
    inputs: str
    outputs: str
    rationale: str


class TreeRemark(NamedTuple):
    """What was mended in a tree."""

    task: str
    position: int
    remark: str


class BundleRow(NamedTuple):
    """The state of a task's bundle."""

    task: str
    mode: str
    state: str
    reason: str
    tokens: int
    converged: int
    steps: int
    residual: float


class BundleMember(NamedTuple):
    """A skill of a bundle; `leaves`, `path` and `slots` are JSON arrays."""

    task: str
    position: int
    skill: str
    role: str
    rank: int
    score: float
    leaves: str
    path: str
    slots: str
    tokens: int


class BundleNote(NamedTuple):
    """What a reader of a bundle should know."""

    task: str
    kind: str
    position: int
    first: str
    second: str


#: Row -> its table; fields and columns have the same names and order.
TABLES: Mapping[type[tuple[Any, ...]], str] = {
    SlotRow: "slot",
    SchemaState: "schema_state",
    DependencyRow: "dependency",
    ServedRow: "served",
    TreeRow: "tree",
    TreeNodeRow: "tree_node",
    TreeRemark: "tree_remark",
    BundleRow: "bundle",
    BundleMember: "bundle_member",
    BundleNote: "bundle_note",
}

Row = TypeVar("Row", bound=tuple[Any, ...])


def save_trace_rows(db: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write rows of any of the tables, in any order; they are stored sorted by key.

    Raises
    ------
    StoreError
        If a key comes twice, or a value is not finite.
    """
    by_table: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_table.setdefault(TABLES[type(row)], []).append(row)
    for table, members in sorted(by_table.items()):
        # Keys come first and are never null, so nothing behind them is compared.
        insert(db, table, sorted(members))


def load_trace_rows(db: sqlite3.Connection, kind: type[Row]) -> list[Row]:
    """Read all rows of one kind, sorted by their columns."""
    table, fields = TABLES[kind], kind._fields  # type: ignore[attr-defined]
    order = ", ".join(str(place) for place in range(1, len(fields) + 1))
    # The names come from this module, never from data.
    rows = db.execute(f"select {', '.join(fields)} from {table} order by {order}")  # noqa: S608
    return [kind(*row) for row in rows]
