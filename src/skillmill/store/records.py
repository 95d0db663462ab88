"""Record stores: what a model computed, kept for good and never computed again.

They lie outside all declared outputs, so that no rerun deletes paid work. A row's
key is the model's identity and the text; nothing else may change its value.
"""

import hashlib
import json
import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from skillmill.errors import StoreError
from skillmill.store.connect import connect_shared
from skillmill.store.merging import MergeCounts, merge_records
from skillmill.store.rows import insert, json_text
from skillmill.store.seals import save_seals, without_rotten
from skillmill.store.shards import (
    DamagedShardError,
    explained,
    finish,
    rows_in,
    set_aside,
    shards_in,
    start,
)
from skillmill.store.vectors import DTYPE, from_blobs, to_blobs

__all__ = ["MergeCounts", "TagRecords", "VectorRecords", "merge_records", "text_key"]

_PASSES = 5


def text_key(text: str) -> str:
    """Hash a text: sha256 of its NFC form, 64 hex digits; never fails."""
    normal = unicodedata.normalize("NFC", text)
    return hashlib.sha256(normal.encode(errors="surrogatepass")).hexdigest()


class Records:
    """Rows of one model; this process appends to its own shard, reads them all.

    Attributes
    ----------
    computed, reused : int
        Rows added, and rows found, by this object.
    damaged : list of Path
        Shards that were broken, each once, where they are now.
    """

    kind: str
    table: str
    select: str

    def __init__(self, folder: Path, model: Mapping[str, str | int]) -> None:
        self.computed = 0
        self.reused = 0
        self.damaged: list[Path] = []
        self._identity = json_text(model)
        self._model = hashlib.sha256(self._identity.encode()).hexdigest()
        self._folder = folder
        self._shard: Path | None = None
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the shard of this process, if it wrote one.

        Raises
        ------
        StoreError
            If the shard was moved away in the meantime.
        """
        if self._db is None or self._shard is None:
            return
        self._db.close()
        self._db = None
        try:
            finish(self._shard)
        except OSError as error:
            raise StoreError(
                f"{self._shard}: expected to close the records, got {error.strerror};"
                " what was added is in that file, wherever it was moved",
                record=str(self._shard),
            ) from error

    def _find(self, keys: Iterable[str]) -> dict[str, tuple[Path, tuple[Any, ...]]]:
        """Find rows by key: key -> (shard, the columns after the key)."""
        missing = set(keys)
        found: dict[str, tuple[Path, tuple[Any, ...]]] = {}
        for _ in range(_PASSES):
            whole = True
            for path in shards_in(self._folder):
                rows = self._rows(path, missing) if missing else []
                # What left the listed file is in another by now: look again.
                whole = whole and rows is not None
                for key, *row in rows or ():
                    found[key] = path, tuple(row)
                    missing.discard(key)
            if whole:
                break
        self.reused += len(found)
        return found

    def _rows(self, path: Path, keys: Collection[str]) -> list[tuple[Any, ...]] | None:
        try:
            rows = rows_in(path, self.select, (self._model, json.dumps(sorted(keys))))
            return rows and without_rotten(path, self.table, self._model, rows)
        except DamagedShardError as error:
            if path not in self.damaged:
                self.damaged.append(set_aside(path, error))
            return []

    def _append(self, rows: Sequence[Sequence[object]]) -> None:
        """Add (key, ...) rows in one commit; a key that is there keeps its row."""
        if not rows:
            return
        db = self._open()
        with explained(self._shard or self._folder), db:
            db.execute("begin immediate")
            insert(db, self.table, ((self._model, *r) for r in rows), known="keep")
            save_seals(db, self._model, rows)
        self.computed += len(rows)

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                with explained(self._folder):
                    self._shard = start(self._folder, self.kind)
                    self._db = connect_shared(self._shard)
                    insert(self._db, "model", [(self._model, self._identity)])
            except OSError as error:
                raise StoreError(
                    f"{self._folder}: expected a folder for records, got {error};"
                    " set `records` to a folder that can be written",
                    record=str(self._folder),
                ) from error
        return self._db


class VectorRecords(Records):
    """Vectors by text key, for one encoder; in `<folder>/vectors`.

    Use it as a context manager, in one thread; it does not survive a fork.
    """

    kind = "vector-records"
    table = "vector_record"
    select = (
        "select key, dim, dtype, data from vector_record"
        " where model = ?1 and key in (select value from json_each(?2))"
    )

    def __init__(self, folder: Path, model: Mapping[str, str | int]) -> None:
        super().__init__(Path(folder) / "vectors", model)

    def known(self, keys: Iterable[str]) -> dict[str, npt.NDArray[np.float32]]:
        """Find the vectors of keys, in their order; unknown keys are absent.

        Raises
        ------
        StoreError
            If a record cannot be read, or is not a vector like the rest.
        """
        keys = list(dict.fromkeys(keys))
        found = self._find(keys)
        rows = [
            (f"{key} in {found[key][0]}", *found[key][1])
            for key in keys
            if key in found
        ]
        matrix = from_blobs(rows, "move that file out of the folder and run again")
        return dict(zip((key for key in keys if key in found), matrix, strict=True))

    def add(self, keys: Sequence[str], vectors: npt.ArrayLike) -> None:
        """Keep the (n, d) vectors of n keys; they are safe when this returns.

        Raises
        ------
        StoreError
            If a vector is not finite (then none is kept), or cannot be written.
        """
        blobs = to_blobs(keys, vectors)
        self._append(
            [
                (key, len(blob) // 4, DTYPE, blob)
                for key, blob in zip(keys, blobs, strict=True)
            ]
        )


class TagRecords(Records):
    """JSON values by text key, for one tagger; in `<folder>/tags`.

    Use it as a context manager, in one thread; it does not survive a fork.
    """

    kind = "tag-records"
    table = "tag_record"
    select = (
        "select key, value from tag_record"
        " where model = ?1 and key in (select value from json_each(?2))"
    )

    def __init__(self, folder: Path, model: Mapping[str, str | int]) -> None:
        super().__init__(Path(folder) / "tags", model)

    def known(self, keys: Iterable[str]) -> dict[str, object]:
        """Find the values of keys, in their order; unknown keys are absent.

        Raises
        ------
        StoreError
            If a record cannot be read.
        """
        keys = list(dict.fromkeys(keys))
        found = self._find(keys)
        return {key: json.loads(found[key][1][0]) for key in keys if key in found}

    def add(self, values: Mapping[str, object]) -> None:
        """Keep the value of each key; they are safe when this returns.

        Raises
        ------
        StoreError
            If a value cannot be JSON (then none is kept), or cannot be written.
        """
        rows = []
        for key, value in values.items():
            try:
                rows.append((key, json_text(value)))
            except (TypeError, ValueError) as error:
                raise StoreError(
                    f"tags of '{key}': expected what JSON can hold, got {error};"
                    " nothing was stored, mend the tagger",
                    record=key,
                ) from error
        self._append(rows)
