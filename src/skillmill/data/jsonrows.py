"""Rows of a JSONL file, one JSON object a line, gzipped or not."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from skillmill.data.jsontext import parse_json, shown, shown_path
from skillmill.data.plaintext import decode
from skillmill.errors import InputError

#: A parsed row, or why the line is none.
Row = Mapping[str, object] | str


def read_rows(path: Path) -> list[tuple[int, Row]]:
    """Read the lines that are not blank, numbered from 1, in file order.

    Returns
    -------
    list of (line, row)
        `row` is the object, or a sentence saying why the line holds none.

    Raises
    ------
    InputError
        If the file is missing, unreadable or no text, or one JSON list, or no line
        of it is a JSON object; the message names the first line then.
    """
    name = shown_path(path)
    text = _text(path, name)
    rows = list(_rows(text, name))
    is_list = text.lstrip().startswith("[")
    if is_list or not any(isinstance(row, Mapping) for _, row in rows):
        line, reason = rows[0] if rows else (1, "got an empty file")
        raise InputError(
            f"{name}, line {line}: expected JSONL, one JSON object a line; {reason}",
            record=name,
        )
    return rows


def _text(path: Path, name: str) -> str:
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        return decode(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{name}: expected a gzip file, got one that is broken ({error});"
            " copy it again",
            record=name,
        ) from error
    except OSError as error:
        raise InputError(
            f"{name}: expected a readable file, got '{error.strerror}';"
            " check the path and its permissions",
            record=name,
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}, line {line}: expected UTF-8 text, got {error.reason};"
            " save the file as UTF-8",
            record=name,
        ) from error


def _rows(text: str, name: str) -> Iterator[tuple[int, Row]]:
    # splitlines() would also part rows at U+2028, which JSON allows in a string
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            yield line, _row(row, name, line)


def _row(text: str, name: str, line: int) -> Row:
    try:
        row = parse_json(text, name, line)
    except InputError as error:
        return str(error)
    if isinstance(row, dict):
        return row
    return f"expected a JSON object, got {shown(row)}"
