"""A question that no store holds, made ready with the models of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from skillmill.errors import ModelError
from skillmill.interfaces.opened import remembered
from skillmill.interfaces.query_vectors import light
from skillmill.memory.atoms import strip_names
from skillmill.memory.timerange import question_range
from skillmill.memory.view import MemoryView
from skillmill.models.encoder import (
    Encoder,
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
        entities = _tagger([shard / "entities.sqlite"]).tag([text])[0]
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
    settings, encoder = _encoder([shard / "vectors.sqlite", shard / "memory.sqlite"])
    encoded = encoder.encode([text, tuned, *named])
    late = any(node.args.get("late") for node in skill.program)
    return replace(
        asked,
        vector=encoded[0],
        tuned_vector=encoded[1],
        entity_vectors=dict(zip(named, encoded[2:], strict=True)),
        tokens=load_token_encoder(settings).encode_tokens([tuned])[0] if late else None,
    )


@remembered(8)
def _encoder(files: Sequence[Path]) -> tuple[EncoderSettings, Encoder]:
    """Settings of the encoder that made the vectors of a memory, and the encoder.

    Raises
    ------
    ModelError
        If they are not noted, or the encoder here is another one.
    """
    vectors_path, memory_path = files
    noted = _params(vectors_path, "vectors").get("encoder")
    if not isinstance(noted, dict):
        raise ModelError(
            f"{vectors_path}: expected the settings of its encoder, found "
            f"{noted!r}; run the workflow again, or ask by the id of a question",
            record=str(vectors_path),
        )
    settings = EncoderSettings(**noted)
    with artifact.reading(memory_path, "memory") as db:
        vectors.require_encoder(db, identity_of(settings))
    return settings, load_encoder(light(settings))


@remembered(8)
def _tagger(files: Sequence[Path]) -> SpacyTagger:
    """The tagger that found the entities of a memory."""
    made = _params(files[0], "entities")
    return load_tagger(str(made["tagger"]), made.get("kinds", KINDS))


def _params(path: Path, kind: str) -> Mapping[str, Any]:
    """Parameters of the job that made an artifact."""
    with artifact.reading(path, kind) as db:
        return artifact.load_provenance(db).params
