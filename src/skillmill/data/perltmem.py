"""The memory of one PerLTQA character: four sources, made sessions of a conversation.

Each field of the profile, each relation, each event and each dialogue is one session,
whose `id` is the key that questions refer to (`profile:Gender`, `7_0`, `7_0_0`,
`7_0_0#0`). Only dialogues have a time, as ERSkill has it (appendix A.1): what an event
says of its date stays text. The prose that repeats the profile is not read.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillmill.data.jsontext import clean_text, shown, surrogate_remarks
from skillmill.data.loadreport import Remark
from skillmill.data.turns import read_date
from skillmill.types import Conversation, Session, Turn

#: The four sources, in the order in which a character's sessions are numbered.
SOURCES = ("profile", "social_relationship", "events", "dialogues")

#: The inner keys of the English editions that are not just read on.
_NAME, _DESCRIPTION = "Supporting Characters", "Description"
_EVENT_LABELS = ("Theme", "Creation Time")

_NUMBER = re.compile(r"([0-9]+)_")
_COLON = re.compile("[:：]")


class Record(NamedTuple):
    """One record of a source as it was read.

    Without a session it says nothing, or, with a `failed` remark, it was lost.
    """

    key: str
    session: Session | None
    remarks: list[Remark]


class Character(NamedTuple):
    """One character: the conversation, and what was read of each record.

    `number` starts the keys of all records but the profile's; None if there are none.
    """

    conversation: Conversation
    number: str | None
    records: list[Record]

    @property
    def sessions(self) -> dict[str, Session]:
        """Usable sessions by key."""
        return {r.key: r.session for r in self.records if r.session is not None}


class _Draft(NamedTuple):
    """A record before it has a number: what is said in it, by whom, and when."""

    key: str
    lines: list[tuple[str, str]]
    date_text: str | None
    started: str | None
    remarks: list[Remark]


def read_character(name: str, row: Mapping[str, object]) -> Character:
    """Read all records of a character, in the order of the sources and the file.

    The protagonist is the only speaker that the conversation names: the others tell
    records apart, and questions ask for them.
    """
    records: list[Record] = []
    taken: set[str] = set()
    for draft in _drafts(name, row):
        if not draft.lines:
            records.append(Record(draft.key, None, draft.remarks))
        elif draft.key in taken:
            records.append(Record(draft.key, None, [_failed("a key that is taken")]))
        else:
            taken.add(draft.key)
            records.append(_record(draft, len(taken)))
    numbers = [n for record in records if (n := number_of(record.key)) is not None]
    sessions = tuple(r.session for r in records if r.session is not None)
    conversation = Conversation(name, (name,), sessions)
    return Character(conversation, numbers[0] if numbers else None, records)


def number_of(key: str) -> str | None:
    """Give the character's number that a memory key starts with; None if none does."""
    match = _NUMBER.match(key)
    return match[1] if match else None


def _record(draft: _Draft, number: int) -> Record:
    """Make the session of a draft; a single line has the key itself as turn id."""
    turns = []
    remarks = list(draft.remarks)
    for position, (speaker, text) in enumerate(draft.lines, start=1):
        who, words = clean_text(speaker), clean_text(text)
        remarks += surrogate_remarks(f"line {position}", who, words)
        single = "#" not in draft.key
        turn = draft.key if single else f"{draft.key}:{position}"
        turns.append(Turn(turn, who.text, words.text))
    session = Session(number, draft.date_text, draft.started, tuple(turns), draft.key)
    return Record(draft.key, session, remarks)


def _drafts(name: str, row: Mapping[str, object]) -> Iterator[_Draft]:
    """Read the records of the four sources."""
    sources: dict[str, Mapping[str, object]] = {}
    for source in SOURCES:
        found = row.get(source)
        if isinstance(found, Mapping):
            sources[source] = found
        elif found is not None:
            fault = f"an object with records, got {shown(found)}"
            yield _Draft(source, [], None, None, [_failed(fault)])
    for field, value in sources.get("profile", {}).items():
        yield _field(name, clean_text(field).text, value)
    people: dict[str, str] = {}
    for key, value in sources.get("social_relationship", {}).items():
        draft, person = _relation(name, clean_text(key).text, value)
        people[draft.key] = person
        yield draft
    for key, value in sources.get("events", {}).items():
        yield _event(name, clean_text(key).text, value, people)
    for key, value in sources.get("dialogues", {}).items():
        yield _dialogue(name, clean_text(key).text, value)


def _field(name: str, field: str, value: object) -> _Draft:
    """Read a field of the profile: `Gender: female`."""
    text = _words(value)
    if value is None or (isinstance(value, str) and not text):
        empty = Remark(None, "record-empty", "the profile does not say", "info")
        return _Draft(f"profile:{field}", [], None, None, [empty])
    if not text:
        return _unusable(f"profile:{field}", "a text or a number", value)
    return _Draft(f"profile:{field}", [(name, f"{field}: {text}")], None, None, [])


def _relation(name: str, key: str, value: object) -> tuple[_Draft, str]:
    """Read a relation and give the other person's name, '' if it has none."""
    remarks = []
    fields = value
    if isinstance(value, str) and value.strip():
        fields = _literal(value)
        message = "expected an object, got the text form of one, which was read"
        remark = Remark(None, "relation-text", message, "info")
        if not isinstance(fields, Mapping):
            fields = {_DESCRIPTION: value}
            message = "expected an object, got prose, which was taken as description"
            remark = Remark(None, "relation-prose", message)
        remarks.append(remark)
    if not isinstance(fields, Mapping):
        return _unusable(key, "an object", value), ""
    person, description = _words(fields.get(_NAME)), _words(fields.get(_DESCRIPTION))
    # The key of the relation itself differs between the editions.
    rest = [_words(v) for k, v in fields.items() if k not in {_NAME, _DESCRIPTION}]
    head = ", ".join(part for part in (person, *rest) if part)
    text = ": ".join(part for part in (head, description) if part)
    if not text:
        return _unusable(key, "words", value), person
    return _Draft(key, [(name, text)], None, None, remarks), person


def _event(name: str, key: str, value: object, people: Mapping[str, str]) -> _Draft:
    """Read an event: summary, what happened, then theme, date and people by name."""
    if not isinstance(value, Mapping):
        return _unusable(key, "an object", value)
    parts = [_words(value.get(field)) for field in ("summary", "content")]
    if not any(parts):
        return _unusable(key, "words under 'summary' or 'content'", value)
    parts += [
        f"{label}: {words}" if (words := _words(value.get(label))) else ""
        for label in _EVENT_LABELS
    ]
    named = value.get("Characters")
    keys = named if isinstance(named, list) else []
    who = [people.get(clean_text(str(person)).text) for person in keys]
    if any(who):
        parts.append(f"Characters: {', '.join(filter(None, who))}")
    text = "\n".join(part for part in parts if part)
    date = clean_text(_words(value.get("Creation Time"))).text or None
    return _Draft(key, [(name, text)], date, None, [])


def _dialogue(name: str, key: str, value: object) -> _Draft:
    """Read a dialogue: its lines by time; it began at the first time that is known."""
    contents = value.get("contents") if isinstance(value, Mapping) else None
    if not isinstance(contents, Mapping):
        return _unusable(key, "an object under 'contents'", value)
    moments = []
    remarks: list[Remark] = []
    for written, said in contents.items():
        date = read_date(written)
        remarks += date.remarks
        moments.append((date.started or "", date.text, said))
    # Of unknown times the order of the file is kept, after what is known.
    moments.sort(key=lambda moment: (not moment[0], moment[0]))
    lines: list[tuple[str, str]] = []
    for _, _, said in moments:
        for line in said if isinstance(said, list) else [said]:
            spoken, odd = _line(line, lines[-1][0] if lines else name)
            lines += spoken
            remarks += odd
    if not lines:
        return _unusable(key, "lines under 'contents'", contents)
    started, date_text, _ = moments[0]
    return _Draft(key, lines, date_text, started or None, remarks)


def _line(line: object, speaker: str) -> tuple[list[tuple[str, str]], list[Remark]]:
    """Part a line at its first colon; one without a speaker is the last one's."""
    if not isinstance(line, str) or not line.strip():
        message = f"expected a line of words, got {shown(line)}; it was left out"
        return [], [Remark(None, "line-unusable", message)]
    who, *rest = _COLON.split(line, maxsplit=1)
    if who.strip() and rest and rest[0].strip():
        return [(who, rest[0])], []
    message = f"expected '<speaker>: <words>', got {shown(line)}; taken as the words"
    message += f" of {shown(speaker)}"
    return [(speaker, line)], [Remark(None, "line-without-speaker", message)]


def _words(value: object) -> str:
    """Give a scalar, or a list of them, as text; '' for anything else."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_words, value)))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return clean_text(value).text if isinstance(value, str) else ""


def _literal(text: str) -> object:
    """Read the text form of a Python value; None if it is none."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _unusable(key: str, wanted: str, value: object) -> _Draft:
    """Refuse a record."""
    return _Draft(key, [], None, None, [_failed(f"{wanted}, got {shown(value)}")])


def _failed(fault: str) -> Remark:
    """Say why a record is left out."""
    message = f"expected {fault}; it was left out"
    return Remark(None, "record-unusable", message, "failed")
