"""Evolution after a step: what was explored, frontiers, rewards, router, curves."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from skillmill.store.rows import insert


class ExploredRow(NamedTuple):
    """An explored skill, see the table `explored`."""

    position: int
    skill: str
    name: str
    path: str
    markdown: str
    source: str | None
    step: int
    status: str


class EventRow(NamedTuple):
    """Something that happened to an explored skill."""

    skill: int
    position: int
    step: int
    fate: str
    reason: str


class TallyRow(NamedTuple):
    """Rollouts of an explored skill on one split."""

    skill: int
    split: str
    n: int
    total: float


class MemberRow(NamedTuple):
    """A place on a frontier."""

    frontier: str
    position: int
    skill: int


class QueryRow(NamedTuple):
    """A question's number."""

    position: int
    query: str


class RewardRow(NamedTuple):
    """The reward of one rollout; part -1 is validation."""

    part: int
    skill: int
    query: int
    value: float


class RouterRow(NamedTuple):
    """The router's bytes."""

    name: str
    data: bytes


class ChoiceRow(NamedTuple):
    """Which skill a question is routed to."""

    query: int
    skill: int
    probability: float


class RefusalRow(NamedTuple):
    """A candidate that was turned away."""

    position: int
    name: str
    path: str
    reason: str


class CurveRow(NamedTuple):
    """What one step did."""

    step: int
    batch: int
    proposed: int
    refused: int
    retained: int
    entered: int
    deploy_tried: bool
    deploy_accepted: bool
    gain: float | None
    train_oracle: float
    capability_oracle: float
    deploy_oracle: float
    routed: float
    best_single: float
    capability_size: int
    deploy_size: int
    rollouts: int
    reason: str


@dataclass(frozen=True)
class EvolutionRows:
    """All rows of a store of evolution, each kind sorted by its key."""

    explored: tuple[ExploredRow, ...] = ()
    events: tuple[EventRow, ...] = ()
    tallies: tuple[TallyRow, ...] = ()
    members: tuple[MemberRow, ...] = ()
    queries: tuple[QueryRow, ...] = ()
    rewards: tuple[RewardRow, ...] = ()
    router: tuple[RouterRow, ...] = ()
    choices: tuple[ChoiceRow, ...] = ()
    refusals: tuple[RefusalRow, ...] = ()
    curve: tuple[CurveRow, ...] = ()


#: Field of `EvolutionRows` -> its table, and how many columns are its key.
_PLACES: Mapping[str, tuple[str, int]] = {
    "explored": ("explored", 1),
    "events": ("explored_event", 2),
    "tallies": ("explored_tally", 2),
    "members": ("frontier_member", 2),
    "queries": ("evolution_query", 1),
    "rewards": ("reward", 3),
    "router": ("router", 1),
    "choices": ("choice", 1),
    "refusals": ("refusal", 1),
    "curve": ("curve", 1),
}
_KINDS: Mapping[str, Any] = {
    "explored": ExploredRow,
    "events": EventRow,
    "tallies": TallyRow,
    "members": MemberRow,
    "queries": QueryRow,
    "rewards": RewardRow,
    "router": RouterRow,
    "choices": ChoiceRow,
    "refusals": RefusalRow,
    "curve": CurveRow,
}


def save_evolution(db: sqlite3.Connection, rows: EvolutionRows) -> None:
    """Write all rows, in any order.

    Raises
    ------
    StoreError
        If a key comes twice, or a value is out of its range; names the row.
    """
    for field, (table, size) in _PLACES.items():
        given = getattr(rows, field)
        insert(db, table, sorted(given, key=itemgetter(slice(size))))


def load_evolution(db: sqlite3.Connection) -> EvolutionRows:
    """Read all rows, each kind sorted by its key."""
    found: dict[str, Any] = {}
    for field, (table, size) in _PLACES.items():
        order = ", ".join(str(place) for place in range(1, size + 1))
        # Names of tables come from this module, never from data.
        read = db.execute(f"select * from {table} order by {order}")  # noqa: S608
        kind = _KINDS[field]
        found[field] = tuple(kind(*row) for row in read)
    return EvolutionRows(**found)


def load_curve(db: sqlite3.Connection) -> tuple[CurveRow, ...]:
    """Read what each step did, that of the seeds first."""
    return tuple(CurveRow(*row) for row in db.execute("select * from curve order by 1"))
