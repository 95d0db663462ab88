"""Scores: the figures that every table and chart is made from."""

import sqlite3
from collections.abc import Iterable

from skillmill.store.rows import insert
from skillmill.types import QueryScore, Score


def save_scores(db: sqlite3.Connection, scores: Iterable[Score]) -> None:
    """Write scores, in any order.

    Raises
    ------
    StoreError
        If two scores have one place in the table, or a value is not finite.
    """
    rows = [
        (
            s.track,
            s.study,
            s.arm,
            s.split,
            s.category,
            s.metric,
            s.k,
            s.n,
            s.value,
            s.low,
            s.high,
            s.heuristic,
        )
        for s in scores
    ]
    insert(db, "score", sorted(rows, key=lambda row: (row[:6], row[6] or 0)))


def load_scores(
    db: sqlite3.Connection,
    *,
    study: str | None = None,
    arm: str | None = None,
    metric: str | None = None,
    category: str | None = None,
    split: str | None = None,
) -> list[Score]:
    """Read the scores that fit every filter given.

    Sorted by track, study, arm, split, category, metric and k; no cut-off first.
    """
    rows = db.execute(
        "select track, study, arm, split, category, metric, k, n, value, low, high,"
        " heuristic from score"
        " where (?1 is null or study = ?1) and (?2 is null or arm = ?2)"
        " and (?3 is null or metric = ?3) and (?4 is null or category = ?4)"
        " and (?5 is null or split = ?5)"
        " order by track, study, arm, split, category, metric, k",
        (study, arm, metric, category, split),
    )
    return [Score(*(*row[:-1], bool(row[-1]))) for row in rows]


def save_query_scores(db: sqlite3.Connection, scores: Iterable[QueryScore]) -> None:
    """Write the scores of single queries, in any order.

    Raises
    ------
    StoreError
        If two scores have one place in the table, or a value is not finite.
    """
    rows = [(s.arm, s.query, s.metric, s.k, s.value) for s in scores]
    insert(db, "query_score", sorted(rows, key=lambda row: (row[:3], row[3] or 0)))


def load_query_scores(
    db: sqlite3.Connection, *, arm: str | None = None, metric: str | None = None
) -> list[QueryScore]:
    """Read the query scores of one arm and metric, or all.

    Sorted by arm, query, metric and k; no cut-off first.
    """
    rows = db.execute(
        "select arm, query, metric, k, value from query_score"
        " where (?1 is null or arm = ?1) and (?2 is null or metric = ?2)"
        " order by arm, query, metric, k",
        (arm, metric),
    )
    return [QueryScore(*row) for row in rows]
