"""From the exports of chat programs to a chat log (docs/chatlog.md)."""

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path

from skillmill.data.exports.roles import are_roles, read_roles
from skillmill.data.exports.slack import (
    are_slack_messages,
    is_slack_folder,
    read_slack,
)
from skillmill.data.exports.threads import Line, Reading, chatlog_lines
from skillmill.data.exports.whatsapp import is_whatsapp, read_whatsapp
from skillmill.data.jsontext import clean_text, parse_json, read_text_file, shown_path
from skillmill.data.loadreport import Remark, ReportBuilder
from skillmill.errors import InputError
from skillmill.types import LoadReport

#: The exports that can be read, each with what it looks like.
FORMS: Mapping[str, str] = {
    "messages": "JSON or JSONL with a role and content for each message",
    "slack": "an unpacked Slack export, or the JSON file of one day",
    "whatsapp": "text, each line `date, time - sender: words`",
}

#: A new session begins when nobody spoke for longer, where an export has no sessions.
PAUSE_HOURS = 6.0


def convert_export(
    path: Path,
    form: str | None = None,
    *,
    day_first: bool | None = None,
    pause_hours: float = PAUSE_HOURS,
) -> tuple[list[Line], LoadReport]:
    """Give the lines of a chat log for an export, and a report of its messages.

    Parameters
    ----------
    path : Path
        The file, or the folder of an unpacked Slack export.
    form : str or None
        One of `FORMS`; None to tell it from the content.
    day_first : bool or None
        For dates like 5/8/2024 in text; None to tell it from all dates of the file.
    pause_hours : float
        A longer silence begins a new session. Chats with roles are sessions as they
        are.

    Returns
    -------
    lines : list of dict
        What a line of a chat log holds, conversation by conversation. Text is in NFC;
        a lone surrogate is U+FFFD. Times are as in the export, without a zone.
    report : LoadReport
        Counts messages; notices (who joined, what a program was told) are none.

    Raises
    ------
    InputError
        If the form is unknown or cannot be told, a file cannot be read, days and
        months cannot be told apart, or no message is left.
    """
    name = shown_path(path)
    if form is not None and form not in FORMS:
        raise InputError(
            f"{name}: expected one of {', '.join(FORMS)} as form, got {form!r}",
            record=name,
        )
    reading = _read(path, name, form, day_first)
    if not any(thread.messages for thread in reading.threads):
        place, fault = reading.lost[0] if reading.lost else ("it", "holds none")
        raise InputError(
            f"{name}: expected messages, got none that can be used ({place}: {fault})",
            record=name,
        )
    lines = chatlog_lines(reading.threads, timedelta(hours=pause_hours))
    return lines, _report(name, reading, len(lines))


def chatlog_text(lines: Iterable[Mapping[str, object]]) -> str:
    """Give the text of a chat log: one JSON object a line, unescaped."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _read(path: Path, name: str, form: str | None, day_first: bool | None) -> Reading:
    """Read an export of a known or of any form."""
    if path.is_dir():
        if form in (None, "slack") and is_slack_folder(path):
            return read_slack(path)
        raise _unknown(name, form, "a folder")
    text = read_text_file(path)
    conversation = clean_text(path.stem).text
    looks_whatsapp = is_whatsapp(text)
    if form in (None, "whatsapp") and looks_whatsapp:
        return read_whatsapp(text, name, conversation, day_first)
    if form == "whatsapp":
        raise _unknown(name, form, "text without such lines")
    if not text.lstrip().startswith(("[", "{")):
        raise _unknown(name, form, "text that is neither JSON nor such lines")
    top = _parse(text, name)
    if form in (None, "slack") and are_slack_messages(top):
        return read_slack(path)
    if form in (None, "messages") and are_roles(top):
        return read_roles(top, conversation)
    raise _unknown(name, form, "JSON of another kind")


def _parse(text: str, name: str) -> object:
    """Parse a JSON file, or the lines of a JSONL file."""
    first = text.lstrip().split("\n", 1)[0].strip()
    rest = text.lstrip().split("\n", 1)[1:]
    if first.startswith("{") and first.endswith("}") and rest and rest[0].strip():
        return [
            parse_json(line, name, number)
            for number, line in enumerate(text.split("\n"), start=1)
            if line.strip()
        ]
    return parse_json(text, name)


def _unknown(name: str, form: str | None, got: str) -> InputError:
    """Say which exports can be read."""
    wanted = {form: FORMS[form]} if form else FORMS
    known = "; ".join(f"{key}: {what}" for key, what in wanted.items())
    return InputError(
        f"{name}: expected a chat export ({known}), got {got}; write a chat log as"
        " docs/chatlog.md describes, or name another file",
        record=name,
    )


def _report(name: str, reading: Reading, usable: int) -> LoadReport:
    """Count the messages of an export."""
    report = ReportBuilder(name)
    report.found(usable + len(reading.lost))
    for _ in range(usable):
        report.item("ok")
    for place, fault in reading.lost:
        report.item("failed")
        message = f"{fault}; it was left out"
        report.add(Remark(None, "message-unusable", message, "failed").at(name, place))
    if reading.notices:
        message = f"{reading.notices} notices that nobody said were left out"
        report.add(Remark(None, "notices", message, "info").at(name))
    return report.build()
