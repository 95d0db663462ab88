"""Chats exported as text, one message a line after its date and sender (WhatsApp).

Known are the two layouts `[date, time] sender: words` and `date, time - sender: words`,
with dots, slashes or hyphens in the date and 12 or 24 hours. A line without a date
belongs to the message before it.
"""

import re
from datetime import datetime
from itertools import pairwise

from skillmill.data.exports.threads import Message, Reading, Thread, said
from skillmill.errors import InputError

# Marks of direction and the narrow blank that some phones write before AM.
_HEAD = re.compile(
    r"[\u200e\u200f\ufeff]*\[?(?P<date>[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4}),?\s"
    r"(?P<hour>[0-9]{1,2})[:.](?P<minute>[0-9]{2})(?:[:.][0-9]{2})?"
    r"(?:\s?(?P<half>[ap])\.?\s?m\.?)?(?:\]\s|\s[-–]\s)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SENDER = re.compile(r"(?P<sender>[^:\n]{1,80}?):\s(?P<words>.*)", re.DOTALL)
_OMITTED = re.compile(
    r"[\u200e\u200f]*<?(?:media|image|photo|video|audio|voice message|sticker|gif"
    r"|document|contact card) omitted>?",
    re.IGNORECASE,
)

#: Day and month of a line, its place from 1 and what follows the time.
_Entry = tuple[int, re.Match[str], str]


def is_whatsapp(text: str) -> bool:
    """Whether one of the first lines begins as a message does."""
    lines = [line for line in text.split("\n") if line.strip()][:20]
    return any(_HEAD.match(line) for line in lines)


def read_whatsapp(
    text: str, name: str, conversation: str, day_first: bool | None
) -> Reading:
    """Read a chat as one thread.

    Whether the day or the month comes first is told by dates that only one order
    allows, else by the order in which time does not run back; a date with dots has the
    day first.

    Raises
    ------
    InputError
        If neither tells it and `day_first` is None, or a date is in no calendar.
    """
    entries = _entries(text)
    order = _day_first(entries, name) if day_first is None else day_first
    reading = Reading([], [])
    messages: list[Message] = []
    for line, head, rest in entries:
        spoken = _SENDER.fullmatch(rest)
        if spoken is None or _OMITTED.fullmatch(spoken["words"].strip()):
            reading.notices += 1
            continue
        at = _moment(head, order)
        if at is None:
            raise InputError(
                f"{name}, line {line}: expected a date with the"
                f" {'day' if order else 'month'} first, got {head['date']!r}; say the"
                " other order",
                record=name,
            )
        message = said(spoken["sender"], spoken["words"], at)
        if message is None:
            reading.lost.append((f"line {line}", "expected a sender and words"))
        else:
            messages.append(message)
    reading.threads = [Thread(conversation, messages)] if messages else []
    return reading


def _entries(text: str) -> list[_Entry]:
    """Join the lines of each message: line of its head, the head, all that follows."""
    entries: list[tuple[int, re.Match[str], list[str]]] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        head = _HEAD.fullmatch(line)
        if head is not None:
            entries.append((number, head, [head["rest"]]))
        elif entries:
            entries[-1][2].append(line)
    return [
        (number, head, "\n".join(parts).rstrip()) for number, head, parts in entries
    ]


def _day_first(entries: list[_Entry], name: str) -> bool:
    """Tell the order of day and month from all dates together."""
    falls: dict[bool, int] = {}
    for order in (True, False):
        times = [_moment(head, order) for _, head, _ in entries]
        known = [time for time in times if time is not None]
        if len(known) == len(times):
            falls[order] = sum(a > b for a, b in pairwise(known))
    if falls and (len(falls) == 1 or falls[True] != falls[False]):
        return min(falls, key=lambda order: falls[order])
    dates = {head["date"] for _, head, _ in entries}
    if falls and all("." in date or _parts(date)[0] > 31 for date in dates):
        return True
    raise InputError(
        f"{name}: expected dates that tell day and month apart, got {min(dates)!r} and"
        f" {len(dates) - 1} others; say which comes first:"
        " --day-first or --month-first",
        record=name,
    )


def _moment(head: re.Match[str], day_first: bool) -> datetime | None:
    """Read the date and time of a head; None where the calendar has no such."""
    a, b, c = _parts(head["date"])
    year, month, day = (a, b, c) if a > 31 else (c, b, a) if day_first else (c, a, b)
    hour = int(head["hour"])
    if head["half"]:
        hour = hour % 12 + (12 if head["half"] in "pP" else 0)
    try:
        return datetime(
            year + (2000 if year < 100 else 0), month, day, hour, int(head["minute"])
        )
    except ValueError:
        return None


def _parts(date: str) -> tuple[int, int, int]:
    """Give the three numbers of a date as written."""
    first, second, third = (int(part) for part in re.split("[./-]", date))
    return first, second, third
