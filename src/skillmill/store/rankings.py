"""Rankings: what each arm returned for each query, and how its scores came about."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from skillmill.errors import StoreError
from skillmill.store.rows import insert
from skillmill.types import Ranking


class Part(NamedTuple):
    """One part of the score of an item, such as its dense or lexical score."""

    arm: str
    query: str
    item: str
    name: str
    value: float


def save_rankings(db: sqlite3.Connection, rankings: Iterable[Ranking]) -> None:
    """Write rankings, in any order.

    Raises
    ------
    StoreError
        If an arm has two rankings for a query, or items and scores differ in
        length, or a score is not finite.
    """
    ordered = sorted(rankings, key=lambda ranking: (ranking.arm, ranking.query))
    for ranking in ordered:
        if len(ranking.items) != len(ranking.scores):
            raise StoreError(
                f"arm '{ranking.arm}', query '{ranking.query}': expected a score for"
                f" each item, got {len(ranking.scores)} for {len(ranking.items)}",
                record=ranking.query,
            )
    insert(db, "ranking_state", ((r.arm, r.query, r.state, r.reason) for r in ordered))
    insert(
        db,
        "ranking",
        (
            (r.arm, r.query, rank, item, score)
            for r in ordered
            for rank, (item, score) in enumerate(
                zip(r.items, r.scores, strict=True), start=1
            )
        ),
    )


def load_rankings(db: sqlite3.Connection, arm: str | None = None) -> list[Ranking]:
    """Read the rankings of one arm, or all, sorted by arm and query."""
    ranked: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for name, query, item, score in db.execute(
        "select arm, query, item, score from ranking"
        " where ?1 is null or arm = ?1 order by arm, query, rank",
        (arm,),
    ):
        ranked.setdefault((name, query), []).append((item, score))
    states = db.execute(
        "select arm, query, state, reason from ranking_state"
        " where ?1 is null or arm = ?1 order by arm, query",
        (arm,),
    )
    return [
        Ranking(
            arm=name,
            query=query,
            items=tuple(item for item, _ in ranked.get((name, query), ())),
            scores=tuple(score for _, score in ranked.get((name, query), ())),
            state=state,
            reason=reason,
        )
        for name, query, state, reason in states
    ]


def save_parts(
    db: sqlite3.Connection, parts: Iterable[tuple[str, str, str, str, float]]
) -> None:
    """Write (arm, query, item, name, value) rows, in any order.

    Raises
    ------
    StoreError
        If a part comes twice, or its value is not finite.
    """
    insert(db, "part", sorted(parts))


def load_parts(
    db: sqlite3.Connection, arm: str | None = None, query: str | None = None
) -> list[Part]:
    """Read the parts of one arm and query, or all, sorted by every column."""
    rows = db.execute(
        "select arm, query, item, name, value from part"
        " where (?1 is null or arm = ?1) and (?2 is null or query = ?2)"
        " order by arm, query, item, name",
        (arm, query),
    )
    return [Part(*row) for row in rows]
