"""A question that no store holds, made ready with the models of a study."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.errors import ModelError
from skillmill.memory.atoms import strip_names
from skillmill.memory.timerange import question_range
from skillmill.memory.view import MemoryView
from skillmill.models.encoder import (
    EncoderSettings,
    identity_of,
    load_encoder,
    load_token_encoder,
)
from skillmill.models.tagger import KINDS, SpacyTagger, load_tagger
from skillmill.skills.state import QueryContext
from skillmill.store import artifact, vectors
from skillmill.types import RetrievalSkill

#: What a question without an id is called.
FREE = "question"


def free_context(
    text: str, view: MemoryView, skill: RetrievalSkill, shard: Path
) -> QueryContext:
    """Encode and tag a question, as far as a skill reads it.

    Parameters
    ----------
    text : str
        The question.
    view : MemoryView
        The memory it is about.
    skill : RetrievalSkill
        Entities are looked for only if it searches by them, token vectors made only
        if it searches by late interaction; none of a memory without vectors.
    shard : Path
        Folder of the study's stores that hold the memory.

    Raises
    ------
    ModelError
        If a model is missing, or the encoder here is not the one that made the
        memory's vectors.
    """
    tuned = strip_names(text, view.speakers)
    entities: Mapping[str, Mapping[str, int]] = {}
    if any(node.primitive == "entity_search" for node in skill.program):
        entities = _tagger_of(shard).tag([text])[0]
    named = sorted(entities.get("ner", {}))
    asked = QueryContext(
        id=FREE,
        text=text,
        tuned_text=tuned,
        vector=np.zeros(0, np.float32),
        tuned_vector=np.zeros(0, np.float32),
        entities=entities,
        time_range=question_range(tuned, view.last_day),
    )
    if "vectors" in view.lacking:
        return asked
    settings = _encoder_of(shard)
    with artifact.reading(shard / "memory.sqlite", "memory") as db:
        vectors.require_encoder(db, identity_of(settings))
    encoded = load_encoder(settings).encode([text, tuned, *named])
    late = any(node.args.get("late") for node in skill.program)
    return replace(
        asked,
        vector=encoded[0],
        tuned_vector=encoded[1],
        entity_vectors=dict(zip(named, encoded[2:], strict=True)),
        tokens=load_token_encoder(settings).encode_tokens([tuned])[0] if late else None,
    )


def _encoder_of(shard: Path) -> EncoderSettings:
    """Settings of the encoder that made the vectors of a shard.

    Raises
    ------
    ModelError
        If they are not noted.
    """
    noted = _params(shard / "vectors.sqlite", "vectors").get("encoder")
    if not isinstance(noted, dict):
        raise ModelError(
            f"{shard / 'vectors.sqlite'}: expected the settings of its encoder, found "
            f"{noted!r}; run the workflow again, or ask by the id of a question",
            record=str(shard),
        )
    return EncoderSettings(**noted)


def _tagger_of(shard: Path) -> SpacyTagger:
    """The tagger that found the entities of a shard."""
    made = _params(shard / "entities.sqlite", "entities")
    return load_tagger(str(made["tagger"]), made.get("kinds", KINDS))


def _params(path: Path, kind: str) -> Mapping[str, Any]:
    """Parameters of the job that made an artifact."""
    with artifact.reading(path, kind) as db:
        return artifact.load_provenance(db).params
