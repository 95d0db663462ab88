"""A study of two invented memories in two shards, written by the store itself."""

import numpy as np

from skillmill.store import conversations, edges, entities, passages, vectors
from skillmill.store.artifact import Provenance, writing
from skillmill.store.atoms import save_atoms, save_question_atoms
from skillmill.store.tokens import save_tokens
from skillmill.types import Mention, Question
from tests.memory.records import garden_view

ENCODER = {"name": "tiny", "dimension": 2, "pooling": "mean_tokens", "revision": "r1"}
SETTINGS = {"name": "folder", "backend": "torch", "max_length": None}
QUESTIONS = {
    "garden/q0": "Does Ines paint the shed?",
    "garden/q1": "What was cold in April 2024?",
}
ANGLES = {"garden/q0": 90, "garden/q1": 180}


def direction(degrees):
    turn = np.deg2rad(degrees)
    return np.round([np.cos(turn), np.sin(turn)], 6).astype(np.float32)


def question(name):
    return Question(name, "garden", QUESTIONS[name], 4, "yes", "str", None, ("D1:0",))


def provenance(kind, params=None, inputs=None):
    return Provenance(kind, "plot", "0", "c0de", params or {}, inputs or {})


def build(results, *, tokens=True, token_encoder=None, more=()):
    """Write results/plot/memory/{0,1}; the garden lies in shard 0.

    `more` are (kind, id, part, degrees) of further vectors of long texts.
    """
    shard = results / "plot" / "memory" / "0"
    view = garden_view()
    with writing(shard / "memory.sqlite", provenance("memory")) as db:
        conversations.save_speakers(db, [("garden", view.speakers)])
        asked = [question(name) for name in QUESTIONS]
        conversations.save_questions(db, asked)
        save_atoms(db, view.atoms)
        save_question_atoms(db, {"garden/q0": ["garden/2/0"]})
        own = [Mention("noun", "question", "garden/q0", "shed", 1)]
        entities.save_mentions(db, [*view.mentions, *own])
        edges.save_edges(db, view.edges)
        vectors.save_encoder(db, ENCODER)
        ids = list(view.ids)
        vectors.save_vectors(db, "atom", ids, [0] * 4, view.vectors)
        named = sorted(view.entity_vectors)
        rows = np.array([view.entity_vectors[name] for name in named])
        vectors.save_vectors(db, "entity", named, [0] * len(named), rows)
        angles = np.array([direction(ANGLES[name]) for name in QUESTIONS])
        for kind in ("question", "question-tuned"):
            vectors.save_vectors(db, kind, list(QUESTIONS), [0, 0], angles)
        for kind, name, part, degrees in more:
            row = direction(degrees)[None]
            vectors.save_vectors(db, kind, [name], [part], row)
        tuned = [(n, 0, QUESTIONS[n].replace("Ines ", "")) for n in QUESTIONS]
        passages.save_passages(db, "question-tuned", tuned)
    with writing(
        shard / "vectors.sqlite", provenance("vectors", {"encoder": SETTINGS})
    ) as db:
        vectors.save_encoder(db, ENCODER)
    with writing(
        shard / "entities.sqlite", provenance("entities", {"tagger": "tags"})
    ) as db:
        entities.save_mentions(db, [])
    if tokens:
        build_tokens(shard, token_encoder or ENCODER | {"stored": "float16"})
    build_other(results)
    return shard


def build_tokens(shard, encoder):
    """One token a turn along the vector of its atom, one a question."""
    view = garden_view()
    with writing(shard / "tokens.sqlite", provenance("tokens")) as db:
        vectors.save_encoder(db, {**encoder, "pooling": "none"})
        rows = zip(view.ids, view.vectors, strict=True)
        save_tokens(db, "atom", {(id, 0): row[None] for id, row in rows})
        asked = {(name, 0): direction(ANGLES[name])[None] for name in QUESTIONS}
        save_tokens(db, "question-tuned", asked)


def build_other(results):
    """A second shard with a memory without atoms."""
    shard = results / "plot" / "memory" / "1"
    with writing(shard / "memory.sqlite", provenance("memory")) as db:
        conversations.save_speakers(db, [("pond", ("Ann",))])
        vectors.save_encoder(db, ENCODER)
