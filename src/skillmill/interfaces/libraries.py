"""A library and its tasks, read from stores into what the rankers take."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.errors import StoreError
from skillmill.interfaces.job import Counts
from skillmill.interfaces.token_vectors import token_vectors
from skillmill.library.meaning import Floats
from skillmill.library.query import Query
from skillmill.library.study import (
    PassageRow,
    Skills,
    TokenSource,
    gather_queries,
    gather_skills,
)
from skillmill.models.encoder import EncoderSettings, load_token_encoder
from skillmill.store import artifact, catalogue, passages, vectors

if TYPE_CHECKING:
    from sqlite3 import Connection


def read_skills(catalogue_path: Path, vectors_path: Path) -> Skills:
    """The library of a catalogue, with its vectors.

    Raises
    ------
    StoreError
        If the stores do not belong together.
    """
    with artifact.reading(catalogue_path, "catalogue") as db:
        names = [skill.name for skill in catalogue.load_skills(db)]
        rows = passages.load_passages(db, "skill")
    with artifact.reading(vectors_path, "vectors") as db:
        return gather_skills(names, *_matched(rows, db, vectors_path, "skill"))


def read_stored_library(db: "Connection", path: Path, names: Sequence[str]) -> Skills:
    """The library of an open store of kind `library`; `path` is for messages.

    `names` are those of the skills in the order of their ids.

    Raises
    ------
    StoreError
        If a skill has no vector.
    """
    rows = passages.load_passages(db, "skill")
    return gather_skills(names, *_matched(rows, db, path, "skill"))


def read_queries(
    tasks_path: Path, vectors_path: Path, tokens: TokenSource | None = None
) -> list[Query]:
    """The tasks of a store as queries, by id, with vectors and, if asked, tokens.

    Raises
    ------
    StoreError
        If the stores do not belong together.
    """
    with artifact.reading(tasks_path, "tasks") as db:
        rows = passages.load_passages(db, "task")
    with artifact.reading(vectors_path, "vectors") as db:
        queries = gather_queries(*_matched(rows, db, vectors_path, "task"))
    if tokens is None:
        return queries
    found = tokens([text for _, _, text in rows])
    own: dict[str, list[Floats]] = {}
    for (task, _, _), matrix in zip(rows, found, strict=True):
        own.setdefault(task, []).append(matrix)
    return [replace(query, tokens=np.concatenate(own[query.id])) for query in queries]


def token_source(
    encoder: EncoderSettings, records: Path, counts: Counts
) -> TokenSource | None:
    """What gives texts their token vectors; None for an endpoint, which has none."""
    if encoder.is_endpoint:
        return None
    model = load_token_encoder(encoder)

    def found(texts: Sequence[str]) -> Sequence[Floats]:
        return token_vectors(texts, model, records, counts)

    return found


def _matched(
    rows: Sequence[PassageRow], db: "Connection", vectors_path: Path, kind: str
) -> tuple[list[PassageRow], Floats]:
    """Passages and vectors, row by row.

    With `long_texts: max` a passage may have several vectors: then what is numbered
    beyond the passages is taken with an empty text.
    """
    ids, parts, matrix = vectors.load_vectors(db, kind)
    texts = {(id, part): text for id, part, text in rows}
    keys = list(zip(ids, parts.tolist(), strict=True))
    missing = texts.keys() - set(keys)
    if missing:
        raise StoreError(
            f"{vectors_path}: expected a vector for each {kind}, found none for"
            f" {len(missing)} passages, such as {min(missing)[0]!r}; delete it and run"
            " again",
            record=str(vectors_path),
        )
    return [(*key, texts.get(key, "")) for key in keys], matrix
