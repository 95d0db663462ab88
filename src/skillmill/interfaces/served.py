"""A built library that answers: search, texts and neighbours of skills, its state.

One object serves one `library.sqlite`. It reads the file when it is first asked and
again when the file has been built anew, so that a server never has to be restarted.
"""

import hashlib
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.errors import InputError
from skillmill.interfaces.found import Found
from skillmill.interfaces.libraries import read_stored_library
from skillmill.interfaces.opened import Stamp, file_stamp
from skillmill.interfaces.query_vectors import query_encoder, query_vectors
from skillmill.interfaces.searching import (
    SERVED_ARMS,
    answer,
    check_query,
    check_search,
    ranker_settings,
)
from skillmill.library.around import Neighbour, neighbours
from skillmill.library.declared import Names
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.settings import Arm
from skillmill.library.wordindex import StoredWords
from skillmill.models.encoder import Encoder
from skillmill.store import artifact, catalogue, edges, graph, load, vectors
from skillmill.store.postings import load_postings
from skillmill.types import LibrarySkill

#: Queries whose vectors are kept.
REMEMBERED = 256


@dataclass(frozen=True, eq=False)
class Build:
    """One build of a library, in RAM; `version` changes with its content."""

    version: str
    study: str
    modified: float
    skills: Mapping[str, LibrarySkill]
    ranker: Ranker
    edges: int
    contradictory: float
    limit: float
    encoder: Mapping[str, str | int]
    noted: Mapping[str, Any]

    @cached_property
    def names(self) -> Names:
        """What skills may be called by."""
        return Names(self.skills.values())

    @cached_property
    def query_encoder(self) -> Encoder:
        """What encodes queries to this build."""
        return query_encoder(self.noted, self.encoder)

    @property
    def tells_directions(self) -> bool:
        """Whether the typed edges contradict each other seldom enough to be told."""
        return self.contradictory <= self.limit


@dataclass(frozen=True, slots=True)
class Status:
    """What is served, and how old it is."""

    study: str
    version: str
    age_seconds: float
    skills: int
    edges: int
    arms: tuple[str, ...]
    contradictory: float
    tells_directions: bool


class ServedLibrary:
    """A library file that may be asked from several threads.

    Parameters
    ----------
    path : Path
        A `library.sqlite`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._encoding = threading.Lock()
        self._stamp: Stamp | None = None
        self._build: Build | None = None
        self._vectors: dict[tuple[str, str], np.ndarray] = {}

    def build(self) -> Build:
        """The library as the file holds it now.

        Raises
        ------
        StoreError
            If there is none that can be read; nothing of that is remembered.
        """
        with self._lock:
            stamp = file_stamp(self.path)
            if self._build is None or stamp != self._stamp:
                self._build, self._stamp = read_build(self.path), stamp
                self._vectors.clear()
            return self._build

    def search(self, text: str, arm: Arm = "hybrid", limit: int = 5) -> Found:
        """The skills that fit a task best.

        Raises
        ------
        InputError
            If the query, the arm or the limit cannot be used.
        ModelError
            If the arm needs an encoder that is not here.
        """
        check_query(text)
        check_search(arm, limit)
        build = self.build()
        found = None if arm == "keyword" else self._encoded(build, text)
        return answer(
            build.ranker, build.skills, Query("query", text, found), arm, limit
        )

    def find(self, called: str) -> LibrarySkill:
        """The skill of that id, alias, or name that it alone has.

        Raises
        ------
        InputError
            If there is none; names what is near.
        """
        build = self.build()
        skill = build.names.find(called)
        if skill is None:
            near = get_close_matches(called[:200], list(build.skills), 3, cutoff=0.5)
            hint = f"; near it: {', '.join(near)}" if near else ""
            raise InputError(
                f"no skill, or several, are called {called[:200]!r}; use an id that"
                f" search returns{hint}",
                record=called[:200],
            )
        return build.skills[skill]

    def neighbours(self, skill: LibrarySkill) -> list[Neighbour]:
        """What is one edge away from a skill; see `library.around`."""
        with artifact.reading(self.path, "library") as db:
            return neighbours(skill.id, edges.load_edges_of(db, skill.id))

    def status(self) -> Status:
        """What is served now."""
        build = self.build()
        return Status(
            study=build.study,
            version=build.version,
            age_seconds=round(max(0.0, time.time() - build.modified), 1),
            skills=len(build.skills),
            edges=build.edges,
            arms=SERVED_ARMS,
            contradictory=build.contradictory,
            tells_directions=build.tells_directions,
        )

    def _encoded(self, build: Build, text: str) -> np.ndarray:
        """Vectors of a query; the last few are remembered."""
        key = (build.version, text)
        with self._encoding:
            if key not in self._vectors:
                while len(self._vectors) >= REMEMBERED:
                    del self._vectors[next(iter(self._vectors))]
                self._vectors[key] = query_vectors(text, build.query_encoder)
            return self._vectors[key]


def read_build(path: Path) -> Build:
    """Read a library file whole.

    Raises
    ------
    StoreError
        If it is none, or its parts do not fit.
    """
    with artifact.reading(path, "library") as db:
        made = artifact.load_provenance(db)
        stored = {skill.id: skill for skill in catalogue.load_skills(db)}
        names = [skill.name for skill in stored.values()]
        held = read_stored_library(db, path, names)
        postings = load_postings(db)
        census = graph.load_rows(db, graph.Census)
        total = load.count_rows(db, "edge")
        version = _version(made, artifact.load_input_hashes(db))
        encoder = vectors.load_encoder(db)
    shares = [row.share for row in census if row.kind == "contradictory"]
    settings = ranker_settings(made, path)
    none = np.empty(0, dtype=np.intp), np.empty(0)
    words = StoredWords(
        len(names), lambda word: postings.get(word, none), settings, names
    )
    return Build(
        version=version,
        study=made.study,
        modified=path.stat().st_mtime,
        skills=stored,
        ranker=Ranker(
            held.ids,
            (),
            held.vectors,
            settings,
            bodies=held.bodies,
            words=words,
        ),
        edges=total,
        contradictory=(shares[0] if shares else None) or 0.0,
        limit=float(made.params["serve"]["contradictory"]),  # type: ignore[index]
        encoder=encoder,
        noted=dict(made.params["encoder"]),  # type: ignore[call-overload]
    )


def _version(made: artifact.Provenance, inputs: object) -> str:
    """Short hash of all that a library file depends on."""
    told = repr((made.study, made.code, sorted(made.params.items()), inputs))
    return hashlib.sha256(told.encode()).hexdigest()[:12]
