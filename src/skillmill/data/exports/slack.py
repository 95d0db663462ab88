"""Workspaces exported as JSON: a folder a channel, a file a day (Slack).

Read are such a folder, unpacked, or one file of it. Names of people come from
`users.json` where it is there. Times are UTC, as the export has them.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

from skillmill.data.exports.threads import Message, Reading, Thread, said
from skillmill.data.jsontext import parse_json, read_text_file, shown, shown_path
from skillmill.errors import InputError

Fields = Mapping[str, object]

#: Messages of these sorts are talk; others say who joined, what was renamed and so on.
SPOKEN = frozenset(
    {"bot_message", "file_share", "me_message", "thread_broadcast", "file_comment"}
)
_USERS = ("users.json", "org_users.json")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.json")
_MARKUP = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")


def is_slack_folder(folder: Path) -> bool:
    """Whether a folder is an unpacked export, or one channel of it."""
    return any((folder / name).is_file() for name in _USERS) or any(
        _DAY.fullmatch(file.name)
        for pattern in ("*.json", "*/*.json")
        for file in folder.glob(pattern)
    )


def are_slack_messages(top: object) -> bool:
    """Whether a parsed file is one day of a channel."""
    return isinstance(top, list) and any(
        isinstance(row, Mapping) and row.get("type") == "message" and "ts" in row
        for row in top
    )


def read_slack(path: Path) -> Reading:
    """Read a folder of channels, one channel, or one file; a thread a channel.

    Raises
    ------
    InputError
        If a file cannot be read or holds no list.
    """
    channels = _channels(path)
    users = _users(path if path.is_dir() else path.parent)
    users = users or _users(path.parent if path.is_dir() else path.parent.parent)
    reading = Reading([], [])
    for channel, files in channels.items():
        dated: list[tuple[float, Message]] = []
        for file in files:
            name = shown_path(file)
            for position, row in enumerate(_rows(file, name), start=1):
                if _is_notice(row):
                    reading.notices += 1
                    continue
                message = _message(row, users)
                if message is None or message.at is None:
                    fault = f"expected a user, a 'ts' and words, got {shown(row)}"
                    reading.lost.append((f"{name}, message {position}", fault))
                else:
                    dated.append((_seconds(row) or 0.0, message))
        dated.sort(key=lambda pair: pair[0])
        if dated:
            messages = [message for _, message in dated]
            reading.threads.append(Thread(channel, messages))
    return reading


def _channels(path: Path) -> dict[str, list[Path]]:
    """Files by channel, in order."""
    if not path.is_dir():
        return {path.stem: [path]}
    days = sorted(file for file in path.glob("*.json") if _DAY.fullmatch(file.name))
    if days:
        return {path.resolve().name: days}
    folders = sorted(folder for folder in path.iterdir() if folder.is_dir())
    return {
        folder.name: files
        for folder in folders
        if (files := sorted(f for f in folder.glob("*.json") if _DAY.fullmatch(f.name)))
    }


def _rows(file: Path, name: str) -> list[object]:
    """Read the messages of a file."""
    rows = parse_json(read_text_file(file), name)
    if isinstance(rows, list):
        return rows
    raise InputError(
        f"{name}: expected a list of messages, got {shown(rows)}; take the file of one"
        " day of a channel",
        record=name,
    )


def _users(folder: Path) -> dict[str, str]:
    """Names of the members by id; none if there is no list of them."""
    names: dict[str, str] = {}
    for file in (folder / name for name in _USERS):
        if not file.is_file():
            continue
        for user in _rows(file, shown_path(file)):
            if isinstance(user, Mapping) and isinstance(user.get("id"), str):
                names[str(user["id"])] = _name_of(user) or str(user["id"])
    return names


def _name_of(user: Fields) -> str | None:
    """The name a member shows: display name, real name or handle."""
    profile = user.get("profile")
    profile = profile if isinstance(profile, Mapping) else {}
    names = [profile.get(key) for key in ("display_name", "real_name")]
    names += [user.get(key) for key in ("display_name", "real_name", "name")]
    return next((n for n in names if isinstance(n, str) and n.strip()), None)


def _is_notice(row: object) -> bool:
    """Whether a row is no talk."""
    if not isinstance(row, Mapping) or row.get("type", "message") != "message":
        return isinstance(row, Mapping)
    subtype = row.get("subtype")
    return isinstance(subtype, str) and subtype not in SPOKEN


def _message(row: object, users: Mapping[str, str]) -> Message | None:
    """Read one message; None if it has no sender, no time or nothing to say."""
    if not isinstance(row, Mapping):
        return None
    user, profile = row.get("user"), row.get("user_profile")
    speaker = users.get(user) if isinstance(user, str) else None
    if speaker is None and isinstance(profile, Mapping):
        speaker = _name_of(profile)
    fallback = [row.get("username"), user, row.get("bot_id")]
    speaker = speaker or next((n for n in fallback if isinstance(n, str) and n), None)
    seconds, text = _seconds(row), row.get("text")
    if seconds is None:
        return None
    at = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    words = _plain(text, users) if isinstance(text, str) else ""
    return said(speaker, words, at, _files(row))


def _seconds(row: object) -> float | None:
    """Seconds since 1970 of a message; None if it has no time of this century."""
    stamp = row.get("ts") if isinstance(row, Mapping) else None
    try:
        seconds = float(stamp) if isinstance(stamp, str | int | float) else -1.0
    except ValueError:
        return None
    return seconds if 0 <= seconds < 2**33 else None


def _files(row: Fields) -> str | None:
    """The names of the files sent along."""
    files = row.get("files")
    named = [
        file.get("title") or file.get("name")
        for file in (files if isinstance(files, list) else [])
        if isinstance(file, Mapping)
    ]
    return ", ".join(name for name in named if isinstance(name, str)) or None


def _plain(text: str, users: Mapping[str, str]) -> str:
    """Take the markup of mentions, channels and links off."""

    def written(match: re.Match[str]) -> str:
        sign, target, label = match["sign"], match["target"], match["label"]
        if sign == "@":
            return f"@{users.get(target, label or target)}"
        if sign == "#":
            return f"#{label or target}"
        if sign == "!":
            return label or f"@{target}"
        return f"{label} ({target})" if label and label != target else target

    return unescape(_MARKUP.sub(written, text))
