"""Text out of JSON files: read with a clear word on failure, cleaned once."""

import json
import re
import reprlib
import unicodedata
from pathlib import Path
from typing import NamedTuple

from skillmill.data.loadreport import Remark
from skillmill.errors import InputError

_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORT = reprlib.Repr()
_SHORT.maxstring = 60
_SHORT.maxlevel = 1


class CleanText(NamedTuple):
    """A text in NFC without outer blanks, and what had to be done for it."""

    text: str
    stripped: bool
    surrogates: int


def clean_text(raw: str) -> CleanText:
    """Strip outer blanks, put U+FFFD for lone surrogates, normalise to NFC."""
    text = raw.strip()
    stripped = text != raw
    if text.isascii():
        return CleanText(text, stripped, 0)
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    return CleanText(unicodedata.normalize("NFC", text), stripped, surrogates)


def surrogate_remarks(what: str, *cleaned: CleanText) -> list[Remark]:
    """Report the lone surrogates replaced in some texts, if there were any."""
    count = sum(text.surrogates for text in cleaned)
    if not count:
        return []
    return [
        Remark(
            None,
            "lone-surrogate",
            f"{what}: expected Unicode text, got {count} lone surrogates;"
            " each was replaced by U+FFFD",
        )
    ]


def read_id(value: object) -> str | None:
    """Give an id as clean text; None unless it is an int or a text with content.

    A text with a lone surrogate is refused: replacing it could join two ids.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return None
    text, _, surrogates = clean_text(value)
    return text if text and not surrogates else None


def shown(value: object) -> str:
    """Give a value for a message: short, and printable whatever it holds."""
    return _SHORT.repr(value)


def shown_path(path: Path) -> str:
    """Give a path for reports and messages; undecodable bytes become U+FFFD."""
    return clean_text(path.as_posix()).text


def read_text_file(path: Path) -> str:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises
    ------
    InputError
        If the file is missing, unreadable, not UTF-8 or empty.
    """
    name = shown_path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{name}: expected a readable file, got '{error.strerror}';"
            " check the path and its permissions",
            record=name,
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}, line {line}: expected UTF-8 text, got the byte"
            f" 0x{error.object[error.start]:02x}; save the file as UTF-8",
            record=name,
        ) from error
    if not text.strip():
        raise InputError(
            f"{name}: expected JSON, got an empty file; check that it was"
            " copied completely",
            record=name,
        )
    return text


def parse_json(text: str, name: str, first_line: int = 1) -> object:
    """Parse JSON text that starts in line `first_line` of the file `name`.

    Raises
    ------
    InputError
        If it is broken, nested too deep, or holds a number too long to read.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{name}, line {first_line + error.lineno - 1}, column {error.colno}"
        fault = f"broken JSON ({error.msg})"
    except RecursionError:
        where = f"{name}, line {first_line}"
        fault = "lists or objects nested too deep to read"
    except ValueError:
        where = f"{name}, line {first_line}"
        fault = "a number with too many digits to read"
    raise InputError(f"{where}: expected JSON, got {fault}; mend it there", record=name)
