"""The frontmatter of a SKILL.md: found between its fences, read strictly or leniently.

The header should start at the top of the file, after blank lines at most; fences are
lines of their own (`---`, at the end also `...`). A code fence around the whole
file is taken off; headers elsewhere: `strayheader`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from skillmill.data.lenient import is_field_line, is_key_line, mend_entries
from skillmill.data.loadreport import Remark
from skillmill.data.strayheader import place_header
from skillmill.data.yamltext import UNREADABLE, Entry, read_entries

_CODE_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(markdown|md|yaml|yml|text)?[ \t]*$")

_CONFLICT = re.compile(r"(<{7}|\|{7}|={7}|>{7})( .*)?$")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A file's header and body.

    `entries` is None where the file has no frontmatter; the body is the whole
    text then. `body` has no blank lines at its ends.
    """

    entries: Mapping[str, Entry] | None
    body: str
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Line numbers from 0: header in [start, stop), body from `body`."""

    start: int
    stop: int
    body: int
    closed: bool


def read_frontmatter(text: str) -> Frontmatter:
    """Split a tidy text into frontmatter and body; never raises on odd input.

    YAML is tried first; what it refuses is mended line by line, each repair with
    a remark that names the line of the file (from 1).
    """
    lines = text.split("\n")
    lines, remarks = _unwrap(lines)
    placed = place_header(lines)
    lines = placed.lines
    remarks += placed.remarks
    parts = _parts(lines)
    if parts is None:
        return Frontmatter(None, text.strip("\n"), ())
    if not parts.closed:
        remarks.append(_unterminated(parts))
    remarks += _without_conflict(lines, parts)
    header = lines[parts.start : parts.stop]
    try:
        entries, found = read_entries("\n".join(header), parts.start + 1)
    except UNREADABLE as refusal:
        parts, cut = _cut_at_prose(lines, parts)
        header = lines[parts.start : parts.stop]
        entries, found = mend_entries(header, parts.start + 1)
        found = cut + found or [_refused(refusal, parts)]
    if not entries and (not parts.closed or any(map(str.strip, header))):
        return Frontmatter(None, text.strip("\n"), ())
    body = "\n".join([*placed.before, *lines[parts.body :]]).strip("\n")
    by_key = {entry.key: entry for entry in entries}
    return Frontmatter(by_key, body, tuple(dict.fromkeys([*remarks, *found])))


def _unwrap(lines: list[str]) -> tuple[list[str], list[Remark]]:
    """Blank the code fence around a frontmatter, so that line numbers stay true."""
    full = [number for number, line in enumerate(lines) if line.strip()]
    if len(full) < 2 or lines[full[1]].rstrip() != "---":
        return lines, []
    opening = _CODE_FENCE.match(lines[full[0]])
    if opening is None:
        return lines, []
    lines = lines.copy()
    lines[full[0]] = ""
    closing = _closing_fence(lines, full, opening.group(1))
    if closing is not None:
        lines[closing] = ""
    message = "a code fence stands around the frontmatter; taken off"
    return lines, [Remark(full[0] + 1, "code-fence", message)]


def _closing_fence(lines: list[str], full: list[int], fence: str) -> int | None:
    """The line that closes a fence around the header alone or the whole file."""
    end = next((n for n in full[2:] if lines[n].rstrip() == "---"), None)
    after = next((n for n in full if end is not None and n > end), None)
    for number in (after, full[-1]):
        if number is not None and lines[number].strip() == fence:
            return number
    return None


def _parts(lines: list[str]) -> _Parts | None:
    top = next((n for n, line in enumerate(lines) if line.strip()), None)
    if top is None or lines[top].rstrip() != "---":
        return None
    for number in range(top + 1, len(lines)):
        if lines[number].rstrip() in ("---", "..."):
            return _Parts(top + 1, number, number + 1, closed=True)
    first = next((n for n in range(top + 1, len(lines)) if lines[n].strip()), None)
    if first is None or not is_key_line(lines[first]):
        return None
    stop = next(
        (n for n in range(first, len(lines)) if not lines[n].strip()), len(lines)
    )
    return _Parts(top + 1, stop, stop, closed=False)


def _without_conflict(lines: list[str], parts: _Parts) -> list[Remark]:
    """Blank the marks of a merge that nobody finished; both sides then stay."""
    marks = [n for n in range(parts.start, parts.stop) if _CONFLICT.match(lines[n])]
    if not any(lines[number].startswith("<") for number in marks):
        return []
    for number in marks:
        lines[number] = ""
    message = "a merge conflict stands in the frontmatter; solve it"
    return [Remark(marks[0] + 1, "merge-conflict", message)]


def _cut_at_prose(lines: list[str], parts: _Parts) -> tuple[_Parts, list[Remark]]:
    """End a header where a paragraph starts that is none of its keys.

    The fence that was found belongs to the body then: the header's own is missing.
    If more fields follow, the paragraph is a value that nobody indented.
    """
    paragraph: int | None = None
    for number in range(parts.start, parts.stop):
        line = lines[number]
        if not line.strip():
            paragraph = number if paragraph is None else paragraph
        elif is_key_line(line) or line[:1].isspace() or line.startswith("- "):
            paragraph = None
        elif paragraph is not None and not line.startswith("#"):
            if any(map(is_field_line, lines[number : parts.stop])):
                return parts, []
            cut = _Parts(parts.start, paragraph, paragraph, closed=False)
            return cut, [_unterminated(cut)]
    return parts, []


def _unterminated(parts: _Parts) -> Remark:
    message = (
        "the closing `---` of the frontmatter is missing; it is read up to the first"
        f" blank line, line {parts.stop + 1}"
    )
    return Remark(parts.start, "unterminated-frontmatter", message)


def _refused(refusal: Exception, parts: _Parts) -> Remark:
    """The remark for a header that YAML refuses though each of its keys is fine."""
    line = parts.start + 1
    problem = str(refusal)
    if isinstance(refusal, yaml.MarkedYAMLError) and refusal.problem_mark:
        line += int(refusal.problem_mark.line)
        problem = str(refusal.problem)
    return Remark(line, "not-strict-yaml", f"YAML refuses the header: {problem}")
