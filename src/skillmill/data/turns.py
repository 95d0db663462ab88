"""Turns and session dates out of JSON objects, whatever their keys are called."""

from collections.abc import Mapping
from typing import NamedTuple

from skillmill.data.dates import parse_session_date
from skillmill.data.jsontext import clean_text, read_id, shown, surrogate_remarks
from skillmill.data.loadreport import Remark
from skillmill.types import Turn

#: Session numbers above this are taken for a fault; a store holds 64 bits.
LAST_SESSION = 10**9


class TurnKeys(NamedTuple):
    """What a format calls the fields of a turn."""

    id: str
    text: str
    caption: str
    speaker: str = "speaker"


class TurnReading(NamedTuple):
    """A turn, or None if it cannot be used, with what was odd about it.

    `stripped` tells that outer blanks were taken off its text or caption; this is
    too common for a remark of its own.
    """

    turn: Turn | None
    remarks: list[Remark]
    stripped: bool = False


class DateReading(NamedTuple):
    """A session's date as written and in ISO minutes, each None if unknown."""

    text: str | None
    started: str | None
    remarks: list[Remark]


def read_turn(row: object, default_id: str, keys: TurnKeys) -> TurnReading:
    """Read one turn; it needs a speaker, and a text or a caption."""
    if not isinstance(row, Mapping):
        return _unusable(f"expected an object, got {shown(row)}")
    speaker = row.get(keys.speaker)
    if not isinstance(speaker, str) or not speaker.strip():
        return _unusable(
            f"expected a name under '{keys.speaker}', got {shown(speaker)}"
        )
    text, caption = row.get(keys.text), row.get(keys.caption)
    if not isinstance(text, str | None):
        return _unusable(f"expected a text under '{keys.text}', got {shown(text)}")
    remarks = []
    if not isinstance(caption, str | None):
        remarks.append(_ignored(keys.caption, caption))
        caption = None
    name, words, image = (clean_text(part or "") for part in (speaker, text, caption))
    if not words.text and not image.text:
        return _unusable(
            f"expected words under '{keys.text}' or '{keys.caption}', got none"
        )
    turn = read_id(row.get(keys.id))
    if turn is None and row.get(keys.id) is not None:
        remarks.append(_ignored(keys.id, row[keys.id]))
    turn = turn or default_id
    remarks += surrogate_remarks(f"turn {turn}", name, words, image)
    return TurnReading(
        Turn(turn, name.text, words.text, image.text or None),
        remarks,
        words.stripped or image.stripped,
    )


def read_date(value: object) -> DateReading:
    """Read the date of a session; an unknown form is kept as text and reported."""
    if value is None:
        return DateReading(None, None, [])
    text = clean_text(value).text if isinstance(value, str) else ""
    started = parse_session_date(text)
    if started is not None:
        return DateReading(text, started, [])
    message = (
        "expected a date like '1:56 pm on 8 May, 2023' or '2023-05-08T13:56',"
        f" got {shown(value)}; the session has no time"
    )
    return DateReading(text or None, None, [Remark(None, "date-unknown", message)])


def _unusable(fault: str) -> TurnReading:
    """Refuse a turn."""
    remark = Remark(None, "turn-unusable", f"turn: {fault}; it was left out", "failed")
    return TurnReading(None, [remark])


def _ignored(key: str, value: object) -> Remark:
    """Report a field of a turn that is not what it should be."""
    return Remark(
        None,
        "field-ignored",
        f"turn: expected a text under '{key}', got {shown(value)}; it was ignored",
    )
