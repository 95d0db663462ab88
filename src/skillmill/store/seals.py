"""Seals of recorded rows: a checksum beside each, so that a flipped bit is seen.

A file that was made before there were seals has none; its rows are taken as they are.
"""

import json
import logging
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.store.connect import connect_shared
from skillmill.store.rows import insert
from skillmill.store.shards import explained, rows_in

_log = logging.getLogger(__name__)

_HAS = "select count(*) from sqlite_schema where name = 'seal' and ?1 = ?1"
_SELECT = (
    "select key, crc from seal"
    " where model = ?1 and key in (select value from json_each(?2))"
)


def seal_of(columns: Iterable[object]) -> int:
    """CRC-32 of a row's columns after its key."""
    crc = 0
    for value in columns:
        if isinstance(value, np.generic):
            value = value.item()  # noqa: PLW2901 as it will be read back
        part = value if isinstance(value, bytes) else repr(value).encode()
        crc = zlib.crc32(part + b"\0", crc)
    return crc


def save_seals(
    db: sqlite3.Connection, model: str, rows: Iterable[Sequence[object]]
) -> None:
    """Seal (key, ...) rows of one model; a key that has a seal keeps it."""
    sealed = ((model, row[0], seal_of(row[1:])) for row in rows)
    insert(db, "seal", sealed, known="keep")


def without_rotten(
    path: Path, table: str, model: str, rows: list[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """The (key, ...) rows of one shard whose seal is whole, or that have none.

    The others are logged and deleted from the shard, so that they are computed again.

    Raises
    ------
    StoreError
        If the shard cannot be read or written.
    """
    if not rows or not (rows_in(path, _HAS, ("",)) or [(0,)])[0][0]:
        return rows
    keys = json.dumps([row[0] for row in rows])
    seals = dict(rows_in(path, _SELECT, (model, keys)) or ())
    rotten = {
        row[0]
        for row in rows
        if seals.get(row[0], seal_of(row[1:])) != seal_of(row[1:])
    }
    if rotten:
        _log.warning(
            "%s: %d of %d rows are not what was recorded (the first: %s); they are"
            " dropped and computed again, look after the disk",
            path, len(rotten), len(rows), min(rotten),
        )  # fmt: skip
        _drop(path, table, model, rotten)
    return [row for row in rows if row[0] not in rotten]


def _drop(path: Path, table: str, model: str, keys: Iterable[str]) -> None:
    with explained(path), closing(connect_shared(path)) as db, db:
        db.execute("begin immediate")
        for place in (table, "seal"):
            db.executemany(
                f"delete from {place} where model = ? and key = ?",  # noqa: S608
                [(model, key) for key in keys],
            )


def copy_seals(db: sqlite3.Connection, table: str, statement: str) -> None:
    """Take over the seals of the attached `shard` for rows that `main` lacks.

    `statement` makes the table where `main` is of before there were seals.
    """
    for schema in ("shard", "main"):
        found = db.execute(
            f"select count(*) from {schema}.sqlite_schema where name = 'seal'"  # noqa: S608
        ).fetchone()
        if not found[0] and schema == "shard":
            return
        if not found[0]:
            db.execute(statement)
    db.execute(
        "insert into main.seal select s.model, s.key, s.crc from shard.seal as s"  # noqa: S608
        f" where not exists (select 1 from main.{table} as r"
        " where r.model = s.model and r.key = s.key)"
        " order by s.model, s.key on conflict do nothing"
    )
