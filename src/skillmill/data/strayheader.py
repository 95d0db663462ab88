"""Headers that stand otherwise than at the top of a file between `---`: put there."""

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from skillmill.data.loadreport import Remark

_FENCE = re.compile(r"-{3,}[ \t]*(#.*)?$")
_CODE_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(yaml|yml)$")
#: Keys that tell a header from an example, or from two rules in a text.
_FIELD = re.compile(r"[ \t]*[\"']?(name|description)[\"']?[ \t]*[:\uff1a]", re.I)
#: What editors and converters leave around a line.
_INVISIBLE = " \t\ufeff\u200b\u2060"


@dataclass(frozen=True, slots=True)
class Placed:
    """Lines whose header is at their top between `---`, and what stood before it."""

    lines: list[str]
    before: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class _Header:
    """The lines of a header as YAML, those after it, and what is odd about it."""

    lines: Sequence[str]
    rest: Sequence[str]
    oddity: str = ""


def place_header(lines: list[str]) -> Placed:
    """Find a header below comments or headings, or between other fences.

    Other fences: indented ones, of more dashes, or with a comment; and, with nothing
    above, a block of YAML code, `+++` around TOML, or a JSON object. Only what gives a
    name or a description is taken for a header. Lines of YAML keep their numbers.
    """
    at = _first_of_substance(lines)
    if at is None:
        return Placed(lines)
    before = tuple(line for line in lines[:at] if line.strip(_INVISIBLE))
    others = () if before else (_in_a_code_block, _of_toml, _of_json)
    read = (_between_dashes, *others)
    found = next((header for each in read if (header := each(lines, at))), None)
    if found is None or not (before or found.oddity):
        return Placed(lines)
    remarks = []
    if before:
        message = "the frontmatter stands below other text; move it to the top"
        remarks.append(Remark(at + 1, "late-frontmatter", message))
    if found.oddity:
        message = f"{found.oddity}; write `---` lines around YAML"
        remarks.append(Remark(at + 1, "odd-fence", message))
    placed = [*[""] * at, "---", *found.lines, "---", *found.rest]
    return Placed(placed, before, tuple(remarks))


def _first_of_substance(lines: Sequence[str]) -> int | None:
    """The first line that is not blank, a comment, a heading or a YAML directive."""
    is_comment = False
    for number, line in enumerate(lines):
        text = line.strip(_INVISIBLE)
        is_comment = is_comment or text.startswith("<!--")
        if is_comment:
            is_comment = "-->" not in text
        elif text and not text.startswith(("#", "%")):
            return number
    return None


def _between_dashes(lines: Sequence[str], at: int) -> _Header | None:
    opening = lines[at].strip(_INVISIBLE)
    if not _FENCE.match(opening):
        return None
    plain = _next(lines, at + 1, re.compile(r"---$|\.\.\.$"), margin="")
    stop = plain or _next(lines, at + 1, _FENCE)
    header = lines[at + 1 : stop]
    if stop is None or not any(map(_FIELD.match, header)) or not header[0].strip():
        return None
    if plain is None and not all(map(str.strip, header)):
        return None  # a rule somewhere in the body
    odd = [x for x in (lines[at], lines[stop]) if x.rstrip() not in ("---", "...")]
    oddity = f"{odd[0].strip()[:40]!r} is read as a fence `---`" if odd else ""
    return _Header(header, lines[stop + 1 :], oddity)


def _in_a_code_block(lines: Sequence[str], at: int) -> _Header | None:
    opening = _CODE_FENCE.match(lines[at].strip(_INVISIBLE))
    if opening is None:
        return None
    end = re.compile(re.escape(opening.group(1)) + "$")
    stop = _next(lines, at + 1, end)
    header = lines[at + 1 : stop]
    if stop is None or not any(map(_FIELD.match, header)) or "---" in header:
        return None
    oddity = "a block of code is read as the frontmatter"
    return _Header(header, lines[stop + 1 :], oddity)


def _of_toml(lines: Sequence[str], at: int) -> _Header | None:
    if lines[at].strip(_INVISIBLE) != "+++":
        return None
    stop = _next(lines, at + 1, re.compile(r"\+{3}$"))
    try:
        fields = tomllib.loads("\n".join(lines[at + 1 : stop]))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    if stop is None or not {"name", "description"} & fields.keys():
        return None
    header = json.dumps(fields, ensure_ascii=False, default=str)
    return _Header([header], lines[stop + 1 :], "the header is TOML between `+++`")


def _of_json(lines: Sequence[str], at: int) -> _Header | None:
    text = "\n".join(lines[at:]).lstrip(_INVISIBLE)
    if not text.startswith("{"):
        return None
    try:
        fields, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not {"name", "description"} & fields.keys():
        return None
    header = json.dumps(fields, ensure_ascii=False)
    return _Header([header], text[end:].split("\n"), "the header is a JSON object")


def _next(
    lines: Sequence[str], start: int, pattern: re.Pattern[str], margin: str = _INVISIBLE
) -> int | None:
    """The next line that a pattern matches, without what stands around it."""
    numbers = range(start, len(lines))
    shown = (lines[n].rstrip().lstrip(margin) for n in numbers)
    return next(
        (n for n, text in zip(numbers, shown, strict=True) if pattern.match(text)), None
    )
