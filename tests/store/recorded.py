"""Invented records, and a look at what is kept of them."""

import numpy as np

from skillmill.store.records import VectorRecords, text_key

MINI = {"name": "mini-a", "dim": 3, "revision": "r1"}
KEYS = [text_key(str(number)) for number in range(40)]


def vector_of(key):
    """A vector that only this key has."""
    return np.frombuffer(bytes.fromhex(key)[:6], "<u2").astype(np.float32)


def matrix_of(keys):
    return np.array([vector_of(key) for key in keys])


def check(found, keys):
    assert list(found) == list(keys)
    for key in keys:
        assert found[key].tolist() == vector_of(key).tolist()


def known(folder, keys=KEYS, model=MINI):
    with VectorRecords(folder, model) as records:
        return records.known(keys)


def add(folder, keys, model=MINI):
    with VectorRecords(folder, model) as records:
        records.add(keys, matrix_of(keys))


def shard_names(folder, store="vectors"):
    return sorted(path.name for path in (folder / store).glob("*.sqlite*"))


def spoil(path):
    """Overwrite all but the first page of a database."""
    content = path.read_bytes()
    path.write_bytes(content[:16384] + b"\xff" * (len(content) - 16384))
