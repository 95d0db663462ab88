"""From the export of a chat program to a chat log on disk."""

import os
from pathlib import Path

from skillmill.data.chatexport import PAUSE_HOURS, chatlog_text, convert_export
from skillmill.errors import InputError
from skillmill.types import LoadReport


def convert_file(
    source: Path,
    output: Path | None,
    form: str | None = None,
    *,
    day_first: bool | None = None,
    pause_hours: float = PAUSE_HOURS,
    overwrite: bool = False,
) -> tuple[str, LoadReport]:
    """Convert an export, and write the chat log if an `output` is named.

    Parameters
    ----------
    source : Path
        The export; `form`, `day_first` and `pause_hours` as for `convert_export`.
    output : Path or None
        Written whole or not at all; None: nothing is written.
    overwrite : bool
        Whether an output that is there may be replaced.

    Returns
    -------
    text : str
        The chat log.
    report : LoadReport
        Counts messages.

    Raises
    ------
    InputError
        As `convert_export`, and if the output is there or cannot be written.
    """
    if output is not None and output.exists() and not overwrite:
        raise InputError(
            f"{output} is there already; name another file, or give --overwrite",
            record=str(output),
        )
    lines, report = convert_export(
        source, form, day_first=day_first, pause_hours=pause_hours
    )
    text = chatlog_text(lines)
    if output is not None:
        _write(output, text)
    return text, report


def _write(output: Path, text: str) -> None:
    """Write a file beside its place and rename it."""
    partial = output.with_name(f"{output.name}.{os.getpid()}.tmp")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(output)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InputError(
            f"{output}: expected to write the chat log, got {error.strerror}; name"
            " another file",
            record=str(output),
        ) from error
