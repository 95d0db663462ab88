"""Opening a memory store: what retrieval skills and `recall` run on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillmill.interfaces.opened import remembered
from skillmill.memory.assemble import memory_views
from skillmill.memory.forms import PARTS
from skillmill.memory.nearness import one_each
from skillmill.memory.tokens import Tokens
from skillmill.memory.view import MemoryView
from skillmill.skills.contexts import question_contexts
from skillmill.skills.state import QueryContext
from skillmill.store import artifact, conversations, edges, entities, passages, vectors
from skillmill.store.atoms import load_atoms
from skillmill.store.load import load_outcomes
from skillmill.store.tokens import load_tokens

TokenRows = Mapping[tuple[str, int], Tokens]
Identity = dict[str, str | int]


@dataclass(frozen=True)
class Memory:
    """The memories of one store and its questions.

    `views` are by conversation id; `questions` are (conversation, context), in the
    order of question ids. `lacking` are the parts that the store was built without,
    of `memory.forms.PARTS`.
    """

    views: dict[str, MemoryView]
    questions: list[tuple[str, QueryContext]]
    lacking: tuple[str, ...] = ()


@remembered(8)
def opened_memory(files: Sequence[Path]) -> Memory:
    """As `open_memory`: the memory store, and perhaps its token vectors behind it.

    It is shared by all who ask for it, and read only.
    """
    return open_memory(*files)


def open_memory(path: Path, tokens_path: Path | None = None) -> Memory:
    """Read a memory store into RAM, and its token vectors where they are wanted.

    Raises
    ------
    StoreError
        If it is missing, corrupt or its records do not fit each other.
    """
    atom_tokens, question_tokens, token_encoder = _tokens(tokens_path)
    with artifact.reading(path, "memory") as db:
        if tokens_path is not None:
            own = vectors.load_encoder(db)
            vectors.require_encoder(db, _pooled(token_encoder, own))
        left_out = {one.stage for one in load_outcomes(db) if one.state == "skipped"}
        lacking = tuple(part for part in PARTS if part in left_out)
        asked = conversations.load_questions(db)
        mentions = entities.load_mentions(db)
        named = one_each(vectors.by_id(db, "entity"))
        views = memory_views(
            dict(conversations.load_speakers(db)),
            load_atoms(db),
            vectors.by_id(db, "atom"),
            mentions,
            named,
            edges.load_edges(db),
            atom_tokens,
            lacking,
        )
        tuned = {
            name: text for name, _, text in passages.load_passages(db, "question-tuned")
        }
        contexts = question_contexts(
            asked,
            tuned,
            one_each(vectors.by_id(db, "question")),
            one_each(vectors.by_id(db, "question-tuned")),
            mentions,
            named,
            {name: view.last_day for name, view in views.items()},
            {name: rows for (name, _), rows in question_tokens.items()},
        )
    homes = [question.conversation for question in asked]
    return Memory(views, list(zip(homes, contexts, strict=True)), lacking)


def _tokens(path: Path | None) -> tuple[TokenRows, TokenRows, Identity]:
    """Token vectors of turns and of questions, and what made them; none without."""
    if path is None:
        return {}, {}, {}
    with artifact.reading(path, "tokens") as db:
        encoder = vectors.load_encoder(db)
        return load_tokens(db, "atom"), load_tokens(db, "question-tuned"), encoder


def _pooled(tokens: Identity, vectors: Identity) -> Identity:
    """Identity of a token encoder as that of pooled vectors, pooled as these are."""
    same = {name: tokens[name] for name in tokens if name not in {"pooling", "stored"}}
    return same | {name: vectors[name] for name in vectors if name == "pooling"}
