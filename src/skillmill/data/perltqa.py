"""PerLTQA as published: characters with four sources of memory, and questions.

A memory file and a question file belong together. Characters are conversations (see
`perltmem`); a question counts under the source that it was made from.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from skillmill.data.jsonfiles import json_files, note, refuse_twice
from skillmill.data.jsontext import (
    clean_text,
    parse_json,
    read_text_file,
    shown,
    shown_path,
    surrogate_remarks,
)
from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of
from skillmill.data.perltmem import SOURCES, Character, number_of, read_character
from skillmill.data.questions import read_answer
from skillmill.errors import InputError
from skillmill.types import Conversation, LoadReport, Question

#: What a question block holds: source -> questions.
Sections = Mapping[str, object]

#: A key inside the text form of a list, `['4_0_0#12']`.
_QUOTED = re.compile(r"""['"]([^'"]+)['"]""")


class _Files(NamedTuple):
    """The two files of an edition with their parsed content."""

    memory: Path
    characters: object
    questions: Path | None
    asked: object


class _Asked(NamedTuple):
    """One question where it stands: `key` is the memory key that encloses it."""

    source: str
    key: str | None
    row: object


def load_perltqa(path: Path) -> tuple[list[Conversation], list[Question], LoadReport]:
    """Load PerLTQA from a folder with both files, or from the memory file.

    Next to a memory file its question file is found by name (`perltmem_en.json`,
    `perltqa_en.json`); without one nothing is asked. Conversations come in the order
    of the memory file, questions in that of theirs. The report counts records and
    questions; a question that names no record that exists is kept, its recall is
    unknown. Their ids are `<character>/<memory key>` and `<character>/q<position>`.

    Raises
    ------
    InputError
        If a file cannot be read, if there is no memory file or more than one, if a
        character comes twice, or if none has a record that can be used.
    """
    files = _find_files(path)
    report = ReportBuilder(shown_path(path))
    characters = _read_memory(report, shown_path(files.memory), files.characters)
    if not characters:
        raise InputError(
            f"{shown_path(files.memory)}: expected characters with records under"
            f" {', '.join(SOURCES)}, got none that can be used; take a memory file as"
            " published",
            record=shown_path(files.memory),
        )
    questions: list[Question] = []
    if files.questions is not None:
        name = shown_path(files.questions)
        questions = _read_questions(report, name, files.asked, characters)
    else:
        message = "there is no question file beside it; nothing is asked"
        remark = Remark(None, "questions-missing", message, "info")
        note(report, shown_path(files.memory), shown_path(path), [remark])
    found = [character.conversation for character in characters.values()]
    return found, questions, report.build()


def _find_files(path: Path) -> _Files:
    """Tell memory and question files apart by what they hold."""
    if not path.is_dir():
        beside = path.with_name(path.name.replace("perltmem", "perltqa"))
        files = [path, beside] if beside != path and beside.is_file() else [path]
    else:
        files = json_files(path, "PerLTQA")
    tops = {file: parse_json(read_text_file(file), shown_path(file)) for file in files}
    memories = [file for file in files if _is_memory(tops[file])]
    asked = [file for file in files if _is_asked(tops[file])]
    for what, found in (("memory", memories), ("question", asked)):
        if len(found) > 1 or (what == "memory" and not found):
            names = ", ".join(file.name for file in found) or "none"
            raise InputError(
                f"{shown_path(path)}: expected one {what} file of PerLTQA, got {names};"
                " name one memory file, or a folder that holds one edition",
                record=shown_path(path),
            )
    memory, questions = memories[0], asked[0] if asked else None
    return _Files(memory, tops[memory], questions, tops[questions] if questions else [])


def _is_memory(top: object) -> bool:
    """Whether a character with a profile is somewhere at the top."""
    rows = list(top.values()) if isinstance(top, Mapping) else top
    return isinstance(rows, list) and any(
        isinstance(row, Mapping) and isinstance(row.get("profile"), Mapping)
        for row in rows
    )


def _is_asked(top: object) -> bool:
    """Whether some block of questions is at the top."""
    return any(
        isinstance(sections.get(source), list | Mapping)
        for _, sections in _blocks(top)
        for source in SOURCES
    ) and not _is_memory(top)


def _blocks(top: object) -> Iterator[tuple[str, Sections]]:
    """Give the blocks of questions: (character, sections)."""
    for block in top if isinstance(top, list) else [top]:
        for name, sections in block.items() if isinstance(block, Mapping) else ():
            if isinstance(sections, Mapping):
                yield clean_text(name).text, sections


def _characters(top: object) -> Iterator[tuple[str | None, object]]:
    """Give the characters of a memory file: (name, record), as it keys them."""
    if isinstance(top, Mapping):
        yield from ((clean_text(name).text or None, row) for name, row in top.items())
        return
    for row in top if isinstance(top, list) else []:
        profile = row.get("profile") if isinstance(row, Mapping) else None
        name = profile.get("Protagonist") if isinstance(profile, Mapping) else None
        yield clean_text(name).text or None if isinstance(name, str) else None, row


def _read_memory(report: ReportBuilder, file: str, top: object) -> dict[str, Character]:
    """Read the characters by name and count their records."""
    found: dict[str, Character] = {}
    for position, (name, row) in enumerate(_characters(top), start=1):
        if name is None or not isinstance(row, Mapping):
            fault = f"expected a named character with records, got {shown(row)}"
            remark = Remark(None, "character-unusable", fault, "failed")
            note(report, file, name or f"character {position}", [remark])
            report.found()
            report.item("failed")
            continue
        refuse_twice("character", name, file if name in found else None, file)
        character = read_character(name, row)
        for record in character.records:
            note(report, file, f"{name}/{record.key}", record.remarks)
            outcome = outcome_of(remark.at(file) for remark in record.remarks)
            if record.session is not None or outcome == "failed":
                report.found()
                report.item(outcome)
        if character.conversation.sessions:
            found[name] = character
    return found


def _read_questions(
    report: ReportBuilder, file: str, top: object, characters: Mapping[str, Character]
) -> list[Question]:
    """Read the questions of all blocks and count each."""
    questions: list[Question] = []
    positions: dict[str, int] = {}
    for name, sections in _blocks(top):
        character, remarks = _find_character(name, sections, characters)
        note(report, file, name, remarks)
        home = name if character is None else character.conversation.id
        for asked in _asked(sections):
            position = positions[home] = positions.get(home, -1) + 1
            record = f"{home}/q{position}"
            question, odd = _read_question(record, asked, character)
            note(report, file, record, odd)
            report.found()
            report.item(outcome_of(remark.at(file) for remark in odd))
            questions += [question] if question is not None else []
    return questions


def _find_character(
    name: str, sections: Sections, characters: Mapping[str, Character]
) -> tuple[Character | None, list[Remark]]:
    """Find the character that a block asks about: by name, else by its number."""
    if name in characters:
        return characters[name], []
    keys = (asked.key for asked in _asked(sections) if asked.key is not None)
    numbers = [n for key in keys if (n := number_of(key)) is not None]
    fits = [c for c in characters.values() if c.number in numbers[:1]]
    if len(fits) != 1:
        message = f"expected a character of the memory file, got {shown(name)}"
        return None, [Remark(None, "character-unknown", message)]
    message = f"{shown(name)} is {shown(fits[0].conversation.id)} by its number"
    return fits[0], [Remark(None, "character-renamed", message, "info")]


def _asked(sections: Sections) -> Iterator[_Asked]:
    """Give the questions of a block, source by source."""
    for source in SOURCES:
        found = sections.get(source, [])
        for entry in found if isinstance(found, list) else [found]:
            if source == SOURCES[0] or not isinstance(entry, Mapping):
                yield _Asked(source, None, entry)
                continue
            for key, rows in entry.items():
                for row in rows if isinstance(rows, list) else [rows]:
                    yield _Asked(source, clean_text(key).text, row)


def _read_question(
    record: str, asked: _Asked, character: Character | None
) -> tuple[Question | None, list[Remark]]:
    """Read one question; None if its character is unknown or it has no text."""
    row = asked.row
    text = row.get("Question") if isinstance(row, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(text, str) or not text.strip():
        return None, [_unusable(f"a text under 'Question', got {shown(row)}")]
    if character is None:
        return None, [_unusable("a character of the memory file")]
    words = clean_text(text)
    answer = read_answer(row.get("Answer"))
    keys, odd = _evidence(asked, row.get("Reference Memory"), character)
    question = Question(
        id=record,
        conversation=character.conversation.id,
        text=words.text,
        category=None,
        answer=answer.text,
        answer_type=answer.type,
        trap=None,
        evidence=tuple(
            turn.id for key in keys for turn in character.sessions[key].turns
        ),
        kind=asked.source,
        evidence_sessions=keys,
    )
    return question, surrogate_remarks("question", words) + answer.remarks + odd


def _unusable(wanted: str) -> Remark:
    """Refuse a question."""
    message = f"question: expected {wanted}; it was left out"
    return Remark(None, "question-unusable", message, "failed")


def _evidence(
    asked: _Asked, reference: object, character: Character
) -> tuple[tuple[str, ...], list[Remark]]:
    """Give the keys of the records that a question refers to, each once."""
    entries = reference if isinstance(reference, list) else [reference]
    texts = [clean_text(entry).text for entry in entries if isinstance(entry, str)]
    if asked.source == SOURCES[0]:
        named = [_field_of(text, character) for text in texts]
    else:
        named = [key for text in texts for key in _QUOTED.findall(text) or [text]]
    found = tuple(dict.fromkeys(k for k in named if k in character.sessions))
    if found:
        return found, []
    message = f"expected the key of a record, got {shown(reference)}"
    if asked.key is not None and asked.key in character.sessions:
        way = f"taken was {shown(asked.key)}, which encloses the question"
        remark = Remark(None, "evidence-enclosing", f"{message}; {way}")
        return (asked.key,), [remark]
    message += "; recall of this question is unknown"
    return (), [Remark(None, "evidence-unknown-record", message)]


def _field_of(name: str, character: Character) -> str:
    """Give the key of a profile field, by its name or a part that names one field."""
    keys = [key for key in character.sessions if key.startswith("profile:")]
    whole = f"profile:{name}"
    alike = [key for key in keys if name and key.endswith(f" {name}")]
    shorter = [key for key in keys if name.endswith(f" {key.removeprefix('profile:')}")]
    fits = alike + shorter
    return whole if whole in keys or len(fits) != 1 else fits[0]
