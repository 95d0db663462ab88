"""Opening a memory store: what retrieval skills and `recall` run on."""

from dataclasses import dataclass
from pathlib import Path

from skillmill.memory.assemble import memory_views
from skillmill.memory.view import MemoryView
from skillmill.skills.contexts import question_contexts
from skillmill.skills.state import QueryContext
from skillmill.store import artifact, conversations, edges, entities, passages, vectors
from skillmill.store.atoms import load_atoms


@dataclass(frozen=True)
class Memory:
    """The memories of one store and its questions.

    `views` are by conversation id; `questions` are (conversation, context), in the
    order of question ids.
    """

    views: dict[str, MemoryView]
    questions: list[tuple[str, QueryContext]]


def open_memory(path: Path) -> Memory:
    """Read a memory store into RAM.

    Raises
    ------
    StoreError
        If it is missing, corrupt or its records do not fit each other.
    """
    with artifact.reading(path, "memory") as db:
        asked = conversations.load_questions(db)
        mentions = entities.load_mentions(db)
        named = vectors.by_id(db, "entity")
        views = memory_views(
            dict(conversations.load_speakers(db)),
            load_atoms(db),
            vectors.by_id(db, "atom"),
            mentions,
            named,
            edges.load_edges(db),
        )
        contexts = question_contexts(
            asked,
            {
                name: text
                for name, _, text in passages.load_passages(db, "question-tuned")
            },
            vectors.by_id(db, "question"),
            vectors.by_id(db, "question-tuned"),
            mentions,
            named,
        )
    homes = [question.conversation for question in asked]
    return Memory(views, list(zip(homes, contexts, strict=True)))
