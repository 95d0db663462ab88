"""Shards: the files of a record store, one for each process that writes.

A shard is `<host>-<pid>-<random>.open.sqlite` while its process writes, and loses
the `.open` when that ends well. Whoever reads, reads them all, open ones too, so
the rows of a killed process count. `main.sqlite` holds what was merged.
"""

import logging
import os
import re
import secrets
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from skillmill.errors import StoreError
from skillmill.store.connect import (
    BUSY_SECONDS,
    code_of,
    connect_private,
    connect_shared,
    is_damage,
)
from skillmill.store.filesystem import file_system_of
from skillmill.store.schema import RECORD_VERSION, create_records

MAIN = "main.sqlite"
NEW = ".new"
_CLOSED = ".sqlite"
_OPEN = ".open.sqlite"
_LOOKS = 3
_PAUSE_SECONDS = 0.1

_log = logging.getLogger(__name__)


class DamagedShardError(StoreError):
    """A shard that is no whole record store."""


def shards_in(folder: Path) -> list[Path]:
    """List the files of a record store: main first, then by name; [] if none."""
    return sorted(
        folder.glob(f"*{_CLOSED}"), key=lambda path: (path.name != MAIN, path.name)
    )


def start(folder: Path, kind: str, name: str | None = None) -> Path:
    """Make an empty shard, whole from the moment that it is there.

    It is open for this process unless it is given another `name`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{host_name()}-{os.getpid()}-{secrets.token_hex(4)}"
    new = folder / f"{stem}{NEW}"
    with closing(connect_private(new)) as db:
        create_records(db, kind)
    return new.rename(folder / (name or f"{stem}{_OPEN}"))


def finish(path: Path) -> Path:
    """Take the `.open` from a shard's name; nobody writes to it any more."""
    return path.rename(path.with_name(path.name.removesuffix(_OPEN) + _CLOSED))


def is_settled(path: Path) -> bool:
    """Whether nobody writes to a shard: closed, or its process here is dead.

    Of a process on another host nothing is known, so it counts as alive.
    """
    if path.name.endswith(_CLOSED) and not path.name.endswith(_OPEN):
        return True
    return is_dead(path.name.removesuffix(_OPEN).removesuffix(NEW))


def is_dead(writer: str) -> bool:
    """Whether the process of a name `<host>-<pid>-<random>` is known to be dead."""
    host, _, rest = writer.rpartition("-")
    host, _, pid = host.rpartition("-")
    if host != host_name() or not pid.isdigit() or not rest:
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def rows_in(
    path: Path, select: str, parameters: tuple[str, ...]
) -> list[tuple[Any, ...]] | None:
    """Select rows from one shard.

    [] from a shard that is just being made, None from one that is gone (closed,
    or merged, since its folder was listed).

    Raises
    ------
    DamagedShardError
        If the file is broken, also when looked at again.
    StoreError
        If it is of another version, or cannot be read (locked for a minute).
    """
    for look in range(_LOOKS):
        try:
            with explained(path), closing(connect_shared(path)) as db:
                version = version_of(db, path)
                return db.execute(select, parameters).fetchall() if version else []
        except DamagedShardError:
            # A network file system may show a page half written.
            if is_settled(path) or look == _LOOKS - 1:
                raise
            time.sleep(_PAUSE_SECONDS)
        except FileNotFoundError:
            return None
    return None


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """Read the version of a shard's tables; 0 if it is just being made.

    Raises
    ------
    DamagedShardError
        If it has no tables, and nobody is making it.
    StoreError
        If the version is not this package's.
    """
    version = int(db.execute("pragma user_version").fetchone()[0])
    if version == 0 and is_settled(path):
        raise damaged(path, "no tables of records")
    if version not in (0, RECORD_VERSION):
        raise StoreError(
            f"{path}: expected version {RECORD_VERSION} of the record tables, found"
            f" version {version}; move the file out of the folder, or use the"
            " skillmill that wrote it",
            record=str(path),
        )
    return version


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about a shard into those of this package.

    Raises
    ------
    FileNotFoundError
        If the file is gone.
    DamagedShardError
        If it is broken.
    StoreError
        If it is locked, or the disk is full, or has no locks.
    """
    try:
        yield
    except sqlite3.Error as error:
        if not path.exists():
            raise FileNotFoundError(str(path)) from error
        if is_damage(error):
            raise damaged(path, str(error)) from error
        if code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(
                f"{path}: expected to use the records, found them locked for"
                f" {BUSY_SECONDS:.0f} s; end the other process and run again",
                record=str(path),
            ) from error
        kind = file_system_of(path.parent)[0]
        raise StoreError(
            f"{path}: expected to use the records, got {error} on a file system of type"
            f" {kind}; free the disk, or set `records` to a folder that can be written,"
            " on a file system with locks",
            record=str(path),
        ) from error


def damaged(path: Path, reason: str) -> DamagedShardError:
    """Say that a shard is damaged, and why."""
    return DamagedShardError(f"{path} is damaged ({reason})", record=str(path))


def set_aside(path: Path, reason: DamagedShardError) -> Path:
    """Rename a damaged shard to `<name>.damaged` and log it; give the new path.

    A shard that its process may still write to is only logged.
    """
    if not is_settled(path):
        _log.warning("%s; left out, since it is in use", reason)
        return path
    target, number = Path(f"{path}.damaged"), 1
    while target.exists():
        number += 1
        target = Path(f"{path}.damaged-{number}")
    # A journal left behind would be played into the next file of this name.
    with suppress(FileNotFoundError):
        Path(f"{path}-journal").rename(f"{target}-journal")
    with suppress(FileNotFoundError):
        path.rename(target)
    _log.warning("%s; set aside as %s", reason, target.name)
    return target


def host_name() -> str:
    """Name this host, and where it has several the space its pids are counted in."""
    name = re.sub(r"[^A-Za-z0-9.]", "_", socket.gethostname())
    with suppress(OSError):
        return f"{name}.{os.stat('/proc/self/ns/pid').st_ino}"
    return name
