"""The chat history of a LongMemEval instance: its sessions, turns and marks.

Three parallel lists hold it: one entry of each is one session. Sessions keep the order
given, which is not always that of their dates; their number is the place in it, and
two copies of a session have one id and two numbers.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from skillmill.data.jsontext import read_id, shown
from skillmill.data.loadreport import Remark
from skillmill.data.turns import TurnKeys, read_date, read_turn
from skillmill.types import Session, Turn

#: Parallel lists, in the order in which `_read_session` takes them.
HAYSTACK = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
#: The key that turns of evidence sessions carry.
MARK = "has_answer"

_TURN_KEYS = TurnKeys(id="id", text="content", caption="caption", speaker="role")


class Haystack(NamedTuple):
    """A history: its sessions, the turns marked as evidence, and what was odd.

    `has_marks` tells that some turn carries a mark, true or false: without any it is
    unknown which turns are evidence.
    """

    sessions: tuple[Session, ...]
    marked: tuple[str, ...]
    has_marks: bool
    remarks: list[Remark]


class _Said(NamedTuple):
    """The turns of one session."""

    turns: tuple[Turn, ...]
    marked: list[str]
    marks: int
    remarks: list[Remark]


def history_fault(row: Mapping[str, object]) -> str | None:
    """Say why an instance has no history that can be read; None if it has one."""
    for key in HAYSTACK:
        if not isinstance(row.get(key), list):
            return f"expected a list under '{key}', got {shown(row.get(key))}"
    lengths = [len(rows) for rows in _lists(row)]
    if len(set(lengths)) == 1:
        return None
    found = ", ".join(f"{n} {key}" for n, key in zip(lengths, HAYSTACK, strict=True))
    return f"expected lists of one length, got {found}"


def read_history(row: Mapping[str, object]) -> Haystack:
    """Read the sessions that have turns, in the order given.

    The lists must be of one length (`history_fault`). Turn ids are
    `D<session>:<position>`, both from 1, whatever the sessions are called.
    """
    entries = list(zip(*_lists(row), strict=True))
    sessions: list[Session] = []
    marked: list[str] = []
    marks = 0
    remarks: list[Remark] = []
    for number, (written, moment, rows) in enumerate(entries, start=1):
        name, date = read_id(written), read_date(moment)
        spoken = _read_turns(rows, number)
        marked += spoken.marked
        marks += spoken.marks
        odd = spoken.remarks + date.remarks + _odd(name, written, date.text)
        remarks += [_within(f"session {number}", remark) for remark in odd]
        if spoken.turns:
            sessions.append(
                Session(number, date.text, date.started, spoken.turns, name)
            )
    remarks += _over_all(sessions)
    return Haystack(tuple(sessions), tuple(marked), marks > 0, remarks)


def _lists(row: Mapping[str, object]) -> list[list[object]]:
    """Give the parallel lists of an instance."""
    return [rows for key in HAYSTACK if isinstance(rows := row[key], list)]


def _read_turns(rows: object, number: int) -> _Said:
    """Read the turns of a session; those that cannot be used are left out."""
    if not isinstance(rows, list):
        message = f"expected a list of turns, got {shown(rows)}; it was left out"
        return _Said((), [], 0, [Remark(None, "session-unusable", message)])
    turns, marked, remarks = [], [], []
    marks = 0
    for position, row in enumerate(rows, start=1):
        fields = row
        if isinstance(row, Mapping):
            # Ids of turns are ours: copies of a session would bring theirs twice.
            fields = {key: row.get(key) for key in ("role", "content")}
        turn, odd, _ = read_turn(fields, f"D{number}:{position}", _TURN_KEYS)
        remarks += [_within(f"turn {position}", remark) for remark in odd]
        if turn is None:
            continue
        turns.append(turn)
        mark = row.get(MARK)
        marks += mark is not None
        marked += [turn.id] if mark is True else []
        if not isinstance(mark, bool | None):
            message = f"expected true or false under '{MARK}', got {shown(mark)}"
            remarks.append(Remark(None, "mark-ignored", f"turn {position}: {message}"))
    if not rows:
        message = "it has no turns and was left out"
        remarks.append(Remark(None, "session-empty", message, "info"))
    return _Said(tuple(turns), marked, marks, remarks)


def _within(place: str, remark: Remark) -> Remark:
    """Say where a remark belongs; a lost turn does not lose the instance."""
    severity = "warning" if remark.severity == "failed" else remark.severity
    return replace(remark, message=f"{place}: {remark.message}", severity=severity)


def _odd(name: str | None, written: object, date: str | None) -> list[Remark]:
    """Report a session without an id or a date."""
    remarks = []
    if name is None:
        message = f"expected an id, got {shown(written)}; it cannot be evidence"
        remarks.append(Remark(None, "session-id-missing", message))
    if date is None:
        remarks.append(Remark(None, "date-missing", "it has no date", "info"))
    return remarks


def _over_all(sessions: list[Session]) -> list[Remark]:
    """Report copies of a session, and dates that fall."""
    remarks = []
    numbers: dict[str, list[int]] = {}
    for session in sessions:
        if session.id is not None:
            numbers.setdefault(session.id, []).append(session.number)
    for name, places in numbers.items():
        if len(places) > 1:
            where = ", ".join(map(str, places))
            message = f"{shown(name)} is the id of the sessions {where}; all are kept"
            message += " and count once as evidence"
            remarks.append(Remark(None, "session-id-repeated", message, "info"))
    times = [session.started for session in sessions if session.started is not None]
    falls = sum(earlier > later for earlier, later in pairwise(times))
    if falls:
        message = f"dates fall {falls} times from one session to the next; the order"
        message += " given is kept"
        remarks.append(Remark(None, "sessions-unsorted", message, "info"))
    return remarks
