"""The texts that stand for a library skill or a task when it is embedded."""

from collections.abc import Iterable

from skillmill.types import LibrarySkill, Task

#: Record id, part number within it, text.
Passage = tuple[str, int, str]


def skill_text(skill: LibrarySkill) -> str:
    """Name and description, the text that rankers see."""
    return f"{skill.name}: {skill.description}"


def skill_passages(skills: Iterable[LibrarySkill]) -> list[Passage]:
    """One passage a skill, sorted by id."""
    return sorted((skill.id, 0, skill_text(skill)) for skill in skills)


def task_passages(tasks: Iterable[Task]) -> list[Passage]:
    """One passage a task, sorted by id."""
    return sorted((task.id, 0, task.text) for task in tasks)
