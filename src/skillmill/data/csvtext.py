"""CSV files that a person edits, as spreadsheets save them."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from skillmill.data.jsontext import shown_path
from skillmill.data.plaintext import decode
from skillmill.errors import InputError

_DELIMITERS = ",;\t"
#: A first line by which a spreadsheet tells what parts its cells.
_TOLD = "sep="


def read_text(path: Path, key: str) -> str:
    """The text of a file that a person edits: UTF-8, or what its byte order mark says.

    Raises
    ------
    InputError
        If it cannot be read; `key` is what names it in the configuration.
    """
    name = shown_path(path)
    try:
        return decode(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{name}: expected a file, got '{error.strerror}'; mend {key} in the"
            " configuration",
            record=name,
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(
            f"{name}, line {line}: expected UTF-8 text; save the file as UTF-8",
            record=name,
        ) from error


def csv_rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line that it ends in.

    The first is the header, its cells in lower case and without outer blanks. Commas,
    semicolons or tabs part the cells: whichever the header has most of, since
    spreadsheets of several languages save semicolons.

    Raises
    ------
    InputError
        If a row cannot be read, as where a quote is never closed; names the line.
    """
    skipped = 0
    if text[: len(_TOLD)].lower() == _TOLD:
        skipped, text = 1, text.partition("\n")[2]
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    is_header = True
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                row = [cell.strip().casefold() for cell in cells]
                yield reader.line_num + skipped, row if is_header else cells
                is_header = False
    except csv.Error as error:
        raise InputError(
            f"{name}, line {reader.line_num + skipped}: expected CSV, got a row that"
            f" cannot be read ({error}); mend its quotes",
            record=name,
        ) from error
