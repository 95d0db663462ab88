"""Opening a memory store: what retrieval skills and `recall` run on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillmill.errors import InputError
from skillmill.memory.assemble import memory_views
from skillmill.memory.view import MemoryView
from skillmill.skills.contexts import question_contexts
from skillmill.skills.skill import parse_skill
from skillmill.skills.state import QueryContext
from skillmill.store import artifact, conversations, edges, entities, passages, vectors
from skillmill.store.atoms import load_atoms
from skillmill.types import RetrievalSkill


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


def read_retrieval_skills(files: Sequence[Path]) -> list[RetrievalSkill]:
    """Read retrieval skills, sorted by name.

    Raises
    ------
    InputError
        If a file cannot be read or used, two skills share a name, or there is none;
        the faults of every file are listed.
    """
    skills: dict[str, tuple[RetrievalSkill, Path]] = {}
    faults = []
    for file in sorted(files):
        try:
            skill = parse_skill(file.read_text(encoding="utf-8"), str(file))
        except InputError as error:
            faults.append(str(error))
            continue
        except (OSError, UnicodeDecodeError) as error:
            faults.append(f"{file}: expected a readable UTF-8 file, got {error}")
            continue
        if skill.name in skills:
            other = skills[skill.name][1]
            faults.append(f"{file}: the name {skill.name!r} is taken by {other}")
        skills[skill.name] = (skill, file)
    if faults:
        raise InputError("; ".join(faults))
    if not skills:
        raise InputError(
            "no retrieval skill was found; set memory.skills to a markdown file or a"
            " folder of them"
        )
    return [skills[name][0] for name in sorted(skills)]
