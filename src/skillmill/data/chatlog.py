"""The plain chat log: one JSON object per line, turns and questions.

The format is described in docs/chatlog.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from skillmill.data.jsontext import (
    clean_text,
    parse_json,
    read_id,
    read_text_file,
    shown,
    shown_path,
)
from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of
from skillmill.data.questions import QuestionKeys, QuestionReader
from skillmill.data.turns import LAST_SESSION, TurnKeys, read_date, read_turn
from skillmill.errors import InputError
from skillmill.types import Conversation, LoadReport, Problem, Question, Session, Turn

TURN_KEYS = TurnKeys(id="id", text="text", caption="caption")
QUESTION_KEYS = QuestionKeys(text="text", trap="trap")

#: The keys that a line may have, by its type.
LINE_KEYS: Mapping[str, frozenset[str]] = {
    "turn": frozenset({"type", "conversation", "session", "date", *TURN_KEYS}),
    "question": frozenset({"type", "conversation", *QUESTION_KEYS}),
}


@dataclass(slots=True)
class _Chat:
    """One session while its lines come in; `lines` counts the unusable ones too."""

    lines: int = 0
    date_text: str | None = None
    started: str | None = None
    turns: list[Turn] = field(default_factory=list)
    dates_differ: bool = False


@dataclass(slots=True)
class _Talk:
    """One conversation while its lines come in; `turns` maps an id to its line."""

    sessions: dict[int, _Chat] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)


def load_chatlog(path: Path) -> tuple[list[Conversation], list[Question], LoadReport]:
    """Load a chat log.

    `path` is a `.jsonl` file, or a folder of them, which are read as one log in the
    order of their names.

    Conversations come in the order of their first turn, sessions by number, turns
    and questions in the order of the file; lines of several conversations and
    sessions may be mixed. The report counts the lines that are not blank; one that
    cannot be used is failed, and what share of these is too much is for the caller
    to say.

    Raises
    ------
    InputError
        If the file cannot be read, or holds no turn that can be used.
    """
    name = shown_path(path)
    log = _Log(name)
    for file in _log_files(path):
        log.open(shown_path(file))
        for line, text in enumerate(read_text_file(file).split("\n"), start=1):
            if text.strip():
                log.read(line, text)
    questions = log.questions()
    conversations = log.conversations()
    report = log.report.build()
    if conversations:
        return conversations, questions, report
    faults = [problem for problem in report.problems if problem.severity == "failed"]
    first = f"line {faults[0].line}: {faults[0].message}"
    raise InputError(
        f"{name}: expected at least one turn, got none in {report.found} lines"
        f" ({first}); docs/chatlog.md describes the format",
        record=name,
    )


def _log_files(path: Path) -> list[Path]:
    """List the files to read: the path itself, or a folder's `.jsonl` files by name."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.glob("*.jsonl") if file.is_file())
    if not files:
        raise InputError(
            f"{shown_path(path)}: expected a folder with .jsonl files, got none; name"
            " the chat log, or put it there",
            record=shown_path(path),
        )
    return files


class _Asked(NamedTuple):
    """A line with a question, which waits until all turns are known."""

    file: str
    line: int
    conversation: str
    row: Mapping[str, object]
    remarks: list[Remark]


class _Log:
    """Reads a log line by line; questions wait until all turns are known."""

    def __init__(self, name: str) -> None:
        self.report = ReportBuilder(name)
        self._name = name
        self._talks: dict[str, _Talk] = {}
        self._asked: list[_Asked] = []
        self._unknown_keys: set[str] = set()
        self._stripped = 0

    def open(self, name: str) -> None:
        """Begin a file: problems of the lines that follow are in it."""
        self._name = name

    def read(self, line: int, text: str) -> None:
        """Read one line that is not blank."""
        self.report.found()
        try:
            row = parse_json(text, self._name, line)
        except InputError as error:
            self._settle(line, None, [_failed("line-unusable", str(error))])
            return
        if not isinstance(row, dict):
            fault = f"expected an object, got {shown(row)}; it was left out"
            self._settle(line, None, [_failed("line-unusable", fault)])
            return
        self._read_row(line, row)

    def questions(self) -> list[Question]:
        """Read the lines with questions, in their order, and count them."""
        readers: dict[str, QuestionReader] = {}
        positions: dict[str, int] = {}
        questions = []
        for file, line, name, row, remarks in self._asked:
            self._name = file
            turns = self._talks[name].turns if name in self._talks else {}
            if not turns:
                fault = f"expected a conversation with turns, got {shown(name)}"
                self._settle(
                    line, name, [*remarks, _failed("question-unusable", fault)]
                )
                continue
            if name not in readers:
                readers[name] = QuestionReader(name, turns, QUESTION_KEYS)
            position = positions[name] = positions.get(name, -1) + 1
            question, odd = readers[name].read(row, position)
            record = readers[name].question_id(position)
            self._settle(line, record, remarks + odd)
            questions += [question] if question is not None else []
        return questions

    def conversations(self) -> list[Conversation]:
        """Close the conversations that have turns."""
        if self._stripped:
            message = f"outer blanks were taken off {self._stripped} turns"
            self._note(None, None, "outer-blanks", message)
        conversations = []
        for name, talk in self._talks.items():
            sessions = tuple(
                Session(number, chat.date_text, chat.started, tuple(chat.turns))
                for number, chat in sorted(talk.sessions.items())
                if chat.turns
            )
            speakers = tuple(
                dict.fromkeys(turn.speaker for part in sessions for turn in part.turns)
            )
            if sessions:
                conversations.append(Conversation(name, speakers, sessions))
            for session in sessions:
                if session.date_text is None:
                    message = f"session {session.number} has no date"
                    self._note(None, name, "date-missing", message)
        return conversations

    def _read_row(self, line: int, row: Mapping[str, object]) -> None:
        """Read an object as what its type says."""
        kind = row.get("type", "turn")
        name = read_id(row.get("conversation"))
        if not isinstance(kind, str) or kind not in LINE_KEYS:
            fault = f"expected 'turn' or 'question' under 'type', got {shown(kind)}"
            self._settle(line, name, [_failed("line-unusable", fault)])
            return
        if name is None:
            value = shown(row.get("conversation"))
            fault = f"expected an id under 'conversation', got {value}"
            self._settle(line, None, [_failed("line-unusable", fault)])
            return
        remarks = self._unknown(kind, row)
        if kind == "question":
            self._asked.append(_Asked(self._name, line, name, row, remarks))
            return
        self._settle(line, name, remarks + self._read_turn(line, name, row))

    def _read_turn(
        self, line: int, name: str, row: Mapping[str, object]
    ) -> list[Remark]:
        """Add a turn to its session and say what was odd."""
        number = row.get("session")
        if type(number) is not int or not 1 <= number <= LAST_SESSION:
            fault = (
                f"expected a whole number from 1 under 'session', got {shown(number)}"
            )
            return [_failed("turn-unusable", fault)]
        talk = self._talks.setdefault(name, _Talk())
        chat = talk.sessions.setdefault(number, _Chat())
        chat.lines += 1
        turn, remarks, stripped = read_turn(row, f"D{number}:{chat.lines}", TURN_KEYS)
        if turn is None:
            return remarks
        here = f"{self._name}:{line}"
        taken = talk.turns.setdefault(turn.id, here)
        if taken != here:
            fault = f"the turn id {shown(turn.id)} is taken by {taken}; left out"
            return [*remarks, _failed("turn-id-repeated", fault)]
        chat.turns.append(turn)
        self._stripped += stripped
        return remarks + _read_date(chat, number, row.get("date"))

    def _unknown(self, kind: str, row: Mapping[str, object]) -> list[Remark]:
        """Report the keys that have no meaning, each at the first line that has it."""
        new = row.keys() - LINE_KEYS[kind] - self._unknown_keys
        self._unknown_keys |= new
        if not new:
            return []
        known = ", ".join(sorted(LINE_KEYS[kind]))
        keys = ", ".join(shown(key) for key in sorted(new))
        message = (
            f"expected the keys {known} in a {kind}, got {keys}; ignored here and in"
            " later lines"
        )
        return [Remark(None, "key-unknown", message)]

    def _settle(self, line: int, record: str | None, remarks: list[Remark]) -> None:
        """Count a line and report what was odd about it."""
        problems = [
            Problem(self._name, line, record, odd.severity, odd.code, odd.message)
            for odd in remarks
        ]
        self.report.item(outcome_of(problems))
        for problem in problems:
            self.report.add(problem)

    def _note(self, line: int | None, record: str | None, code: str, said: str) -> None:
        """Report something that belongs to no single line."""
        self.report.problem(self._name, line, record, "info", code, said)


def _read_date(chat: _Chat, number: int, value: object) -> list[Remark]:
    """Take the first date of a session; report the first that differs from it."""
    if value is None or chat.dates_differ:
        return []
    if isinstance(value, str) and clean_text(value).text == chat.date_text:
        return []
    if chat.date_text is None:
        date = read_date(value)
        chat.date_text, chat.started = date.text, date.started
        return date.remarks
    chat.dates_differ = True
    message = (
        f"session {number} has more than one date; the first,"
        f" {shown(chat.date_text)}, was taken"
    )
    return [Remark(None, "date-differs", message, "info")]


def _failed(code: str, fault: str) -> Remark:
    """Refuse a line."""
    return Remark(None, code, fault, "failed")
