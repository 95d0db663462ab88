"""Recorded replies: what a language model said, kept per reply and for good.

Each process appends to a shard of its own in `<folder>/replies` and reads them all,
so eight may write at once and a killed one loses nothing that it had received. A key
may have several rows, one for each time it was asked; a good one is never replaced.
"""

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from skillmill.errors import StoreError
from skillmill.store import reply_notes
from skillmill.store.connect import connect_shared
from skillmill.store.rows import insert, json_text
from skillmill.store.shards import (
    DamagedShardError,
    explained,
    finish,
    rows_in,
    set_aside,
    shards_in,
    start,
)

KIND = "reply-records"
FOLDER = "replies"

#: What `known` gives of a row; the request stays in the file.
READ = (
    "key",
    "id",
    "repairs",
    "state",
    "reason",
    "message",
    "reply",
    "finish",
    "prompt_tokens",
    "completion_tokens",
    "estimated",
    "seconds",
)

#: What `add` takes, besides `endpoint` and `model`; a text that is left out is ''.
GIVEN = (
    "repairs",
    "role",
    "stage",
    "record",
    "version",
    "sample",
    "state",
    "reason",
    "message",
    "request",
    "reply",
    "finish",
    "prompt_tokens",
    "completion_tokens",
    "estimated",
    "tries",
    "seconds",
)

# The columns' names come from this package, never from data.
_SELECT = (
    f"select {', '.join(READ)} from reply"  # noqa: S608
    " where key in (select value from json_each(?1))"
)
_PASSES = 5
_AT_ONCE = 2000


class ReplyRecords:
    """The replies below one folder of records; may be shared by threads.

    Use it as a context manager; it does not survive a fork.

    Parameters
    ----------
    folder : Path
        The folder of all records.
    note_use : bool
        Whether `close` notes which rows were used, which `prune_replies` asks for.

    Attributes
    ----------
    damaged : list of Path
        Shards that were broken, each once, where they are now.
    """

    def __init__(self, folder: Path, *, note_use: bool = True) -> None:
        self.damaged: list[Path] = []
        self._root = Path(folder)
        self._folder = self._root / FOLDER
        self._note_use = note_use
        self._used: set[str] = set()
        self._shard: Path | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def known(self, keys: Collection[str]) -> dict[str, list[dict[str, Any]]]:
        """Find the rows of keys; a key without rows is absent.

        Returns
        -------
        dict of str to list of dict
            Each list with the good rows first, then the oldest first; each row with
            the columns of `READ`.

        Raises
        ------
        StoreError
            If a shard cannot be read.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        wanted = sorted(set(keys))
        for first in range(0, len(wanted), _AT_ONCE):
            for row in self._rows(wanted[first : first + _AT_ONCE]):
                found.setdefault(row[0], []).append(dict(zip(READ, row, strict=True)))
        for rows in found.values():
            rows.sort(key=lambda row: (row["state"] != "ok", row["id"]))
        with self._lock:
            self._used.update(found)
        return found

    def add(self, row: Mapping[str, object]) -> None:
        """Keep one reply; it is safe when this returns.

        `row` has `key`, `endpoint`, `model` and the columns of `GIVEN`.

        Raises
        ------
        StoreError
            If a value is of the wrong type, or the disk does not take it.
        """
        model = model_row(row)
        now = time.time_ns() // 1000
        values = (
            row["key"],
            f"{now:017d}-{secrets.token_hex(4)}",
            model[0],
            *(row.get(column, "") for column in GIVEN),
            datetime.fromtimestamp(now / 1e6, UTC).isoformat(timespec="seconds"),
        )
        self.add_rows([model], [values])

    def add_rows(
        self, models: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        """Keep whole rows of the tables `model` and `reply` in one commit.

        Raises
        ------
        StoreError
            As `add`; then none is kept.
        """
        with self._lock:
            shard = self._opened()
            try:
                with explained(shard), closing(connect_shared(shard)) as db, db:
                    db.execute("begin immediate")
                    insert(db, "model", models, known="keep")
                    insert(db, "reply", rows, known="keep")
            except FileNotFoundError as error:
                raise StoreError(
                    f"{shard}: expected the file that this process writes its replies"
                    " to, found none; leave the records alone while a run goes on, and"
                    " run again",
                    record=str(shard),
                ) from error

    def abilities(self, endpoint: str, model: str) -> dict[str, str]:
        """Read what is remembered of a model at an endpoint: name -> value."""
        return reply_notes.load_abilities(self._root, endpoint, model)

    def remember(self, endpoint: str, model: str, abilities: Mapping[str, str]) -> None:
        """Note what a model at an endpoint can do, over what was noted before."""
        reply_notes.save_abilities(self._root, endpoint, model, abilities)

    def close(self) -> None:
        """Close the shard of this process and note which rows were used.

        Raises
        ------
        StoreError
            If the shard was moved away in the meantime, or the note cannot be made.
        """
        with self._lock:
            used, self._used = self._used, set()
            shard, self._shard = self._shard, None
        if shard is not None:
            try:
                finish(shard)
            except OSError as error:
                raise StoreError(
                    f"{shard}: expected to close the replies, got {error.strerror};"
                    " what was added is in that file, wherever it was moved",
                    record=str(shard),
                ) from error
        if used and self._note_use:
            reply_notes.save_use(self._root, used)

    def _rows(self, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Read rows of all shards, again while files are being folded together."""
        wanted = (json.dumps(keys),)
        for _ in range(_PASSES):
            parts = [self._of_shard(path, wanted) for path in shards_in(self._folder)]
            if all(part is not None for part in parts):
                break
        for part in parts:
            yield from part or ()

    def _of_shard(
        self, path: Path, wanted: tuple[str, ...]
    ) -> list[tuple[Any, ...]] | None:
        try:
            return rows_in(path, _SELECT, wanted)
        except DamagedShardError as error:
            if path not in self.damaged:
                self.damaged.append(set_aside(path, error))
            return []

    def _opened(self) -> Path:
        """Give the shard of this process, made when it is first written to."""
        if self._shard is None:
            try:
                with explained(self._folder):
                    self._shard = start(self._folder, KIND)
            except OSError as error:
                raise StoreError(
                    f"{self._folder}: expected a folder for replies, got {error};"
                    " set `records` to a folder that can be written",
                    record=str(self._folder),
                ) from error
        return self._shard


def model_row(row: Mapping[str, object]) -> tuple[str, str]:
    """Hash and identity of a row's `endpoint` and `model`, for the table `model`."""
    identity = json_text({"endpoint": row["endpoint"], "model": row["model"]})
    return hashlib.sha256(identity.encode()).hexdigest(), identity
