"""What is relevant to a task, and what was predicted for it, in SkillRouter's files.

Relevance is `relevance.json` (an object, task -> entry) or tasks as JSONL; predictions
are an object, task -> ranked skill ids. docs/library.md describes both.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skillmill.data.jsonrows import read_rows
from skillmill.data.jsontext import (
    parse_json,
    read_id,
    read_text_file,
    shown,
    shown_path,
)
from skillmill.data.loadreport import ReportBuilder, source_name
from skillmill.errors import InputError
from skillmill.types import LoadReport

#: core: core skills, without generic-only tasks; all; single: tasks with one skill.
Mode = Literal["core", "all", "single"]

#: Keys under which files name what is relevant, and its core.
_ALL_KEYS = ("gt_skill_ids", "gt", "relevant")
_CORE_KEYS = ("core_gt_ids", "core_gt")
_GENERIC = "generic_only"


@dataclass(frozen=True, slots=True)
class Relevance:
    """Skills that a task needs: each once, as given; grades above 0 where known."""

    task: str
    relevant: tuple[str, ...]
    grades: Mapping[str, float]


def load_relevance(
    path: Path, mode: Mode = "core"
) -> tuple[list[Relevance], LoadReport]:
    """Load the tasks that a mode scores, sorted by id.

    Returns
    -------
    truths : list of Relevance
    report : LoadReport
        A task that the mode leaves out is loaded, with the info `left-out`. Failed is
        an entry that is no task or has no skills, and one whose id came before.

    Raises
    ------
    InputError
        If the file cannot be read or holds neither form.
    """
    report = ReportBuilder(source_name(path))
    truths: dict[str, Relevance] = {}
    for line, task, entry in _entries(path):
        report.found()
        made = _relevance(task, entry, mode)
        if isinstance(made, str) or task in truths:
            told = made if isinstance(made, str) else f"task {task!r} is given twice"
            code = "bad-row" if isinstance(made, str) else "repeated-id"
            report.item("failed")
            report.problem(path.name, line, task, "failed", code, told)
            continue
        report.item("ok")
        if made is None:
            told = f"task {task!r} is not scored in mode {mode!r}"
            report.problem(path.name, line, task, "info", "left-out", told)
        else:
            truths[made.task] = made
    return [truths[task] for task in sorted(truths)], report.build()


def load_predictions(path: Path) -> tuple[dict[str, tuple[str, ...]], LoadReport]:
    """Load ranked skill ids by task.

    Returns
    -------
    predictions : dict
        Best first. An empty list stays one: it was predicted that nothing fits.
    report : LoadReport
        Failed is a task whose value is no list of texts; it counts as missing.

    Raises
    ------
    InputError
        If the file cannot be read or is no JSON object.
    """
    name = shown_path(path)
    whole = parse_json(read_text_file(path), name)
    if not isinstance(whole, dict):
        raise InputError(
            f"{name}: expected a JSON object, task -> list of skill ids, got"
            f" {shown(whole)}; see docs/library.md",
            record=name,
        )
    report = ReportBuilder(source_name(path))
    found: dict[str, tuple[str, ...]] = {}
    for task, ranked in whole.items():
        report.found()
        if isinstance(ranked, list) and all(isinstance(item, str) for item in ranked):
            found[task] = tuple(ranked)
            report.item("ok")
            continue
        told = f"task {task!r}: expected a list of skill ids, got {shown(ranked)}"
        report.item("failed")
        report.problem(path.name, None, task, "failed", "bad-row", told)
    return found, report.build()


def load_pool(path: Path) -> frozenset[str]:
    """Ids of the skills of a pool: a JSONL file (`.gz` or not), or a folder of them.

    Raises
    ------
    InputError
        If there is no such file, or a row has neither `skill_id` nor `id`.
    """
    files = [path]
    if path.is_dir():
        files = sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")])
    if not files:
        name = shown_path(path)
        raise InputError(
            f"{name}: expected files *.jsonl or *.jsonl.gz, found none; name the folder"
            " of the pool",
            record=name,
        )
    return frozenset(_pool_ids(files))


def _pool_ids(files: Iterable[Path]) -> Iterable[str]:
    for file in files:
        for line, row in read_rows(file):
            own = row if isinstance(row, Mapping) else {}
            skill = read_id(own.get("skill_id", own.get("id")))
            if skill is None:
                name = shown_path(file)
                raise InputError(
                    f"{name}, line {line}: expected `skill_id`, got {shown(row)}",
                    record=name,
                )
            yield skill


def _entries(path: Path) -> Iterable[tuple[int | None, str, object]]:
    """Line (None in one object), task id ('' if none) and entry."""
    if path.suffix != ".json":
        for line, row in read_rows(path):
            own = row if isinstance(row, Mapping) else {}
            yield line, read_id(own.get("task_id", own.get("id"))) or "", row
        return
    name = shown_path(path)
    whole = parse_json(read_text_file(path), name)
    if not isinstance(whole, dict):
        raise InputError(
            f"{name}: expected a JSON object, task -> entry, got {shown(whole)}; tasks"
            " one a line have a name that ends in .jsonl",
            record=name,
        )
    for task, entry in whole.items():
        yield None, task, entry


def _relevance(task: str, entry: object, mode: Mode) -> Relevance | str | None:
    """The task, why it is none, or None where the mode leaves it out."""
    if not isinstance(entry, Mapping) or not task:
        return f"expected a task with an id, got {shown(entry)}"
    every = _skills(entry, _ALL_KEYS)
    if every is None:
        return f"task {task!r}: expected a list of skill ids in `{_ALL_KEYS[0]}`"
    grades = _grades(entry.get("relevance"))
    if grades is None:
        return f"task {task!r}: expected numbers of at least 0 in `relevance`"
    if mode == "core":
        if entry.get("task_type") == _GENERIC:
            return None
        core = _skills(entry, _CORE_KEYS)
        every = every if core is None else core
    if mode == "single" and len(every) != 1:
        return None
    return Relevance(task, every, grades) if every else None


def _skills(entry: Mapping[str, object], keys: Iterable[str]) -> tuple[str, ...] | None:
    """The first list of texts under the keys; None if there is none."""
    for key in keys:
        given = entry.get(key)
        if isinstance(given, list) and all(isinstance(item, str) for item in given):
            return tuple(dict.fromkeys(given))
    return None


def _grades(given: object) -> dict[str, float] | None:
    """Grades above 0; None if they are none."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return None
    found = {}
    for skill, grade in given.items():
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            return None
        if not 0 <= grade < math.inf:
            return None
        if grade:
            found[str(skill)] = float(grade)
    return found
