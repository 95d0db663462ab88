"""The texts that stand for a library skill or a task when it is embedded."""

from collections.abc import Iterable

from skillmill.library.sentences import sentences
from skillmill.models.chunks import split_text
from skillmill.models.tokens import Pieces
from skillmill.types import LibrarySkill, Task

#: Record id, part number within it, text.
Passage = tuple[str, int, str]

#: The part that is the whole task, or a skill's name and description.
WHOLE = 0


def skill_text(skill: LibrarySkill) -> str:
    """Name and description, the text that rankers see."""
    return f"{skill.name}: {skill.description}"


def skill_passages(
    skills: Iterable[LibrarySkill], pieces: Pieces | None = None
) -> list[Passage]:
    """Passages of each skill, sorted by id and part.

    Part 0 is the name and description. With `pieces` the body follows from part 1,
    cut into what the encoder reads, so that its end is in a vector too.
    """
    rows = []
    for skill in skills:
        body = split_text(skill.body, pieces) if pieces and skill.body.strip() else []
        texts = [skill_text(skill), *body]
        rows += [(skill.id, part, text) for part, text in enumerate(texts)]
    return sorted(rows)


def task_passages(tasks: Iterable[Task]) -> list[Passage]:
    """Passages of each task, sorted by id: part 0 the whole, then its sentences."""
    rows = []
    for task in tasks:
        texts = [task.text, *sentences(task.text)]
        rows += [(task.id, part, text) for part, text in enumerate(texts)]
    return sorted(rows)
