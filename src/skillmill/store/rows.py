"""The one point where rows enter a table.

NumPy scalars, which SQLite would store as raw bytes, become int and float here;
what cannot be stored is refused with its table, row and column.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal

import numpy as np

from skillmill.errors import StoreError

_PLAIN = frozenset((str, int, bytes, type(None)))


def insert(
    db: sqlite3.Connection,
    table: str,
    rows: Iterable[Sequence[object]],
    *,
    known: Literal["refuse", "keep"] = "refuse",
) -> int:
    """Insert rows, values in the order of the table's columns; count those given.

    A row whose key is in the table is refused, or the one there is kept. The
    caller owns the transaction.

    Raises
    ------
    StoreError
        If a value is not finite or of no type that SQLite has, or a row breaks
        a constraint (a key that is there already); names the row.
    """
    conflict = " on conflict do nothing" if known == "keep" else ""
    given = iter(rows)
    first = next(given, None)
    if first is None:
        return 0
    row, count, is_stored = first, 0, False

    def values() -> Iterator[list[object]]:
        nonlocal row, count, is_stored
        for row in chain([first], given):
            count, is_stored = count + 1, False
            yield [v if type(v) in _PLAIN else plain(v) for v in row]
            is_stored = True

    # The table's name comes from this package, never from data.
    marks = ", ".join("?" * len(first))
    statement = f"insert into {table} values ({marks}){conflict}"  # noqa: S608
    try:
        db.executemany(statement, values())
    except (TypeError, ValueError, OverflowError, sqlite3.IntegrityError) as error:
        if is_stored:  # whoever makes the rows failed at the next; this one is well
            raise
        raise _refused(db, table, count - 1, row, error) from error
    return count


def plain(value: object) -> str | int | float | bytes | None:
    """Turn a value into one of SQLite's five types.

    Raises
    ------
    ValueError
        If a number is not finite.
    TypeError
        If SQLite has no such type.
    """
    if type(value) in _PLAIN:
        return value  # type: ignore[return-value]  # the line above says so
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise ValueError(f"a number must be finite, got {float(value)}")
        return float(value)
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"no column can hold a {type(value).__name__}")


def json_text(value: object) -> str:
    """Write JSON with sorted keys, text as it is; NumPy scalars become numbers.

    Raises
    ------
    TypeError, ValueError
        If JSON has no such type, or a number is not finite.
    """
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, allow_nan=False, default=plain
    )


def json_texts(value: str) -> tuple[str, ...]:
    """Read a column that holds a JSON array of texts."""
    # Most are empty, and a library has five of them a skill.
    return () if value == "[]" else tuple(json.loads(value))


def _refused(
    db: sqlite3.Connection,
    table: str,
    position: int,
    row: Sequence[object],
    error: Exception,
) -> StoreError:
    columns = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
    named = [
        f"{column}={str(value)[:60]!r}"
        for column, value in zip(columns, row, strict=False)
        if not isinstance(value, bytes)
    ]
    record = ", ".join(named[:8])
    return StoreError(
        f"table '{table}', row {position} ({record}): {error}; the store was not"
        " written, mend the row and run again",
        record=record,
    )
