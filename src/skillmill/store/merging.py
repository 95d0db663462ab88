"""Fold the shards of record stores into their main file."""

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skillmill.errors import StoreError
from skillmill.store.connect import connect_shared
from skillmill.store.memory_tables import SEAL
from skillmill.store.seals import copy_seals
from skillmill.store.shards import (
    MAIN,
    NEW,
    DamagedShardError,
    damaged,
    explained,
    is_settled,
    set_aside,
    shards_in,
    start,
    version_of,
)


@dataclass(frozen=True, slots=True)
class MergeCounts:
    """What a merge did.

    `shards` were folded in and `rows` of them were new, `left` shards belong to
    processes that may live, `damaged` were set aside. `busy` tells that another
    process was merging some store, which then was left alone.
    """

    shards: int = 0
    rows: int = 0
    left: int = 0
    damaged: tuple[Path, ...] = ()
    busy: bool = False

    def __add__(self, other: "MergeCounts") -> "MergeCounts":
        return MergeCounts(
            self.shards + other.shards,
            self.rows + other.rows,
            self.left + other.left,
            self.damaged + other.damaged,
            self.busy or other.busy,
        )


class RecordStore(NamedTuple):
    """A record store: its kind, and how rows of a shard get into its main file.

    `table` is that of its rows where they are sealed.
    """

    kind: str
    copy: str
    table: str = ""


_COPY_MODELS = (
    "insert into main.model select hash, identity from shard.model"
    " where true order by hash on conflict do nothing"
)

#: Folder below the records -> the store in it.
STORES: Mapping[str, RecordStore] = {
    "vectors": RecordStore(
        "vector-records",
        "insert into main.vector_record"
        " select model, key, dim, dtype, data from shard.vector_record"
        " where true order by model, key on conflict do nothing",
        "vector_record",
    ),
    "tokens": RecordStore(
        "token-records",
        "insert into main.token_record"
        " select model, key, pieces, dim, dtype, data from shard.token_record"
        " where true order by model, key on conflict do nothing",
        "token_record",
    ),
    "rollouts": RecordStore(
        "rollout-records",
        "insert into main.rollout_record select * from shard.rollout_record"
        " where true order by model, key on conflict do nothing",
        "rollout_record",
    ),
    "tags": RecordStore(
        "tag-records",
        "insert into main.tag_record select model, key, value from shard.tag_record"
        " where true order by model, key on conflict do nothing",
        "tag_record",
    ),
    "replies": RecordStore(
        "reply-records",
        "insert into main.reply select * from shard.reply"
        " where true order by key, id on conflict do nothing",
    ),
}


def merge_records(folder: Path) -> MergeCounts:
    """Fold closed shards, and those of dead processes of this host, into one file.

    Each shard is taken over whole and then deleted, or left as it is; readers and
    writers may go on. A second merge at the same time does nothing.

    Raises
    ------
    StoreError
        If a file cannot be written, or is of another version.
    """
    folder = Path(folder)
    if folder.name in STORES and shards_in(folder):
        raise StoreError(
            f"{folder}: expected the folder of all records, found the shards of one"
            f" store; name {folder.parent} instead",
            record=str(folder),
        )
    counts = MergeCounts()
    for name, store in STORES.items():
        place = folder / name
        if place.is_dir():
            with only_one(place) as alone:
                counts += (
                    merge_shards(place, store) if alone else MergeCounts(busy=True)
                )
    return counts


def merge_shards(folder: Path, store: RecordStore) -> MergeCounts:
    """Fold the settled shards of one folder; its lock must be held."""
    for unfinished in folder.glob(f"*{NEW}"):
        if is_settled(unfinished):
            unfinished.unlink(missing_ok=True)
    main = folder / MAIN
    shards = [path for path in shards_in(folder) if path != main]
    counts = MergeCounts(left=sum(not is_settled(path) for path in shards))
    settled = [path for path in shards if is_settled(path)]
    if not settled:
        return counts
    if main.exists():
        counts += _sift(main) or MergeCounts()
    if not main.exists():
        start(folder, store.kind, MAIN)
    for path in settled:
        counts += _sift(path) or _fold(main, path, store)
    return counts


def _sift(path: Path) -> MergeCounts | None:
    """Set a shard aside if it is broken, count it; None if it is sound."""
    try:
        with explained(path), closing(connect_shared(path)) as db:
            version_of(db, path)
            verdict = db.execute("pragma quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise damaged(path, verdict)
    except DamagedShardError as error:
        return MergeCounts(damaged=(set_aside(path, error),))
    except FileNotFoundError:
        # A reader met the damage first.
        return MergeCounts()
    return None


def _fold(main: Path, path: Path, store: RecordStore) -> MergeCounts:
    with explained(main), closing(connect_shared(main)) as db:
        db.execute("attach ? as shard", (f"{path.absolute().as_uri()}?mode=rw",))
        with db:
            db.execute("begin")
            db.execute(_COPY_MODELS)
            if store.table:
                copy_seals(db, store.table, SEAL)
            rows = db.execute(store.copy).rowcount
    path.unlink()
    return MergeCounts(shards=1, rows=rows)


@contextmanager
def only_one(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock; False if another process has it."""
    try:
        file = (folder / "merge.lock").open("a")
    except OSError as error:
        raise _no_lock(folder, error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError as error:
            raise _no_lock(folder, error) from error
        yield True


def _no_lock(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{folder}: expected to lock the records, got {error.strerror}; set `records`"
        " to a folder that can be written, on a file system with locks",
        record=str(folder),
    )
