"""Tasks: requests with the library skills that they need."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skillmill.data.jsonrows import Row, read_rows
from skillmill.data.jsontext import clean_text, read_id, shown, surrogate_remarks
from skillmill.data.loadreport import (
    Remark,
    ReportBuilder,
    outcome_of,
    source_name,
)
from skillmill.data.queries import SOLVED, log_fault
from skillmill.types import LoadReport, Task


class _Keys(NamedTuple):
    id: str
    text: str
    relevant: str


_OWN = _Keys(id="id", text="text", relevant="relevant")
_SKILLSBENCH = _Keys(id="task_id", text="instruction_text", relevant="gt")
#: Fields of SkillsBench that become categories, with the prefix that they get.
_LABELS = {"difficulty": "difficulty", "task_type": "type"}


def load_tasks(path: Path, known: Mapping[str, str]) -> tuple[list[Task], LoadReport]:
    """Load tasks in file order.

    Parameters
    ----------
    path : Path
        JSONL. A row has `id`, `text`, `relevant` (skill ids) and may have
        `categories`; or, as SkillsBench writes it, `task_id`, `instruction_text`,
        `gt`, and `difficulty` and `task_type`, which become the categories
        `difficulty:hard`, `type:clean`. A row without `relevant` (or `gt`) at all is a
        task whose ground truth is not known: it is ranked for, and scored nowhere.
        A row of a log of queries has `chosen` and `outcome` in its place (see
        `data.queries`).
    known : mapping of str to str
        Every skill id and alias, with the id it stands for.

    Returns
    -------
    tasks : list of Task
        `relevant` are known ids, each once, in the order given; () if not known.
    report : LoadReport
        A task without ground truth is loaded, with an info `no-ground-truth`; a
        logged query that was not solved is left out, with an info, and counts as
        loaded. A skill that is not known is dropped with a warning. Failed is a row
        that is no task, a task that has no known skill left, and one whose id an
        earlier row has.

    Raises
    ------
    InputError
        If the file is missing or unreadable, or no line of it is a JSON object.
    """
    report = ReportBuilder(source_name(path))
    tasks: list[Task] = []
    lines: dict[str, int] = {}
    for line, row in read_rows(path):
        report.found()
        record, task, remarks = _read_row(row, line, known, lines)
        problems = [remark.at(path.name, record) for remark in remarks]
        report.item(outcome_of(problems))
        for problem in problems:
            report.add(problem)
        if record is not None:
            lines.setdefault(record, line)
        if task:
            tasks.append(task)
    return tasks, report.build()


def _read_row(
    row: Row, line: int, known: Mapping[str, str], lines: Mapping[str, int]
) -> tuple[str | None, Task | None, list[Remark]]:
    if isinstance(row, str):
        return None, None, [_failed(line, "bad-row", row)]
    keys = _SKILLSBENCH if _SKILLSBENCH.id in row else _OWN
    record = read_id(row.get(keys.id))
    if record is None:
        message = f"expected an id in `{keys.id}`, got {shown(row.get(keys.id))}"
        return None, None, [_failed(line, "bad-row", message)]
    if record in lines:
        message = (
            f"the id {record!r} is given in line {lines[record]} and again in line"
            f" {line}; the first counts. Give each task its own"
        )
        return record, None, [_failed(line, "repeated-id", message)]
    text = row.get(keys.text)
    cleaned = clean_text(text) if isinstance(text, str) else None
    if cleaned is None or not cleaned.text:
        message = f"task {record!r}: expected text in `{keys.text}`, got {shown(text)}"
        return record, None, [_failed(line, "bad-row", message)]
    relevant, remarks, is_usable = _ground(row, keys.relevant, record, line, known)
    for remark in surrogate_remarks(f"task {record!r}", cleaned):
        remarks.append(Remark(line, remark.code, remark.message))
    if not is_usable:
        return record, None, remarks
    return record, Task(record, cleaned.text, relevant, _categories(row)), remarks


def _failed(line: int, code: str, message: str) -> Remark:
    return Remark(line, code, message, "failed")


def _ground(
    row: Mapping[str, object],
    key: str,
    record: str,
    line: int,
    known: Mapping[str, str],
) -> tuple[tuple[str, ...], list[Remark], bool]:
    """The skills that a task needs, what is to be said, and whether it can be used."""
    if key not in row and "chosen" in row:
        if remark := _unsolved(row, record, line):
            return (), [remark], False
        key = "chosen"
    given = row.get(key)
    if given is None:
        return (), [_unknown(record, line)], True
    relevant, remarks = _relevant(given, record, line, known)
    return relevant, remarks, bool(relevant)


def _unsolved(row: Mapping[str, object], record: str, line: int) -> Remark | None:
    """Why a logged query is no task: its row is wrong, or nothing solved it."""
    fault = log_fault(row)
    if fault:
        return _failed(line, "bad-row", f"task {record!r}: {fault}")
    if row.get("outcome") == SOLVED:
        return None
    message = f"task {record!r} was not {SOLVED}; left out"
    return Remark(line, "not-solved", message, "info")


def _unknown(record: str, line: int) -> Remark:
    """The remark that a task has no ground truth."""
    message = (
        f"task {record!r}: its ground truth is not given, so skills are ranked for it"
        " and it is scored nowhere"
    )
    return Remark(line, "no-ground-truth", message, "info")


def _relevant(
    given: object, record: str, line: int, known: Mapping[str, str]
) -> tuple[tuple[str, ...], list[Remark]]:
    """The known skills among those given; the last remark says if none is left."""
    if not isinstance(given, list) or not given:
        message = f"task {record!r}: expected a list of skill ids, got {shown(given)}"
        return (), [_failed(line, "no-relevant-skill", message)]
    found: dict[str, None] = {}
    remarks = []
    for item in given:
        skill = known.get(clean_text(item).text) if isinstance(item, str) else None
        if skill is not None:
            found[skill] = None
            continue
        message = f"task {record!r}, line {line}: no skill is {shown(item)}; dropped"
        remarks.append(Remark(line, "unknown-skill", message))
    if not found:
        message = f"task {record!r}: none of its {len(given)} skills is in the library"
        remarks.append(_failed(line, "no-known-skill", message))
    return tuple(found), remarks


def _categories(row: Mapping[str, object]) -> tuple[str, ...]:
    given = row.get("categories")
    own = given if isinstance(given, list) else [given]
    labels = [each for each in own if isinstance(each, str)]
    for key, prefix in _LABELS.items():
        value = row.get(key)
        if isinstance(value, str) and value.strip():
            labels.append(f"{prefix}:{value.strip()}")
    cleaned = (clean_text(label).text for label in labels)
    return tuple(dict.fromkeys(label for label in cleaned if label))
