"""Writing a small artifact, and looking at files."""

import hashlib
from pathlib import Path

from skillmill.store.artifact import reading, writing
from skillmill.store.edges import save_edges
from tests.store.examples import EDGES, provenance


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def state(path):
    """Hash of a file, None if there is none."""
    return sha256(path) if path.exists() else None


def write_edges(path, edges=EDGES, **changes):
    with writing(path, provenance("edges", **changes)) as db:
        save_edges(db, edges)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def saved_and_loaded(folder, kind, save, rows, load):
    path = folder / f"{len(list(folder.iterdir()))}.sqlite"
    with writing(path, provenance(kind)) as db:
        save(db, rows)
    with reading(path, kind) as db:
        return load(db)
