"""Neighbours that a library's skills were found to have, kept beside the artifacts.

One file of numpy arrays a study, written whole. It only saves work: one that is not
there, is damaged or is of other settings is as good as none.
"""

import hashlib
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

#: Marks of rows, and the pairs: sources, targets, cosines.
Kept = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


def neighbours_file(records: Path, study: str) -> Path:
    """Where those of a study lie."""
    return records / "neighbours" / f"{study}.npz"


def marks_of(
    ids: Sequence[str], matrix: npt.NDArray[np.floating]
) -> npt.NDArray[np.str_]:
    """A mark of each skill and its vector, (n,)."""
    rows = np.ascontiguousarray(matrix)
    marks = [
        hashlib.blake2b(name.encode() + b"\0" + row.tobytes(), digest_size=16)
        for name, row in zip(ids, rows, strict=True)
    ]
    return np.array([mark.hexdigest() for mark in marks], dtype="U32")


def load_neighbours(path: Path, k: int, floor: float) -> Kept | None:
    """What was found with these settings; None if that is not known."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if (int(file["k"]), float(file["floor"])) != (k, floor):
                return None
            return file["marks"], file["source"], file["target"], file["cosine"]
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def save_neighbours(path: Path, k: int, floor: float, known: Kept) -> None:
    """Keep what was found, in place of what was kept before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    marks, source, target, cosine = known
    with draft.open("wb") as file:
        np.savez(
            file,
            k=k,
            floor=floor,
            marks=marks,
            source=source,
            target=target,
            cosine=cosine,
        )
    draft.replace(path)
