"""What is remembered about endpoints, and when replies were last used.

Both are small and seldom written, so all processes share one file beside the shards.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from skillmill.errors import StoreError
from skillmill.store.connect import connect_shared
from skillmill.store.schema import RECORD_VERSION, create_records

FILE = "reply-notes.sqlite"
KIND = "reply-notes"


def load_abilities(folder: Path, endpoint: str, model: str) -> dict[str, str]:
    """Read what is remembered of a model at an endpoint: name -> value, by name.

    Raises
    ------
    StoreError
        If the notes cannot be read.
    """
    return {
        name: value
        for place, named, name, value, _ in all_abilities(folder)
        if (place, named) == (endpoint, model)
    }


def all_abilities(folder: Path) -> list[tuple[str, str, str, str, str]]:
    """Read all (endpoint, model, name, value, day), sorted; [] if there is no file.

    Raises
    ------
    StoreError
        If the notes cannot be read.
    """
    with _notes(folder) as db:
        if db is None:
            return []
        return db.execute(
            "select endpoint, model, name, value, noted from ability"
            " order by endpoint, model, name"
        ).fetchall()


def save_abilities(
    folder: Path, endpoint: str, model: str, abilities: Mapping[str, str]
) -> None:
    """Note abilities over those noted before; safe with many processes.

    Raises
    ------
    StoreError
        If the notes cannot be written.
    """
    day = _today()
    with _notes(folder, to_write=True) as db:
        if db is not None:
            db.executemany(
                "insert into ability values (?, ?, ?, ?, ?)"
                " on conflict do update set value = excluded.value,"
                " noted = excluded.noted",
                [(endpoint, model, *item, day) for item in sorted(abilities.items())],
            )


def forget_endpoint(folder: Path, endpoint: str, model: str | None = None) -> int:
    """Forget what an endpoint can do (for one model, or all); count the notes.

    The next live call asks for the best again; recorded replies stay in use.

    Raises
    ------
    StoreError
        If the notes cannot be written.
    """
    with _notes(folder, to_write=True) as db:
        if db is None:
            return 0
        return db.execute(
            "delete from ability where endpoint = ?1 and (?2 is null or model = ?2)",
            (endpoint, model),
        ).rowcount


def save_use(folder: Path, keys: Collection[str]) -> None:
    """Note that replies were used today.

    Raises
    ------
    StoreError
        If the notes cannot be written.
    """
    day = _today()
    with _notes(folder, to_write=True) as db:
        if db is not None:
            db.executemany(
                "insert into reply_use values (?, ?)"
                " on conflict do update set day = excluded.day",
                [(key, day) for key in sorted(keys)],
            )


def used_since(folder: Path, day: str) -> list[str]:
    """Keys that were used on an ISO 8601 day or later, sorted.

    Raises
    ------
    StoreError
        If the notes cannot be read.
    """
    with _notes(folder) as db:
        if db is None:
            return []
        rows = db.execute(
            "select key from reply_use where day >= ? order by key", (day,)
        )
        return [key for (key,) in rows]


@contextmanager
def _notes(
    folder: Path, *, to_write: bool = False
) -> Iterator[sqlite3.Connection | None]:
    """Open the notes in one transaction; None if there are none to read."""
    path = Path(folder) / FILE
    if not to_write and not path.exists():
        yield None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(connect_shared(path, "rwc" if to_write else "rw")) as db, db:
            db.execute("begin immediate" if to_write else "begin")
            version = _version(db, path)
            if to_write and version == 0:
                create_records(db, KIND)
            yield db if version or to_write else None
    except (sqlite3.Error, OSError) as error:
        raise StoreError(
            f"{path}: expected the notes on endpoints and replies, got {error}; move"
            " the file away, or set `records` to a folder that can be written, and run"
            " again",
            record=str(path),
        ) from error


def _version(db: sqlite3.Connection, path: Path) -> int:
    """Version of the tables; 0 if there are none yet."""
    version = int(db.execute("pragma user_version").fetchone()[0])
    if version not in (0, RECORD_VERSION):
        raise StoreError(
            f"{path}: expected version {RECORD_VERSION} of the notes on replies, found"
            f" version {version}; move the file away and run again",
            record=str(path),
        )
    return version


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
