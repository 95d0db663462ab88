"""LoCoMo as published: conversations with questions, and what is odd in them.

Read are `sample_id`, `conversation` and `qa`; the summaries, observations and
events that come with the data are not, since they were made by a language model.
Image turns keep their caption, which questions rely on; addresses of images and
search words do not matter here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from skillmill.data.jsonfiles import json_files, note, read_list, refuse_twice
from skillmill.data.jsontext import clean_text, read_id, shown, shown_path
from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of
from skillmill.data.questions import QuestionKeys, QuestionReader
from skillmill.data.turns import TurnKeys, read_date, read_turn
from skillmill.errors import InputError
from skillmill.types import Conversation, LoadReport, Question, Session, Turn

TURN_KEYS = TurnKeys(id="dia_id", text="text", caption="blip_caption")
QUESTION_KEYS = QuestionKeys(text="question", trap="adversarial_answer")

_SESSION = re.compile(r"session_([1-9][0-9]{0,8})(_date_time)?")


class _Sample(NamedTuple):
    """One entry of the list: its id and conversation, None if it has none."""

    id: str
    conversation: Conversation | None
    remarks: list[Remark]


def load_locomo(path: Path) -> tuple[list[Conversation], list[Question], LoadReport]:
    """Load LoCoMo from a `.json` file, or from all of them in a folder.

    Conversations come in the order of the list, files by name; questions in the
    order of their conversation. The report counts questions, and each turn or session
    that had to be left out as failed. Problems of a conversation have its id as record,
    those of a question the question's. A conversation that is lost counts as failed
    questions, one at least.

    Raises
    ------
    InputError
        If a file cannot be read or is no list, if two samples have one id, or if
        no conversation is left.
    """
    report = ReportBuilder(shown_path(path))
    conversations: list[Conversation] = []
    questions: list[Question] = []
    homes: dict[str, str] = {}
    lost: list[str] = []
    for file in json_files(path, "LoCoMo"):
        name = shown_path(file)
        for position, row in enumerate(read_list(file, "LoCoMo samples"), start=1):
            sample = _read_sample(row, position)
            note(report, name, sample.id, sample.remarks)
            _count_left_out(report, sample)
            asked = row.get("qa") if isinstance(row, Mapping) else None
            if sample.conversation is None:
                lost += [f"{name}, {sample.id}: {sample.remarks[-1].message}"]
                _count_lost(report, asked)
                continue
            refuse_twice("sample", sample.id, homes.get(sample.id), name)
            homes[sample.id] = name
            conversations.append(sample.conversation)
            questions += _read_questions(report, name, sample.conversation, asked)
    if not conversations:
        raise InputError(
            f"{shown_path(path)}: expected LoCoMo samples, got none that can be used"
            f" ({lost[0] if lost else 'the list is empty'}); expected is a list of"
            " objects with 'sample_id', 'conversation' and 'qa'",
            record=shown_path(path),
        )
    return conversations, questions, report.build()


def _count_left_out(report: ReportBuilder, sample: _Sample) -> None:
    """Count what a conversation that came through had to leave out."""
    if sample.conversation is None:
        return
    for remark in sample.remarks:
        if remark.severity == "failed":
            report.found()
            report.item("failed")


def _count_lost(report: ReportBuilder, asked: object) -> None:
    """Count the questions of a lost conversation as failed, one at least."""
    for _ in asked if isinstance(asked, list) and asked else [None]:
        report.found()
        report.item("failed")


def _read_questions(
    report: ReportBuilder, file: str, conversation: Conversation, asked: object
) -> list[Question]:
    """Read the questions of a conversation and count each."""
    if not isinstance(asked, list):
        message = f"expected a list of questions under 'qa', got {shown(asked)}"
        remark = Remark(None, "questions-missing", f"{message}; there are none")
        note(report, file, conversation.id, [remark])
        return []
    turns = {turn.id for session in conversation.sessions for turn in session.turns}
    reader = QuestionReader(conversation.id, turns, QUESTION_KEYS)
    questions = []
    for position, row in enumerate(asked):
        question, remarks = reader.read(row, position)
        problems = [remark.at(file, reader.question_id(position)) for remark in remarks]
        report.found()
        report.item(outcome_of(problems))
        for problem in problems:
            report.add(problem)
        questions += [question] if question is not None else []
    return questions


def _read_sample(row: object, position: int) -> _Sample:
    """Read a sample's conversation; the last remark of a lost one says why."""
    if not isinstance(row, Mapping):
        return _lost(f"sample {position}", f"expected an object, got {shown(row)}")
    sample = read_id(row.get("sample_id"))
    if sample is None:
        fault = f"expected an id under 'sample_id', got {shown(row.get('sample_id'))}"
        return _lost(f"sample {position}", fault)
    fields = row.get("conversation")
    if not isinstance(fields, Mapping):
        fault = f"expected an object under 'conversation', got {shown(fields)}"
        return _lost(sample, fault)
    sessions, remarks = _read_sessions(fields)
    if not sessions:
        fault = "expected turns under 'session_1' and so on, got none"
        return _lost(sample, fault, remarks)
    speakers, odd = _read_speakers(fields, sessions)
    return _Sample(sample, Conversation(sample, speakers, sessions), remarks + odd)


def _lost(sample: str, fault: str, remarks: Sequence[Remark] = ()) -> _Sample:
    """Give up a sample."""
    remark = Remark(None, "sample-unusable", f"{fault}; it was left out", "failed")
    return _Sample(sample, None, [*remarks, remark])


def _read_sessions(
    fields: Mapping[str, object],
) -> tuple[tuple[Session, ...], list[Remark]]:
    """Read the sessions that have turns, in numeric order."""
    rows: dict[int, list[object]] = {}
    dates: dict[int, object] = {}
    remarks: list[Remark] = []
    for key, value in fields.items():
        match = _SESSION.fullmatch(key)
        if match is None:
            # Nothing else that is known here is a list.
            if isinstance(value, list):
                message = f"expected a name such as 'session_1', got {shown(key)}"
                remarks.append(_not_read(message))
            continue
        if match[2]:
            dates[int(match[1])] = value
        elif isinstance(value, list):
            rows[int(match[1])] = value
        else:
            message = f"expected a list of turns under '{key}', got {shown(value)}"
            remarks.append(_not_read(message))
    for number in sorted(dates.keys() - rows.keys()):
        message = f"'session_{number}_date_time' has no session; it was left out"
        remarks.append(Remark(None, "orphan-date", message, "info"))
    turns, odd = _read_turns({number: rows[number] for number in sorted(rows)})
    remarks += odd
    sessions = []
    for number, said in turns.items():
        date = read_date(dates.get(number))
        sessions.append(Session(number, date.text, date.started, said))
        remarks += [_in_session(number, remark) for remark in date.remarks]
        if date.text is None and not date.remarks:
            message = f"session {number} has no date"
            remarks.append(Remark(None, "date-missing", message))
    return tuple(sessions), remarks


def _not_read(fault: str) -> Remark:
    """Refuse a session."""
    return Remark(None, "session-unusable", f"{fault}; it was left out", "failed")


def _read_turns(
    sessions: Mapping[int, list[object]],
) -> tuple[dict[int, tuple[Turn, ...]], list[Remark]]:
    """Read the turns of each session that has some; ids are unique over all."""
    turns: dict[int, tuple[Turn, ...]] = {}
    remarks: list[Remark] = []
    seen: set[str] = set()
    stripped = 0
    for number, rows in sessions.items():
        kept = []
        for position, row in enumerate(rows, start=1):
            default = f"D{number}:{position}"
            turn, odd, blanks = read_turn(row, default, TURN_KEYS)
            remarks += [_in_session(number, remark, position) for remark in odd]
            if turn is None:
                continue
            if turn.id in seen:
                remarks.append(_repeated(turn.id, number, position))
                continue
            seen.add(turn.id)
            kept.append(turn)
            stripped += blanks
        if kept:
            turns[number] = tuple(kept)
        elif not rows:
            message = f"session {number} has no turns; it was left out"
            remarks.append(Remark(None, "session-empty", message, "info"))
    if stripped:
        message = f"outer blanks were taken off {stripped} turns"
        remarks.append(Remark(None, "outer-blanks", message, "info"))
    return turns, remarks


def _in_session(number: int, remark: Remark, position: int | None = None) -> Remark:
    """Say in which session, and at which place in it, a remark belongs."""
    place = f"session {number}" + (f", turn {position}" if position else "")
    return replace(remark, message=f"{place}: {remark.message}")


def _repeated(turn: str, number: int, position: int) -> Remark:
    """Refuse a turn whose id is taken."""
    message = (
        f"session {number}, turn {position}: the id {shown(turn)} is taken by an"
        " earlier turn; it was left out"
    )
    return Remark(None, "turn-id-repeated", message, "failed")


def _read_speakers(
    fields: Mapping[str, object], sessions: Iterable[Session]
) -> tuple[tuple[str, ...], list[Remark]]:
    """Name the speakers: the two declared, then others as they come."""
    declared = [
        clean_text(name).text
        for name in (fields.get("speaker_a"), fields.get("speaker_b"))
        if isinstance(name, str) and name.strip()
    ]
    remarks = []
    if len(declared) > len(set(declared)):
        message = f"both speakers are called {shown(declared[0])}; taken for one"
        remarks.append(Remark(None, "speakers-same-name", message, "info"))
    heard = dict.fromkeys(turn.speaker for part in sessions for turn in part.turns)
    for name in heard:
        if name not in declared:
            message = f"{shown(name)} speaks but is neither speaker_a nor speaker_b"
            remarks.append(Remark(None, "speaker-undeclared", message))
    return tuple(dict.fromkeys([*declared, *heard])), remarks
