"""LongMemEval as published: one chat history and one question an instance.

The same `question_id` stands in several variants (oracle, S, M) with other histories
and other dates, so the id of a conversation is `<variant>/<question_id>`; the variant
is told by the name of the file.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from skillmill.data.haystack import Haystack, history_fault, read_history
from skillmill.data.jsonfiles import json_files, note, read_list, refuse_twice
from skillmill.data.jsontext import (
    clean_text,
    read_id,
    shown,
    shown_path,
    surrogate_remarks,
)
from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of
from skillmill.data.questions import read_answer
from skillmill.data.turns import read_date
from skillmill.errors import InputError
from skillmill.types import Conversation, LoadReport, Question

#: The label of a question whose answer the history lacks, and what its id ends with.
ABSTENTION = "abstention"
ABSTAINING = "_abs"

#: The published types of questions, and the one that some copies add.
KINDS = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "knowledge-update",
    "temporal-reasoning",
    ABSTENTION,
)

_SPLIT = re.compile(r"_(?:dev|train|val|test)$")


class _Instance(NamedTuple):
    """One entry of the list; the last remark on a lost one says why."""

    id: str
    conversation: Conversation | None
    question: Question | None
    remarks: list[Remark]


def load_longmemeval(
    path: Path,
) -> tuple[list[Conversation], list[Question], LoadReport]:
    """Load LongMemEval from a `.json` file, or from all of them in a folder.

    Instances come in the order of the list, files by name; each is one conversation
    and its only question. The report counts instances. An instance whose parallel
    lists differ in length, or that lacks an id, a question, a type or a turn, is
    failed; the others are not touched by it.

    Raises
    ------
    InputError
        If a file cannot be read or is no list, if one instance is there twice, or if
        none is left.
    """
    report = ReportBuilder(shown_path(path))
    conversations: list[Conversation] = []
    questions: list[Question] = []
    homes: dict[str, str] = {}
    lost: list[str] = []
    for file in json_files(path, "LongMemEval"):
        name = shown_path(file)
        rows = read_list(file, "LongMemEval instances")
        for position, row in enumerate(rows, start=1):
            found = _read_instance(row, position, variant_of(file))
            report.found()
            report.item(outcome_of(remark.at(name) for remark in found.remarks))
            note(report, name, found.id, found.remarks)
            if found.conversation is None or found.question is None:
                lost += [f"{name}, {found.id}: {found.remarks[-1].message}"]
                continue
            refuse_twice("instance", found.id, homes.get(found.id), name)
            homes[found.id] = name
            conversations.append(found.conversation)
            questions.append(found.question)
    if not questions:
        raise InputError(
            f"{shown_path(path)}: expected LongMemEval instances, got none that can be"
            f" used ({lost[0] if lost else 'the list is empty'}); expected is a list of"
            " objects with 'question_id', 'question' and the 'haystack_...' lists",
            record=shown_path(path),
        )
    return conversations, questions, report.build()


def variant_of(file: Path) -> str:
    """Give the variant that a file holds, by its name.

    `longmemeval_s_cleaned.json` holds `s_cleaned`; the name of a split at the end does
    not count (`longmemeval_oracle_dev.json` holds `oracle`).
    """
    name = clean_text(file.stem).text.removeprefix("longmemeval_")
    return _SPLIT.sub("", name) or name


def _read_instance(row: object, position: int, variant: str) -> _Instance:
    """Read one instance: its history, then what is asked about it."""
    place = f"{variant}, record {position}"
    if not isinstance(row, Mapping):
        return _lost(place, f"expected an object, got {shown(row)}")
    name = read_id(row.get("question_id"))
    if name is None:
        value = shown(row.get("question_id"))
        return _lost(place, f"expected an id under 'question_id', got {value}")
    instance = f"{variant}/{name}"
    fault = history_fault(row)
    if fault is not None:
        return _lost(instance, fault)
    history = read_history(row)
    if not history.sessions:
        fault = "expected turns under 'haystack_sessions', got none"
        return _lost(instance, fault, history.remarks)
    for key in ("question", "question_type"):
        words = row.get(key)
        if not isinstance(words, str) or not words.strip():
            fault = f"expected a text under '{key}', got {shown(words)}"
            return _lost(instance, fault, history.remarks)
    question, remarks = _read_question(instance, row, history)
    speakers = dict.fromkeys(
        turn.speaker for session in history.sessions for turn in session.turns
    )
    conversation = Conversation(instance, tuple(speakers), history.sessions)
    return _Instance(instance, conversation, question, history.remarks + remarks)


def _lost(instance: str, fault: str, remarks: Sequence[Remark] = ()) -> _Instance:
    """Give up an instance."""
    remark = Remark(None, "instance-unusable", f"{fault}; it was left out", "failed")
    return _Instance(instance, None, None, [*remarks, remark])


def _read_question(
    instance: str, row: Mapping[str, object], history: Haystack
) -> tuple[Question, list[Remark]]:
    """Read the question of an instance, whose text and type are known to be texts."""
    text, written = clean_text(str(row["question"])), str(row["question_type"])
    kind = clean_text(written).text
    # Published files tell abstention by the id alone.
    abstention = instance.endswith(ABSTAINING) or kind == ABSTENTION
    answer = read_answer(row.get("answer"))
    date = read_date(row.get("question_date"))
    sessions, odd = _read_sessions(row.get("answer_session_ids"), history, abstention)
    remarks = surrogate_remarks("question", text) + answer.remarks + odd
    remarks += date.remarks + _date_remarks(date.started, history)
    if kind not in KINDS:
        message = f"expected one of {', '.join(KINDS)}, got {shown(written)}; kept"
        remarks.append(Remark(None, "kind-unknown", message))
    question = Question(
        id=f"{instance}/q0",
        conversation=instance,
        text=text.text,
        category=None,
        answer=answer.text,
        answer_type=answer.type,
        trap=None,
        evidence=history.marked,
        kind=ABSTENTION if abstention else kind,
        date=date.started,
        evidence_sessions=sessions,
        abstention=abstention,
    )
    return question, remarks


def _read_sessions(
    value: object, history: Haystack, abstention: bool
) -> tuple[tuple[str, ...], list[Remark]]:
    """Give the evidence sessions that exist, each once, and what evidence lacks."""
    known = {session.id for session in history.sessions}
    found: dict[str, None] = {}
    remarks = []
    for entry in value if isinstance(value, list) else []:
        name = read_id(entry)
        if name is None or name not in known:
            message = f"expected the id of a session with turns, got {shown(entry)}"
            message += "; it was left out"
            remarks.append(Remark(None, "evidence-unknown-session", message))
        else:
            found[name] = None
    # Nothing is to be found where the right reply is to abstain.
    if not found and not abstention:
        message = f"expected evidence sessions, got {shown(value)}; their recall is"
        remarks.append(Remark(None, "evidence-empty", f"{message} unknown"))
    if not history.marked and not abstention:
        said = "none is true" if history.has_marks else "there are no marks"
        message = f"expected turns marked as evidence, but {said}; recall of turns is"
        remarks.append(Remark(None, "evidence-unmarked", f"{message} unknown"))
    return tuple(found), remarks


def _date_remarks(asked: str | None, history: Haystack) -> list[Remark]:
    """Report a question that is asked at an unknown time, or before a session."""
    if asked is None:
        message = "it is unknown when the question was asked"
        return [Remark(None, "question-date-missing", message, "info")]
    later = [s.number for s in history.sessions if s.started and s.started > asked]
    if not later:
        return []
    message = f"the question is asked before the sessions {', '.join(map(str, later))}"
    return [Remark(None, "question-before-session", message, "info")]
