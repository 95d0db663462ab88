"""Data sets that lie in one JSON file, or in all of a folder."""

from pathlib import Path

from skillmill.data.jsontext import parse_json, read_text_file, shown, shown_path
from skillmill.data.loadreport import Remark, ReportBuilder
from skillmill.errors import InputError


def json_files(path: Path, what: str) -> list[Path]:
    """List the files to read: the path itself, or a folder's `.json` files by name.

    `what` names the data set in the error.

    Raises
    ------
    InputError
        If a folder holds no such file.
    """
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.glob("*.json") if file.is_file())
    if not files:
        raise InputError(
            f"{shown_path(path)}: expected a folder with .json files, got none;"
            f" name the file, or put {what}'s there",
            record=shown_path(path),
        )
    return files


def read_list(file: Path, what: str) -> list[object]:
    """Read a file whose top is a list; `what` says of what, in the error.

    Raises
    ------
    InputError
        If the file cannot be read, is no JSON or has something else at the top.
    """
    name = shown_path(file)
    rows = parse_json(read_text_file(file), name)
    if isinstance(rows, list):
        return rows
    keys = f" with the keys {shown(list(rows))}" if isinstance(rows, dict) else ""
    raise InputError(
        f"{name}: expected a list of {what} at the top, got"
        f" {'an object' if keys else shown(rows)}{keys}; put them into [ ]",
        record=name,
    )


def refuse_twice(what: str, record: str, home: str | None, name: str) -> None:
    """Refuse a record that was read before, from the file `home`.

    Raises
    ------
    InputError
        If `home` is not None.
    """
    if home is None:
        return
    where = f"twice in {name}" if home == name else f"in {home} and in {name}"
    raise InputError(
        f"{what} '{record}' is {where}; expected each id once, take one of them away",
        record=record,
    )


def note(report: ReportBuilder, file: str, record: str, remarks: list[Remark]) -> None:
    """Place remarks in a report, at a record of a file."""
    for remark in remarks:
        report.add(remark.at(file, record))
