"""Carry recorded replies to another folder as JSON Lines, one row a line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillmill.errors import InputError
from skillmill.store.replies import FOLDER, GIVEN, ReplyRecords, model_row
from skillmill.store.reply_notes import all_abilities, save_abilities
from skillmill.store.rows import json_text
from skillmill.store.shards import rows_in, shards_in

_COLUMNS = ("key", "id", *GIVEN, "created")
_NUMBERS = {
    "sample",
    "prompt_tokens",
    "completion_tokens",
    "estimated",
    "tries",
    "seconds",
}
_MAY_BE_NULL = {"reply", "finish"}

# The columns' names come from this package, never from data.
_SELECT = (
    f"select model.identity, {', '.join(_COLUMNS)} from reply"  # noqa: S608
    " join model on model.hash = reply.model where ?1 = '' or role = ?1"
)


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """Rows of an import: new ones, ones that were there, and notes on endpoints."""

    added: int
    known: int
    notes: int


def export_replies(folder: Path, file: Path, role: str = "") -> int:
    """Write the replies of a role (or all) and the notes on endpoints; count replies.

    Lines are sorted by key and age, so equal records give an equal file. There are
    no keys to endpoints in it, but all prompts and replies.

    Raises
    ------
    StoreError
        If a shard cannot be read.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in shards_in(Path(folder) / FOLDER):
        for identity, *values in rows_in(path, _SELECT, (role,)) or ():
            row = json.loads(identity) | dict(zip(_COLUMNS, values, strict=True))
            rows[row["key"], row["id"]] = row
    names = ("endpoint", "model", "name", "value", "noted")
    notes = [dict(zip(names, note, strict=True)) for note in all_abilities(folder)]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as stream:
        for note in notes:
            stream.write(json_text({"ability": note}) + "\n")
        for key in sorted(rows):
            stream.write(json_text({"reply": rows[key]}) + "\n")
    return len(rows)


def import_replies(folder: Path, file: Path) -> ImportCounts:
    """Add the rows of an exported file; all of them or, if one is wrong, none.

    Rows that are there stay as they are, and so do notes on endpoints. Replies are
    trusted: whoever made the file decides what a replayed run says.

    Raises
    ------
    InputError
        If the file cannot be read, or a line is no row; names the line.
    StoreError
        If the rows cannot be written.
    """
    replies: dict[tuple[str, str], dict[str, Any]] = {}
    notes: list[dict[str, str]] = []
    for number, line in _lines(file):
        if "reply" in line:
            row = _checked(
                line["reply"], (*_COLUMNS, "endpoint", "model"), file, number
            )
            replies[row["key"], row["id"]] = row
        else:
            wanted = ("endpoint", "model", "name", "value")
            notes.append(_checked(line.get("ability"), wanted, file, number))
    present = _present(folder)
    new = [row for key, row in sorted(replies.items()) if key not in present]
    if new:
        with ReplyRecords(folder, note_use=False) as records:
            records.add_rows(
                sorted({model_row(row) for row in new}), [_values(row) for row in new]
            )
    known_notes = {note[:3] for note in all_abilities(folder)}
    fresh = [
        note
        for note in notes
        if (note["endpoint"], note["model"], note["name"]) not in known_notes
    ]
    for note in fresh:
        ability = {note["name"]: note["value"]}
        save_abilities(folder, note["endpoint"], note["model"], ability)
    return ImportCounts(len(new), len(replies) - len(new), len(fresh))


def _lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the objects of a file with their line numbers; blank lines are skipped."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{file}: expected a file of exported replies, got {error}; give the path"
            " of one that `skillmill replies export` wrote",
            record=str(file),
        ) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _refused(file, number, f"no JSON ({error})") from error
        if not isinstance(row, dict) or not {"reply", "ability"} & row.keys():
            raise _refused(file, number, "neither a 'reply' nor an 'ability'")
        yield number, row


def _checked(
    row: object, names: tuple[str, ...], file: Path, number: int
) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise _refused(file, number, f"{type(row).__name__} where an object belongs")
    for name in names:
        value = row.get(name)
        if name in _MAY_BE_NULL and value is None:
            continue
        fits = isinstance(value, int | float) if name in _NUMBERS else None
        if fits is False or (fits is None and not isinstance(value, str)):
            raise _refused(file, number, f"{value!r:.60} as '{name}'")
    return row


def _refused(file: Path, number: int, found: str) -> InputError:
    return InputError(
        f"{file}, line {number}: expected a row that `skillmill replies export` wrote,"
        f" found {found}; nothing was imported, mend or leave out the line",
        record=f"{file}:{number}",
    )


def _present(folder: Path) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for path in shards_in(Path(folder) / FOLDER):
        found.update(
            rows_in(path, "select key, id from reply where ?1 = ''", ("",)) or ()
        )
    return found


def _values(row: dict[str, Any]) -> tuple[object, ...]:
    given = (row[column] for column in GIVEN)
    return row["key"], row["id"], model_row(row)[0], *given, row["created"]
