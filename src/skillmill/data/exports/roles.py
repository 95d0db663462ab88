"""Chats with assistants: lists of messages, each with a role and its content.

Read are a list of messages; objects with such a list under `messages` or
`conversations` (as in training files); and conversations stored as a tree under
`mapping`, of which the branch that was last shown is taken (as in a ChatGPT export).
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from skillmill.data.exports.threads import Message, Reading, Thread, said
from skillmill.data.jsontext import shown

Fields = Mapping[str, object]

#: Who sets a chat up or serves it, but takes no part in it.
SILENT = frozenset({"system", "developer", "tool", "function"})
_ROLES = ("role", "from", "author")
_CONTENTS = ("content", "value", "text")
_MESSAGES = ("messages", "conversations", "conversation")
_TIMES = ("create_time", "created_at", "timestamp", "date", "time")


def are_roles(top: object) -> bool:
    """Whether some chat with roles is at the top of a parsed file."""
    return any(
        isinstance(row, Mapping) and None not in (_role(row), _content(row))
        for _, rows in _chats(top)
        for row in rows
    )


def read_roles(top: object, name: str) -> Reading:
    """Read the chats of an export as sessions of one conversation called `name`.

    They come by their time where all have one, else in the order of the file: a memory
    is the history of one person with one assistant. One that was taken up again after a
    pause is another session then, so that what is said keeps its day.
    """
    reading = Reading([], [])
    dated: list[tuple[datetime | None, Thread]] = []
    for number, (chat, rows) in enumerate(_chats(top), start=1):
        messages = []
        for position, row in enumerate(rows, start=1):
            message = _message(row)
            if message is not None:
                messages.append(message)
            elif isinstance(row, Mapping) and (_role(row) or "").lower() in SILENT:
                reading.notices += 1
            else:
                place = f"chat {number}, message {position}"
                fault = f"expected a role and words as content, got {shown(row)}"
                reading.lost.append((place, fault))
        if messages:
            times = [m.at for m in messages if m.at is not None]
            began = times[0] if times else _moment(chat)
            if began is not None and messages[0].at is None:
                first = messages[0]
                messages[0] = Message(first.speaker, first.text, began, first.caption)
            dated.append((began, Thread(name, messages)))
    if all(began is not None for began, _ in dated):
        dated.sort(key=lambda pair: pair[0] or datetime.min)
    reading.threads = [thread for _, thread in dated]
    return reading


def _chats(top: object) -> Iterator[tuple[Fields, list[object]]]:
    """Give the chats below the top: the object that holds one, and its messages."""
    if isinstance(top, list):
        if any(isinstance(row, Mapping) and _role(row) is not None for row in top):
            yield {}, top
            return
        for row in top:
            yield from _chats(row)
        return
    if not isinstance(top, Mapping):
        return
    if isinstance(top.get("mapping"), Mapping):
        yield top, _branch(top)
        return
    for key in _MESSAGES:
        rows = top.get(key)
        if isinstance(rows, list):
            for chat, messages in _chats(rows):
                yield chat or top, messages
            return


def _branch(chat: Fields) -> list[object]:
    """Give the messages of a tree from its root to the node that was last shown."""
    found = chat["mapping"]
    nodes = found if isinstance(found, Mapping) else {}
    at = chat.get("current_node")
    if not isinstance(at, str) or at not in nodes:
        leaves = [key for key, node in nodes.items() if not _field(node, "children")]
        at = leaves[-1] if leaves else None
    path: list[object] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        message = _field(nodes[at], "message")
        path += [message] if _has_words(message) else []
        at = _field(nodes[at], "parent")
    return path[::-1]


def _has_words(message: object) -> bool:
    """Whether a node holds a message; roots and hidden steps hold none."""
    return isinstance(message, Mapping) and bool((_content(message) or "").strip())


def _message(row: object) -> Message | None:
    """Read one message; None if it has no role that takes part, or no words."""
    if not isinstance(row, Mapping):
        return None
    role, content = _role(row), _content(row)
    if role is None or content is None or role.lower() in SILENT:
        return None
    return said(_field(row, "name") or role, content, _moment(row))


def _role(row: Fields) -> str | None:
    """Give the role of a message, wherever it stands."""
    for key in _ROLES:
        role = row.get(key)
        role = _field(role, "role") if isinstance(role, Mapping) else role
        if isinstance(role, str) and role.strip():
            return role
    return None


def _content(row: Fields) -> str | None:
    """Give the text of a message: one text, or the texts of its parts."""
    for key in _CONTENTS:
        content = row.get(key)
        if isinstance(content, Mapping):
            content = content.get("parts", content.get("text"))
        if isinstance(content, list):
            parts = [_field(part, "text") or part for part in content]
            return "\n".join(part for part in parts if isinstance(part, str))
        if isinstance(content, str):
            return content
    return None


def _field(row: object, key: str) -> object:
    """Give a field of an object; None if it is none."""
    return row.get(key) if isinstance(row, Mapping) else None


def _moment(row: Fields) -> datetime | None:
    """Give the time of a message or chat, in UTC where it is seconds or has a zone."""
    for key in _TIMES:
        value = row.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return datetime.fromtimestamp(value, UTC).replace(tzinfo=None)
            except (ValueError, OverflowError, OSError):
                continue
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value.strip())
            except ValueError:
                continue
            zone = moment.tzinfo is not None
            return (moment.astimezone(UTC) if zone else moment).replace(tzinfo=None)
    return None
