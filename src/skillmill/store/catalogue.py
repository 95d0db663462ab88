"""The catalogue of library skills, and the tasks that need them."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from skillmill.store.rows import insert, json_text, json_texts
from skillmill.types import LibrarySkill, Task

_SKILLS = (
    "select id, kind, name, description, path, department, category, tags, related,"
    " inputs, outputs, tools, part_of, body, content_hash from skill"
)


def save_skills(db: sqlite3.Connection, skills: Iterable[LibrarySkill]) -> None:
    """Write skills with their aliases, in any order.

    Raises
    ------
    StoreError
        If an id comes twice, or an alias belongs to two skills.
    """
    ordered = sorted(skills, key=lambda skill: skill.id)
    insert(db, "skill", map(_skill_row, ordered))
    insert(
        db,
        "alias",
        ((path, s.id, at) for s in ordered for at, path in enumerate(s.aliases)),
    )


def load_skills(db: sqlite3.Connection) -> list[LibrarySkill]:
    """Read all skills, sorted by id."""
    aliases: dict[str, list[str]] = {}
    for path, skill in db.execute(
        "select path, skill from alias order by skill, position"
    ):
        aliases.setdefault(skill, []).append(path)
    rows = db.execute(f"{_SKILLS} order by id")
    return [_skill(row, tuple(aliases.get(row[0], ()))) for row in rows]


def count_files(db: sqlite3.Connection) -> int:
    """How many SKILL.md files the skills were read from, identical copies included."""
    (n,) = db.execute(
        "select (select count(*) from skill where kind = 'skill')"
        # A skill whose id is its name has its own folder among its aliases.
        " + (select count(*) from alias as a join skill as s on s.id = a.skill"
        " where substr(s.path, 1, length(a.path) + 1) <> a.path || '/')"
    ).fetchone()
    return int(n)


def load_ids(db: sqlite3.Connection) -> list[str]:
    """Read the ids of all skills, sorted."""
    return [id for (id,) in db.execute("select id from skill order by id")]


def find_skills(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, LibrarySkill]:
    """Read the skills with these ids, without aliases; unknown ids are left out."""
    found = {}
    for id in ids:
        # One query a skill: a list of ids has no fixed length, and few are wanted.
        row = db.execute(f"{_SKILLS} where id = ?", (id,)).fetchone()
        if row is not None:
            found[id] = _skill(row, ())
    return found


def save_tasks(db: sqlite3.Connection, tasks: Iterable[Task]) -> None:
    """Write tasks in the order given, with the skills they need; call it once.

    Raises
    ------
    StoreError
        If an id comes twice, or a task names a skill twice.
    """
    tasks = list(tasks)
    insert(
        db,
        "task",
        ((t.id, at, t.text, json_text(t.categories)) for at, t in enumerate(tasks)),
    )
    insert(
        db,
        "relevant",
        ((t.id, skill, at) for t in tasks for at, skill in enumerate(t.relevant)),
    )


def load_tasks(db: sqlite3.Connection) -> list[Task]:
    """Read all tasks, in the order they were saved in."""
    relevant: dict[str, list[str]] = {}
    for task, skill in db.execute(
        "select task, skill from relevant order by task, position"
    ):
        relevant.setdefault(task, []).append(skill)
    rows = db.execute("select id, text, categories from task order by position, id")
    return [
        Task(id, text, tuple(relevant.get(id, ())), json_texts(categories))
        for id, text, categories in rows
    ]


def _skill_row(skill: LibrarySkill) -> tuple[str | None, ...]:
    return (
        skill.id,
        skill.kind,
        skill.name,
        skill.description,
        skill.path,
        skill.department,
        skill.category,
        json_text(skill.tags),
        json_text(skill.related),
        json_text(skill.inputs),
        json_text(skill.outputs),
        json_text(skill.tools),
        skill.part_of,
        skill.body,
        skill.content_hash,
    )


def _skill(row: tuple[Any, ...], aliases: tuple[str, ...]) -> LibrarySkill:
    lists = (json_texts(text) for text in row[7:12])
    return LibrarySkill(*(*row[:7], *lists, *row[12:], aliases))
