"""Skills whose text is only a stand-in, and the tasks that need others."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from skillmill.data.jsontext import parse_json, read_text_file, shown, shown_path
from skillmill.errors import InputError
from skillmill.types import Task

#: Category of the tasks whose ground truth is not only stand-ins.
ORIGINAL = "original"


def load_standins(path: Path) -> frozenset[str]:
    """Ids of stand-in skills.

    Parameters
    ----------
    path : Path
        A JSON list of ids, or of objects with the id in `slug`.

    Raises
    ------
    InputError
        If the file is missing, broken or something else.
    """
    name = shown_path(path)
    rows = parse_json(read_text_file(path), name)
    if not isinstance(rows, list):
        raise InputError(
            f"{name}: expected a JSON list, got {shown(rows)}", record=name
        )
    found = set()
    for place, row in enumerate(rows):
        slug = row.get("slug") if isinstance(row, dict) else row
        if not isinstance(slug, str):
            raise InputError(
                f"{name}, item {place}: expected a skill's id, or an object with it in"
                f" `slug`, got {shown(row)}",
                record=name,
            )
        found.add(slug)
    return frozenset(found)


def mark_original(tasks: Iterable[Task], standins: Collection[str]) -> list[Task]:
    """Give tasks the category `original` if any skill they need is no stand-in.

    Tasks whose ground truth is not known get none.
    """
    return [
        task
        if set(task.relevant) <= set(standins)
        else replace(task, categories=(*task.categories, ORIGINAL))
        for task in tasks
    ]
