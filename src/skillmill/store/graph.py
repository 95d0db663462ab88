"""Rows of the typed skill graph and of what is measured on it."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from skillmill.store.rows import insert


class Candidate(NamedTuple):
    """A pair of skills that is worth a look, from the side of the first."""

    skill: str
    candidate: str
    origin: str


class EdgeOrigin(NamedTuple):
    """How the pair of an edge was found."""

    source: str
    target: str
    relation: str
    origin: str


class EdgeFlag(NamedTuple):
    """What a reader of an edge should know."""

    source: str
    target: str
    relation: str
    flag: str
    detail: str


class DroppedEdge(NamedTuple):
    """An edge that was proposed and is not in the graph."""

    source: str
    target: str
    relation: str
    provenance: str
    cause: str
    detail: str


class RejectedEntry(NamedTuple):
    """An entry of a model's reply that cannot be used."""

    skill: str
    position: int
    entry: str
    reason: str


class Structure(NamedTuple):
    """How a layer of edges hangs together."""

    layer: str
    control: str
    draws: int
    nodes: int
    pairs: int
    wired: float
    components: float
    largest: float
    reach_1: float | None
    reach_2: float | None
    reach_3: float | None


class Bound(NamedTuple):
    """How many typed pairs the embedding had joined already."""

    grouping: str
    name: str
    pairs: int
    inside: int
    share: float | None
    low: float | None
    high: float | None


class Census(NamedTuple):
    """Pairs with several relations, and those that contradict themselves."""

    kind: str
    name: str
    pairs: int
    share: float | None


class Miss(NamedTuple):
    """How far what was missed lies from what was found."""

    unit: str
    layer: str
    start: str
    hops: int
    n: float
    share: float | None


class Entry(NamedTuple):
    """Hits of an arm where the entry skill was right, or wrong."""

    arm: str
    entry: str
    k: int
    n: int
    hits: int
    share: float | None
    low: float | None
    high: float | None


class Comparison(NamedTuple):
    """Two arms on the same tasks."""

    first: str
    second: str
    category: str
    k: int
    n: int
    both: int
    only_first: int
    only_second: int
    difference: float
    low: float
    high: float
    p: float


class Cost(NamedTuple):
    """What an agent reads for a task."""

    regime: str
    tasks: int
    rows: float
    characters: float
    tokens: float


class Audit(NamedTuple):
    """A person's verdicts on the edges of one relation."""

    relation: str
    n: int
    correct: int
    plausible: int
    wrong: int
    strict_share: float | None
    strict_low: float | None
    strict_high: float | None
    loose_share: float | None
    loose_low: float | None
    loose_high: float | None


class Ordering(NamedTuple):
    """A share that the question of search against traversal turns on."""

    name: str
    n: int
    hits: int
    share: float | None
    low: float | None
    high: float | None
    note: str


class Inflation(NamedTuple):
    """Hits on tasks that echo their skill, against others."""

    arm: str
    k: int
    n_echo: int
    echo: float | None
    n_plain: int
    plain: float | None
    difference: float | None
    low: float | None
    high: float | None


#: Row -> its table; fields and columns have the same names and order.
TABLES: Mapping[type[tuple[Any, ...]], str] = {
    Candidate: "candidate",
    EdgeOrigin: "edge_origin",
    EdgeFlag: "edge_flag",
    DroppedEdge: "dropped_edge",
    RejectedEntry: "rejected_entry",
    Structure: "structure",
    Bound: "bound",
    Census: "census",
    Miss: "miss",
    Entry: "entry",
    Comparison: "comparison",
    Cost: "cost",
    Audit: "audit",
    Ordering: "ordering",
    Inflation: "inflation",
}

#: Rows that are measured on a graph; the others are the graph itself.
MEASURED: tuple[type[Any], ...] = (
    Structure,
    Bound,
    Census,
    Miss,
    Entry,
    Comparison,
    Cost,
    Audit,
    Ordering,
    Inflation,
)

Row = TypeVar("Row", bound=tuple[Any, ...])


def save_rows(db: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write rows of any of the tables, in any order.

    Raises
    ------
    StoreError
        If a key comes twice, or a value is not finite.
    """
    by_table: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_table.setdefault(TABLES[type(row)], []).append(row)
    for table, members in sorted(by_table.items()):
        # Tuples without null sort by themselves, several times as fast.
        has_null = any(None in row for row in members)
        insert(db, table, sorted(members, key=_order if has_null else None))


def load_rows(db: sqlite3.Connection, kind: type[Row]) -> list[Row]:
    """Read all rows of one kind, sorted by their columns."""
    table, fields = TABLES[kind], kind._fields  # type: ignore[attr-defined]
    order = ", ".join(str(place) for place in range(1, len(fields) + 1))
    # The names come from this module, never from data.
    rows = db.execute(f"select {', '.join(fields)} from {table} order by {order}")  # noqa: S608
    return [kind(*row) for row in rows]


def _order(row: Sequence[Any]) -> tuple[tuple[bool, Any], ...]:
    """Sort key that can compare null with numbers."""
    return tuple((value is None, 0 if value is None else value) for value in row)
