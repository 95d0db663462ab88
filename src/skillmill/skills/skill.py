"""Retrieval skills as markdown: front matter, words for people, one program.

    ---
    name: semantic-clue
    description: What the program does.
    preference: Which questions it is good for.
    ---

    ```json program
    [{"id": "near", "primitive": "dense_search"}]
    ```

Unlike a SKILL.md of a library, which others wrote, this is a program: nothing in it
is guessed, and all that is wrong is told at once.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from skillmill.data.plaintext import content_hash, tidy
from skillmill.data.yamltext import UNREADABLE, read_entries
from skillmill.errors import InputError
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.program import Fault, read_program, write_program
from skillmill.types import Node, RetrievalSkill

#: What follows the opening fence of the program.
PROGRAM_MARK = "json program"

FIELDS = ("name", "description", "preference")

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


@dataclass(frozen=True, slots=True)
class _Fenced:
    """A fenced block: its mark, the line its text starts in, and its text."""

    mark: str
    line: int
    text: str


def parse_skill(
    markdown: str, file: str, primitives: Mapping[str, Primitive] = PRIMITIVES
) -> RetrievalSkill:
    """Read a retrieval skill and check all of it.

    Parameters
    ----------
    markdown : str
        The file's text; its content hash is that of the text with LF line ends in
        NFC.
    file : str
        What messages call it.
    primitives : mapping of str to Primitive
        What the program may call.

    Raises
    ------
    InputError
        With every problem on a line of its own as `file:line: problem`.
    """
    text, remarks = tidy(markdown.removeprefix("\ufeff"))
    lines = text.split("\n")
    faults = [(remark.line or 1, remark.message) for remark in remarks]
    fields, body = _header(lines, faults)
    blocks = _fenced_blocks(lines, body, faults)
    programs = [block for block in blocks if block.mark == PROGRAM_MARK]
    if len(programs) != 1:
        message = f"expected one block ```{PROGRAM_MARK}, found {len(programs)}"
        last = text.rstrip().count("\n") + 1
        faults.append((programs[1].line - 1 if programs else last, message))
    program: tuple[Node, ...] = ()
    for block in programs[:1]:
        program, found = read_program(block.text, block.line, primitives)
        faults += found
    if faults:
        raise _refusal(file, faults)
    return RetrievalSkill(**fields, program=program, content_hash=content_hash(text))


def render_skill(skill: RetrievalSkill) -> str:
    """Write a skill as markdown that `parse_skill` reads as the same skill.

    Only the content hash differs from that of a file with more words in it.
    """
    header = "".join(f"{field}: {_quoted(getattr(skill, field))}\n" for field in FIELDS)
    program = write_program(skill.program)
    return f"---\n{header}---\n\n```{PROGRAM_MARK}\n{program}\n```\n"


def read_skills(
    paths: Iterable[Path], primitives: Mapping[str, Primitive] = PRIMITIVES
) -> list[RetrievalSkill]:
    """Read every retrieval skill of some files and folders (`*.md`), by name.

    Raises
    ------
    InputError
        With the problems of all files; also if a path is missing, a folder holds
        no skill or a name comes twice, since a name is an arm of the evaluation.
    """
    skills: list[RetrievalSkill] = []
    problems: list[str] = []
    files: dict[str, Path] = {}
    for file in sorted({file for path in paths for file in _skill_files(path)}):
        try:
            skill = parse_skill(_text_of(file), str(file), primitives)
        except InputError as error:
            problems.append(str(error))
            continue
        if skill.name in files:
            message = f"{file}: the name {skill.name!r} is that of {files[skill.name]}"
            problems.append(f"{message} too; rename one")
        files[skill.name] = file
        skills.append(skill)
    if problems:
        raise InputError("\n".join(problems))
    return sorted(skills, key=lambda skill: skill.name)


def read_texts(
    paths: Iterable[Path], primitives: Mapping[str, Primitive] = PRIMITIVES
) -> list[tuple[RetrievalSkill, str]]:
    """Read retrieval skills as `read_skills`, each with the text of its file."""
    files = sorted({file for path in paths for file in _skill_files(path)})
    texts = {content_hash(tidy(_text_of(file))[0]): _text_of(file) for file in files}
    skills = read_skills(files, primitives)
    return [(skill, texts[skill.content_hash]) for skill in skills]


def _quoted(text: str) -> str:
    """Write a text as one YAML line in double quotes, the style that escapes all."""
    written: str = yaml.safe_dump(
        text, allow_unicode=True, default_style='"', width=sys.maxsize
    )
    return written.rstrip()


def _skill_files(path: Path) -> list[Path]:
    """List the skills at a path."""
    found = [path] if path.is_file() else sorted(path.rglob("*.md"))
    if not found:
        raise InputError(
            f"no retrieval skill at {path}; expected a markdown file, or a folder "
            "with some",
            record=str(path),
        )
    return found


def _text_of(file: Path) -> str:
    """Read a file that must be UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file} is not UTF-8 (byte {error.start}); save it as UTF-8",
            record=str(file),
        ) from error


def _header(lines: Sequence[str], faults: list[Fault]) -> tuple[dict[str, str], int]:
    """Read the front matter; also give the number of the line after it, from 0."""
    ends = [number for number, line in enumerate(lines) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        faults.append((1, "expected front matter between two lines `---` at the top"))
        return {}, 0
    try:
        entries, remarks = read_entries("\n".join(lines[1 : ends[1]]), 2)
    except UNREADABLE as error:
        line, problem = _yaml_problem(error)
        faults.append((line, f"the front matter is not YAML: {problem}"))
        return {}, ends[1] + 1
    faults += [(remark.line or 1, remark.message) for remark in remarks]
    fields = {}
    for entry in entries:
        if entry.key not in FIELDS:
            known = ", ".join(FIELDS)
            faults.append((entry.line, f"no field {entry.key!r}; known: {known}"))
            continue
        faults += [(doubt.line or 1, doubt.message) for doubt in entry.doubts]
        fields[entry.key] = entry.text
        if not entry.text.strip():
            faults.append((entry.line, f"{entry.key!r} is empty"))
        elif entry.key == "name" and not _NAME.fullmatch(entry.text):
            message = "expected lower-case letters and digits with single hyphens"
            faults.append((entry.line, f"name {entry.text!r}: {message}"))
    lost = [field for field in FIELDS if field not in fields]
    faults += [(1, f"the front matter lacks {field!r}") for field in lost]
    return fields, ends[1] + 1


def _yaml_problem(error: Exception) -> tuple[int, str]:
    """Tell the line of the file that a refusal of YAML is about, and the refusal."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    return (2 + mark.line if mark else 2), str(problem or error).replace("\n", " ")


def _fenced_blocks(
    lines: Sequence[str], start: int, faults: list[Fault]
) -> list[_Fenced]:
    """Find the fenced blocks from a line on; a fence that stays open is a fault."""
    blocks = []
    opened = -1
    fence = mark = ""
    for number in range(start, len(lines)):
        if opened < 0:
            opening = _FENCE.match(lines[number])
            if opening:
                opened, fence = number, opening[1]
                mark = " ".join(opening[2].split())
        elif _closes(lines[number], fence):
            text = "\n".join(lines[opened + 1 : number])
            blocks.append(_Fenced(mark, opened + 2, text))
            opened = -1
    if opened >= 0:
        faults.append((opened + 1, f"the fence {fence}{mark} is never closed"))
    return blocks


def _closes(line: str, fence: str) -> bool:
    """Tell whether a line ends a block that `fence` began."""
    marks = line.strip()
    return len(marks) >= len(fence) and not marks.strip(fence[0])


def _refusal(file: str, faults: Iterable[Fault]) -> InputError:
    """Put all problems of a file into one error, by line."""
    told = [f"  {file}:{line}: {message}" for line, message in sorted(set(faults))]
    problems = "1 problem" if len(told) == 1 else f"{len(told)} problems"
    return InputError(
        f"{file} is no retrieval skill, {problems}:\n" + "\n".join(told), record=file
    )
