"""A library of SKILL.md files: from a folder to records and a load report."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from skillmill.data.discovery import (
    DEPTH,
    SKIPPED_FOLDERS,
    SkillFile,
    find_skill_files,
    walk_library,
)
from skillmill.data.loadreport import (
    Remark,
    ReportBuilder,
    outcome_of,
    source_name,
)
from skillmill.data.plaintext import one_line, tidy
from skillmill.data.skillfields import SkillFields, parse_skill_file
from skillmill.types import LibrarySkill, LoadReport, Problem

__all__ = ["find_skill_files", "load_library", "read_skill"]


def read_skill(path: Path, root: Path) -> tuple[SkillFields | None, list[Problem]]:
    """Read one SKILL.md; what cannot be read is a problem, nothing is raised.

    Parameters
    ----------
    path : Path
        The file.
    root : Path
        The library's folder; problems name the file relative to it.

    Returns
    -------
    fields : SkillFields or None
        None if a problem with severity `failed` says why.
    problems : list of Problem
        In the order found.
    """
    below = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
    file = tidy(below.as_posix())[0]
    folder = path.parent.name or path.parent.resolve().name
    fields, remarks = _read(path, folder)
    return fields, [remark.at(file) for remark in remarks]


#: What a skill's id is made of.
Ids = Literal["folder", "name"]


def load_library(
    root: Path,
    skip: Collection[str] = SKIPPED_FOLDERS,
    depth: int = DEPTH,
    ids: Ids = "folder",
) -> tuple[list[LibrarySkill], LoadReport]:
    """Load every skill below a root, ordered by id.

    Equal texts become one skill, the one with the smallest folder, with the others'
    ids as aliases (each counts as loaded). A skill below another's folder is
    `part_of` it. Without a department of its own a skill has that of the skill it
    is part of, else the first of its folders if it lies at least two deep.

    Parameters
    ----------
    root : Path
        The library's folder; it may be a skill itself.
    skip, depth
        See `discovery.walk_library`.
    ids : str
        `folder`: a skill's id is its folder. `name`: it is its name, where no other
        skill has that as name, folder or alias, and its folder is an alias: a skill
        that is moved keeps its id.

    Returns
    -------
    skills : list of LibrarySkill
        Their `path` is relative to the root.
    report : LoadReport
        `found` counts skill files, one per folder; files are relative to the root.

    Raises
    ------
    InputError
        If the root is missing, no folder or unreadable, or holds no skill file.
    """
    files, problems = walk_library(root, skip, depth)
    report = ReportBuilder(source_name(root))
    for problem in problems:
        report.add(problem)
    read: list[tuple[SkillFile, LibrarySkill]] = []
    for found in files:
        report.found()
        skill, problems = _load(found)
        report.item(outcome_of(problems))
        for problem in problems:
            report.add(problem)
        if skill:
            read.append((found, skill))
    skills, folded = _fold_copies(_enclose(read))
    if ids == "name":
        skills = _called_by_name(skills)
    for problem in [*folded, *_name_collisions(skills)]:
        report.add(problem)
    return skills, report.build()


def _read(path: Path, folder: str) -> tuple[SkillFields | None, list[Remark]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"the file cannot be read: {error.strerror}"
        return None, [Remark(None, "unreadable-file", message, "failed")]
    return parse_skill_file(data, folder)


def _load(found: SkillFile) -> tuple[LibrarySkill | None, list[Problem]]:
    remarks = list(found.remarks)
    fields = None
    if not any(remark.severity == "failed" for remark in remarks):
        fields, read = _read(found.path, found.id.rsplit("/", 1)[-1])
        remarks += read
    problems = [remark.at(found.file, found.id) for remark in remarks]
    if fields is None:
        return None, problems
    return _skill(found, fields), problems


def _skill(found: SkillFile, fields: SkillFields) -> LibrarySkill:
    return LibrarySkill(
        id=found.id,
        kind="skill",
        name=fields.name,
        description=fields.description,
        path=found.file,
        department=fields.department,
        category=fields.category,
        tags=fields.tags,
        related=fields.related,
        inputs=fields.inputs,
        outputs=fields.outputs,
        tools=fields.tools,
        part_of=None,
        body=fields.body,
        content_hash=fields.content_hash,
    )


def _enclose(read: Iterable[tuple[SkillFile, LibrarySkill]]) -> list[LibrarySkill]:
    """Say which skill each is part of, and fill in departments, outer skills first."""
    placed: dict[tuple[str, ...], LibrarySkill] = {}
    for found, skill in sorted(read, key=lambda pair: len(pair[0].folder)):
        folder = found.folder
        around = (folder[:depth] for depth in range(len(folder) - 1, -1, -1))
        outer = next((placed[place] for place in around if place in placed), None)
        first = one_line(found.id.split("/")[0]) if len(folder) > 1 else ""
        department = outer.department if outer else first
        placed[folder] = replace(
            skill,
            part_of=outer.id if outer else None,
            department=skill.department or department,
        )
    return sorted(placed.values(), key=lambda skill: skill.id)


def _fold_copies(
    skills: Sequence[LibrarySkill],
) -> tuple[list[LibrarySkill], list[Problem]]:
    """Fold skills of equal text into the one with the smallest id."""
    copies: dict[str, list[LibrarySkill]] = defaultdict(list)
    for skill in skills:
        copies[skill.content_hash].append(skill)
    keeper = {x.id: group[0].id for group in copies.values() for x in group}
    kept, problems = [], []
    for first, *others in copies.values():
        aliases = tuple(other.id for other in others)
        outer = _outer(first, keeper)
        kept.append(replace(first, aliases=aliases, part_of=outer))
        for other in others:
            message = f"the same text as `{first.id}`; `{other.id}` is its alias"
            remark = Remark(None, "duplicate-content", message, "info")
            problems.append(remark.at(other.path, other.id))
    return sorted(kept, key=lambda skill: skill.id), problems


def _called_by_name(skills: Sequence[LibrarySkill]) -> list[LibrarySkill]:
    """Give each skill its name as id where that can mean no other."""
    meant: dict[str, set[str]] = defaultdict(set)
    for skill in skills:
        for name in (skill.name, skill.id, *skill.aliases):
            meant[name.casefold()].add(skill.id)
    new = {
        skill.id: skill.name if len(meant[skill.name.casefold()]) == 1 else skill.id
        for skill in skills
    }
    called = []
    for skill in skills:
        mine = new[skill.id]
        folders = {*skill.aliases, skill.id} - {mine}
        outer = new[skill.part_of] if skill.part_of else None
        called.append(
            replace(skill, id=mine, aliases=tuple(sorted(folders)), part_of=outer)
        )
    return sorted(called, key=lambda skill: skill.id)


def _outer(skill: LibrarySkill, keeper: Mapping[str, str]) -> str | None:
    """The skill around one after folding; a copy is no part of itself."""
    if skill.part_of is None:
        return None
    outer = keeper[skill.part_of]
    return None if outer == skill.id else outer


def _name_collisions(skills: Iterable[LibrarySkill]) -> list[Problem]:
    named: dict[str, list[LibrarySkill]] = defaultdict(list)
    for skill in skills:
        named[skill.name.casefold()].append(skill)
    problems = []
    for group in named.values():
        if len(group) > 1:
            ids = ", ".join(f"`{skill.id}`" for skill in group)
            message = f"the name {group[0].name!r} stands for {len(group)} texts: {ids}"
            remark = Remark(None, "name-collision", f"{message}; all kept", "info")
            problems.append(remark.at(group[0].path, group[0].id))
    return problems
