"""Artifacts: one job writes one SQLite file, whole or not at all.

Equal content is an equal file, byte for byte, for one build of SQLite: pages are
laid out anew when the file is finished, and no clock time is stored.
"""

import filecmp
import hashlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from skillmill.errors import StoreError
from skillmill.store.connect import connect_private, is_of_place, private_uri
from skillmill.store.drafts import clear_drafts, drafts_of
from skillmill.store.opening import checked, explained, kind_in
from skillmill.store.rows import insert, json_text
from skillmill.store.schema import SCHEMA_VERSION, create_artifact


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an artifact comes from: all that its content depends on.

    `inputs` maps a role to file paths, `models` a role to a model's name, `params`
    is anything JSON can hold, `code` a hash of the modules that ran. An input that is
    not in `names` is stored by its path, relative where it lies below the working
    directory.
    """

    kind: str
    study: str
    package_version: str
    code: str
    params: Mapping[str, object] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[str | os.PathLike[str]]] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def writing(
    path: str | os.PathLike[str], provenance: Provenance, *, keep_equal: bool = False
) -> Iterator[sqlite3.Connection]:
    """Open a new artifact in one transaction, and put it in place at the end.

    Until then the rows are in a draft of this process, and an older file at `path`
    stays as it is; it also stays if anything fails, and with `keep_equal` if the new
    one has the same bytes, so that its time tells when the content last changed. Of
    two processes that write one path at a time, the last to end has its way. Inputs
    are hashed at the start.

    Raises
    ------
    StoreError
        If an input cannot be read, or the file cannot be written (full disk,
        read-only folder); names the path and the reason.
    """
    path = Path(path)
    drafts: tuple[Path, ...] = ()
    try:
        with _explaining(path):
            _make_room(path)
            draft, packed = drafts = drafts_of(path)
            db = connect_private(draft)
        with closing(db):
            with _explaining(path):
                db.execute("begin")
                create_artifact(db, provenance.kind)
                _save_provenance(db, provenance)
            with _explaining_rows(path):
                yield db
            with _explaining(path):
                db.commit()
                # Lays out the pages by table and key, whatever order rows came in.
                db.execute("vacuum into ?", (private_uri(packed),))
        with _explaining(path):
            if not (keep_equal and _are_equal(packed, path)):
                _publish(packed, path)
    finally:
        for leftover in drafts:
            # The first error is the one to tell.
            with suppress(OSError):
                leftover.unlink(missing_ok=True)


@contextmanager
def reading(path: str | os.PathLike[str], kind: str) -> Iterator[sqlite3.Connection]:
    """Open an artifact of one kind, read-only and without locks.

    Raises
    ------
    StoreError
        If there is no file, or none of this package, or it is of another kind or
        version, or damaged; names the path, what was expected and what was found.
    """
    path = Path(path)
    with closing(checked(path, kind)) as db, explained(path):
        yield db


def kind_of(path: str | os.PathLike[str]) -> str:
    """Name the kind of an artifact.

    Raises
    ------
    StoreError
        If it is no artifact that this version can read.
    """
    with closing(checked(Path(path), None)) as db:
        return kind_in(db)


def load_provenance(db: sqlite3.Connection) -> Provenance:
    """Read where an artifact comes from; its inputs sorted by role and path."""
    known = dict(db.execute("select key, value from provenance"))
    inputs: dict[str, list[str]] = {}
    for role, path, _ in load_input_hashes(db):
        inputs.setdefault(role, []).append(path)
    return Provenance(
        kind=known["kind"],
        study=known["study"],
        package_version=known["package_version"],
        code=known["code"],
        params=json.loads(known["params"]),
        inputs={role: tuple(paths) for role, paths in inputs.items()},
        models=json.loads(known["models"]),
    )


def load_input_hashes(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Read (role, path, sha256) of each input, sorted by role and path."""
    return db.execute(
        "select role, path, sha256 from provenance_input order by role, path"
    ).fetchall()


def logical_dump(path: str | os.PathLike[str], *, without: Collection[str] = ()) -> str:
    """Write out all tables but those named, rows sorted, one a line.

    Equal for equal content, whatever the page layout and the version of SQLite.

    Raises
    ------
    StoreError
        As `reading`.
    """
    return "".join(_dump_lines(Path(path), without))


def digest(path: str | os.PathLike[str], *, without: Collection[str] = ()) -> str:
    """Hash the logical dump: sha256, 64 hex digits."""
    total = hashlib.sha256()
    for line in _dump_lines(Path(path), without):
        total.update(line.encode())
    return total.hexdigest()


def _dump_lines(path: Path, without: Collection[str]) -> Iterator[str]:
    with closing(checked(path, None)) as db, explained(path):
        yield f"{kind_in(db)} {SCHEMA_VERSION}\n"
        tables = db.execute(
            "select name from sqlite_master where type = 'table' order by name"
        ).fetchall()
        for (table,) in tables:
            if table in without:
                continue
            columns = [
                name for _, name, *_ in db.execute(f"pragma table_info({table})")
            ]
            yield f"{table}({', '.join(columns)})\n"
            order = ", ".join(str(place) for place in range(1, len(columns) + 1))
            rows = db.execute(f"select * from {table} order by {order}")  # noqa: S608
            yield from (f"  {row!r}\n" for row in rows)


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Turn errors of the disk and the folder into one for the user."""
    try:
        with _explaining_rows(path):
            yield
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


@contextmanager
def _explaining_rows(path: Path) -> Iterator[None]:
    """Do so for SQLite only: the caller's own files are the caller's affair."""
    try:
        yield
    except sqlite3.Error as error:
        if not is_of_place(error):
            raise
        raise _unwritable(path, str(error)) from error


def _unwritable(path: Path, reason: str) -> StoreError:
    return StoreError(
        f"{path}: expected to write the store, got '{reason}'; free the disk or choose"
        " a folder that can be written, then run again (an older file there is"
        " unchanged)",
        record=str(path),
    )


def _make_room(path: Path) -> None:
    """Make room for a new file: the folder exists, no draft of a killed job does."""
    if path.is_dir():
        raise StoreError(
            f"{path}: expected a place for a file, found a folder; remove it or"
            " write elsewhere",
            record=str(path),
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_drafts(path)


def _are_equal(packed: Path, path: Path) -> bool:
    """Whether the older file is there and has the same bytes."""
    return path.is_file() and filecmp.cmp(packed, path, shallow=False)


def _publish(packed: Path, path: Path) -> None:
    """Put a finished file in place, safe against a power cut."""
    with packed.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(packed, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _save_provenance(db: sqlite3.Connection, provenance: Provenance) -> None:
    rows = {
        "kind": provenance.kind,
        "schema": str(SCHEMA_VERSION),
        "study": provenance.study,
        "package_version": provenance.package_version,
        "code": provenance.code,
        "params": _json("params", provenance.params),
        "models": _json("models", provenance.models),
    }
    insert(db, "provenance", sorted(rows.items()))
    inputs = {
        (role, provenance.names.get(os.fspath(file)) or _name(Path(file))): Path(file)
        for role, files in provenance.inputs.items()
        for file in files
    }
    insert(
        db,
        "provenance_input",
        ((*key, _sha256(*key, file)) for key, file in sorted(inputs.items())),
    )


def _json(key: str, value: object) -> str:
    try:
        return json_text(value)
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"provenance, {key}: expected what JSON can hold, got {value!r} ({error});"
            " write it as text or a finite number",
            record=key,
        ) from error


def _name(file: Path) -> str:
    """Path relative to the working directory when below it, else in full."""
    full, here = Path(os.path.abspath(file)), Path.cwd()
    name = full.relative_to(here) if full.is_relative_to(here) else full
    return os.fsencode(name.as_posix()).decode(errors="replace")


def _sha256(role: str, name: str, file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(
            f"{name}: expected a file to read (input '{role}'), got"
            f" {error.strerror}; make it or correct its path, then run again",
            record=name,
        ) from error
