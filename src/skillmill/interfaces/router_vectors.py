"""The vectors that a router sees of questions and skills, each encoded once."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.evolve.confidence import confidence
from skillmill.evolve.llm_router import LlmRouting
from skillmill.evolve.prior_router import Routing, Vectors, hash_vectors
from skillmill.evolve.rollouts import Asked
from skillmill.interfaces.embedding import embed_passages
from skillmill.interfaces.job import Counts
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.skills.skill import render_skill
from skillmill.skills.state import QueryContext
from skillmill.types import RetrievalSkill


def question_vectors(
    queries: Mapping[str, QueryContext],
    encoder: EncoderSettings | None,
    records: Path,
    counts: Counts,
) -> dict[str, Any]:
    """Vector of each question: those of the memory, or of a router's own encoder."""
    if encoder is None:
        return {name: query.vector for name, query in queries.items()}
    texts = [("question", name, 0, query.text) for name, query in queries.items()]
    model = load_encoder(encoder)
    rows = embed_passages(texts, model, None, "truncate", records, counts)
    return {name: vector for _, name, _, vector in rows}


def with_confidence(
    vectors: Mapping[str, Any], asked: Mapping[str, Asked]
) -> dict[str, Any]:
    """The same with how sure the searches are of each question behind its vector."""
    homes: dict[str, list[str]] = {}
    for name in sorted(asked):
        homes.setdefault(asked[name].view.conversation, []).append(name)
    found = {}
    for names in homes.values():
        sure = confidence([asked[n].query for n in names], asked[names[0]].view)
        for name, row in zip(names, sure, strict=True):
            found[name] = np.concatenate([vectors[name], row]).astype(np.float32)
    return found


def named_vectors(routing: Routing) -> Callable[[Sequence[RetrievalSkill]], Vectors]:
    """Names in the place of vectors, for a router that looks at none."""

    def named(skills: Sequence[RetrievalSkill]) -> Vectors:
        rows = hash_vectors([one.content_hash for one in skills])
        if isinstance(routing, LlmRouting):
            routing.know_skills(rows, skills)
        return rows

    return named


def markdown_vectors(
    encoder: EncoderSettings, records: Path, counts: Counts
) -> Callable[[Sequence[RetrievalSkill]], Vectors]:
    """Vectors of skills' markdown, encoded again only when it changes."""
    held: dict[str, Any] = {}

    def vectors(skills: Sequence[RetrievalSkill]) -> Vectors:
        fresh = [one for one in skills if one.content_hash not in held]
        if fresh:
            rows = embed_passages(
                [("skill", s.content_hash, 0, render_skill(s)) for s in fresh],
                load_encoder(encoder),
                None,
                "truncate",
                records,
                counts,
            )
            held.update({name: vector for _, name, _, vector in rows})
        return np.stack([held[one.content_hash] for one in skills])

    return vectors
