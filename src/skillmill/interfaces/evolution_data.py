"""What evolution reads from memories, and what its rollouts depend on."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skillmill.codehash import modules_hash
from skillmill.errors import InputError
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.evolve.rollouts import Asked, asked_hash, memory_hash
from skillmill.interfaces.memories import open_memory
from skillmill.skills.plugins import GROUP
from skillmill.store import artifact
from skillmill.store.atoms import load_question_atoms
from skillmill.store.conversations import load_questions
from skillmill.types import ADVERSARIAL, Question


def questions_of(
    memories: Sequence[Path],
    declared: Declared,
    tokens: Sequence[Path] = (),
) -> dict[str, Asked]:
    """Questions of some splits that have evidence, by id.

    Where splits are drawn (`evaluate.splitting`), the memories hold all conversations.
    `tokens` holds the token vectors of each memory, or nothing: late interaction then
    fails. Adversarial questions and those whose answer was never said are left out: no
    rollout does well or badly on them.
    """
    splits = splits_of(declared, list(known_questions(memories).values()))
    home = {name: split for split, names in splits.items() for name in names}
    found = {}
    beside: Sequence[Path | None] = tokens or [None for _ in memories]
    for path, vectors in zip(memories, beside, strict=True):
        memory = open_memory(path, vectors)
        with artifact.reading(path, "memory") as db:
            evidence = load_question_atoms(db)
            known = {question.id: question for question in load_questions(db)}
        hashes = {
            name: memory_hash(view)
            for name, view in memory.views.items()
            if name in home
        }
        for conversation, query in memory.questions:
            question = known[query.id]
            pooled = question.category != ADVERSARIAL and not question.abstention
            if conversation in home and pooled and evidence.get(query.id):
                found[query.id] = Asked(
                    query=query,
                    view=memory.views[conversation],
                    evidence=evidence[query.id],
                    split=home[conversation],
                    memory=asked_hash(query, hashes[conversation]),
                )
    return found


def of_split(asked: Mapping[str, Asked], split: str) -> tuple[str, ...]:
    """Ids of the questions of one split, sorted.

    Raises
    ------
    InputError
        If there is none.
    """
    mine = tuple(sorted(q for q, one in asked.items() if one.split == split))
    if not mine:
        raise InputError(
            f"evolution: no question of memory.splits.{split} has evidence; name"
            " conversations of the data there"
        )
    return mine


def executor_identity(budget: int) -> dict[str, str | int]:
    """All that a rollout depends on beside skill, question and memory."""
    code = modules_hash("skillmill.skills.batch", "skillmill.skills.primitives")
    return {
        "executor": code,
        "own": _own_primitives(entry_points(group=GROUP)),
        "budget": budget,
        "reader": "none",
        "judge": "none",
    }


def _own_primitives(plugins: Iterable[Any]) -> str:
    """Hash of the modules of primitives of one's own; '' without any."""
    files = []
    for plugin in sorted(plugins, key=lambda one: (one.name, one.value)):
        spec = find_spec(plugin.module)
        text = Path(spec.origin).read_bytes() if spec and spec.origin else b""
        files.append(f"{plugin.name}={hashlib.sha256(text).hexdigest()}")
    return hashlib.sha256(";".join(files).encode()).hexdigest() if files else ""


def known_questions(memories: Sequence[Path]) -> dict[str, Question]:
    """All questions with their right answers, by id."""
    found: dict[str, Question] = {}
    for path in memories:
        with artifact.reading(path, "memory") as db:
            found |= {one.id: one for one in load_questions(db)}
    return found
