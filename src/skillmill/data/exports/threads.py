"""Threads of messages, and the lines of a chat log that they become."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from skillmill.data.jsontext import clean_text

#: A line of a chat log (docs/chatlog.md).
Line = dict[str, object]


@dataclass(frozen=True, slots=True)
class Message:
    """Who said what, and when: wall time without a zone, None if unknown.

    `caption` names what was sent along.
    """

    speaker: str
    text: str
    at: datetime | None = None
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """Messages in their order; several threads may belong to one conversation."""

    conversation: str
    messages: Sequence[Message]


@dataclass(slots=True)
class Reading:
    """The threads of an export, and what was left out.

    `lost` says for each message that could not be used where it stands and why;
    `notices` counts what is no talk: who joined, what a program was told.
    """

    threads: list[Thread]
    lost: list[tuple[str, str]]
    notices: int = 0


def said(
    speaker: object, text: str, at: datetime | None = None, caption: str | None = None
) -> Message | None:
    """Make a message of clean text; None without a speaker or without words."""
    if not isinstance(speaker, str):
        return None
    who, words = clean_text(speaker).text, clean_text(text).text
    shown = clean_text(caption or "").text or None
    return Message(who, words, at, shown) if who and (words or shown) else None


def chatlog_lines(threads: Iterable[Thread], pause: timedelta) -> list[Line]:
    """Give the lines of a chat log, conversation by conversation.

    A thread begins a new session after a pause longer than `pause`.
    Sessions are numbered through each conversation; the first message of a session
    brings its date.
    """
    lines: list[Line] = []
    numbers: dict[str, int] = {}
    for thread in sorted(threads, key=lambda thread: thread.conversation):
        for session in _sessions(thread, pause):
            name = thread.conversation
            numbers[name] = numbers.get(name, 0) + 1
            known = [message.at for message in session if message.at is not None]
            date = known[0].isoformat(timespec="minutes") if known else None
            for message in session:
                line: Line = {"conversation": name, "session": numbers[name]}
                line |= {"date": date} if date is not None else {}
                line |= {"speaker": message.speaker, "text": message.text}
                line |= {"caption": message.caption} if message.caption else {}
                lines.append(line)
                date = None
    return lines


def _sessions(thread: Thread, pause: timedelta) -> list[list[Message]]:
    """Part a thread where nobody spoke for long."""
    sessions: list[list[Message]] = []
    last: datetime | None = None
    for message in thread.messages:
        rested = message.at and last and message.at - last > pause
        if not sessions or rested:
            sessions.append([])
        sessions[-1].append(message)
        last = message.at or last
    return sessions
