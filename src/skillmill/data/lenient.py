"""A second reading of frontmatter that YAML refuses: repaired line by line.

The header is cut into segments, one per top-level key. A segment that YAML takes
stays as it is; the others are mended, with a remark for each repair.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillmill.data.loadreport import Remark
from skillmill.data.plaintext import unquote
from skillmill.data.yamltext import UNREADABLE, Entry, Json, keep_last, read_entries

TEXT_FIELDS = frozenset({"name", "description", "department", "category"})
LIST_FIELDS = frozenset({"tags", "related", "inputs", "outputs", "allowed-tools"})

_FIELD = "|".join(sorted(TEXT_FIELDS | LIST_FIELDS | {"metadata"}))
_KEY = re.compile(rf"""("[^"]+"|'[^']+'|[^\W\d][\w.-]*)[ \t]*:(?=\s|$)|({_FIELD}):""")
_FIELD_LINE = re.compile(rf"({_FIELD}):(?=\s|$)")
_INDENTED_FIELD = re.compile(rf"[ \t]+({_FIELD}):(?=\s|$)")
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}([ \t]+#.*)?$")
_ITEM = re.compile(r"-(\s+|$)")
_MARGIN = re.compile(r"[ \t]*")
_TAB_AFTER = re.compile(r"(?<=[:-])[ \t]*\t[ \t]*")
_WIDE_COLON = re.compile(rf"^({_FIELD})[ \t]*\uff1a[ \t]*")
_WIDE = "the colon is a wide one; read as `:`. Write it so, with a blank after it"
_DEEPEST = 8
_INDENTED = "indented like a part of the line above; read as a key. Remove the blanks"

Mended = tuple[list[Entry], list[Remark]]


@dataclass(frozen=True, slots=True)
class _Segment:
    """The lines of one key, without its margin; `line` is the file's first line."""

    line: int
    lines: tuple[str, ...]

    @property
    def key(self) -> str:
        return self.lines[0].split(":", 1)[0].strip().strip("\"'")

    @property
    def inline(self) -> str:
        return self.lines[0].split(":", 1)[1].strip()

    @property
    def tail(self) -> list[str]:
        return [line.strip() for line in self.lines[1:] if line.strip()]

    @property
    def text(self) -> str:
        """The value as plain text, without the mark of a block."""
        inline = [] if _BLOCK.match(self.inline) else [self.inline]
        return " ".join(inline + self.tail).strip()

    @property
    def is_block(self) -> bool:
        return _BLOCK.match(self.inline) is not None


def is_key_line(line: str) -> bool:
    """Whether a line starts a `key: value` at the left margin."""
    return _KEY.match(line) is not None


def is_field_line(line: str) -> bool:
    """Whether a line at the left margin gives one of the fields that we read."""
    return _FIELD_LINE.match(line) is not None


def mend_entries(lines: Sequence[str], first_line: int, depth: int = 0) -> Mended:
    """Read what can be read of a header; nothing is raised.

    Parameters
    ----------
    lines : sequence of str
        The header without its fences.
    first_line : int
        The line of the file that `lines` starts in.
    depth : int
        How many maps lie around these lines; below the eighth all stays text.

    Returns
    -------
    entries, remarks
        Entries in file order, a repeated key only once (the last); a remark for
        each repair, naming its line.
    """
    segments, remarks = _segments(lines, first_line)
    kept: dict[str, Entry] = {}
    for segment in segments:
        entries, repairs = _read_segment(segment, depth)
        remarks.extend(repairs)
        for entry in entries:
            keep_last(kept, entry, remarks)
    return list(kept.values()), remarks


def _segments(
    lines: Sequence[str], first_line: int
) -> tuple[list[_Segment], list[Remark]]:
    starts: list[tuple[int, list[str]]] = []
    remarks = []
    for number, raw in enumerate(lines, start=first_line):
        line = _WIDE_COLON.sub(r"\1: ", raw)
        if line != raw:
            remarks.append(Remark(number, "wide-colon", _WIDE))
        if is_key_line(line):
            starts.append((number, [line]))
        elif not starts and _INDENTED_FIELD.match(line):
            starts.append((number, [line.lstrip()]))
            remarks.append(Remark(number, "bad-indentation", _INDENTED))
        elif starts:
            starts[-1][1].append("" if line.startswith("#") else line)
        elif line.strip() and not line.startswith("#"):
            message = f"no `key: value` and dropped: {line.strip()[:60]!r}"
            remarks.append(Remark(number, "unreadable-line", message))
    return [_Segment(number, tuple(part)) for number, part in starts], remarks


def _read_segment(segment: _Segment, depth: int) -> Mended:
    try:
        entries, remarks = read_entries("\n".join(segment.lines), segment.line)
    except UNREADABLE:
        return _mend(segment, depth)
    if [entry.key for entry in entries] != [segment.key]:
        return _mend(segment, depth)
    return entries, remarks


def _mend(segment: _Segment, depth: int) -> Mended:
    untabbed = tuple(_without_tabs(line) for line in segment.lines)
    if untabbed != segment.lines:
        message = "a tab where YAML wants blanks; read as blanks"
        tabs = [
            Remark(segment.line + offset, "tab", message)
            for offset, line in enumerate(segment.lines)
            if line != untabbed[offset]
        ]
        entries, remarks = _read_segment(_Segment(segment.line, untabbed), depth)
        return entries, tabs + remarks
    pieces = _pieces(segment)
    if len(pieces) == 1:
        value, remarks = _mend_value(segment, depth)
        text = value if isinstance(value, str) else segment.text
        return [Entry(segment.key, segment.line, text, value)], remarks
    read = [_read_segment(piece, depth) for piece in pieces]
    moved = [Remark(piece.line, "bad-indentation", _INDENTED) for piece in pieces[1:]]
    return [x for part, _ in read for x in part], [
        *moved,
        *(remark for _, part in read for remark in part),
    ]


def _without_tabs(line: str) -> str:
    margin = _MARGIN.match(line).group()  # type: ignore[union-attr]
    rest = line[len(margin) :]
    return margin.replace("\t", "  ") + _TAB_AFTER.sub("  ", rest)


def _pieces(segment: _Segment) -> list[_Segment]:
    """Cut a segment where an indented line is a key that stands on its own.

    It does if the key above it has a value on its own line already.
    """
    cuts = [0]
    whole = segment.inline != "" and not segment.is_block
    for offset, line in enumerate(segment.lines):
        if offset and whole and _INDENTED_FIELD.match(line):
            cuts.append(offset)
            value = line.split(":", 1)[1].strip()
            whole = value != "" and not _BLOCK.match(value)
    ends = [*cuts[1:], len(segment.lines)]
    return [
        _Segment(
            segment.line + cut,
            (segment.lines[cut].lstrip(), *segment.lines[cut + 1 : end]),
        )
        for cut, end in zip(cuts, ends, strict=True)
    ]


def _mend_value(segment: _Segment, depth: int) -> tuple[Json, list[Remark]]:
    inline, tail = segment.inline, segment.tail
    if segment.key in TEXT_FIELDS or segment.is_block:
        return _mend_text(segment)
    if _ITEM.match(inline) or (inline == "" and tail and _ITEM.match(tail[0])):
        return _mend_items(segment)
    if inline.startswith("["):
        return _mend_brackets(segment)
    if inline == "" and depth < _DEEPEST:
        return _mend_map(segment, depth)
    return _mend_text(segment)


def _mend_text(segment: _Segment) -> tuple[Json, list[Remark]]:
    key, text = segment.key, segment.text
    if segment.is_block or any(line[:1].strip() for line in segment.lines[1:]):
        code, fault = "bad-indentation", f"the text of `{key}` is not indented evenly"
    elif text[:1] in ('"', "'"):
        text = unquote(text)
        code, fault = "broken-quote", f"the quotes of `{key}` do not close at its end"
    elif re.search(r":(\s|$)", text):
        code, fault = "unquoted-colon", f"`{key}` holds `: ` without quotes"
    elif not segment.lines[0].split(":", 1)[1][:1].isspace():
        code, fault = "missing-space", f"no blank stands after `{key}:`"
    else:
        code, fault = "unquoted-special", f"YAML cannot read the value of `{key}`"
    message = f"{fault}; read as plain text. Put the value in quotes"
    return text, [Remark(segment.line, code, message)]


def _mend_items(segment: _Segment) -> tuple[Json, list[Remark]]:
    message = (
        f"the list of `{segment.key}` is broken; each `-` is read as one item."
        " Put each on its own line below the key"
    )
    lines = [segment.inline, *segment.tail]
    items = [unquote(_ITEM.sub("", line, count=1).strip()) for line in lines]
    return [item for item in items if item], [
        Remark(segment.line, "broken-list", message)
    ]


def _mend_brackets(segment: _Segment) -> tuple[Json, list[Remark]]:
    message = (
        f"YAML cannot read the brackets of `{segment.key}`; read as parted by commas"
    )
    items = [item.strip(" \"'") for item in segment.text.strip("[] ").split(",")]
    return [item for item in items if item], [
        Remark(segment.line, "broken-list", message)
    ]


def _mend_map(segment: _Segment, depth: int) -> tuple[Json, list[Remark]]:
    body = segment.lines[1:]
    margin = min((len(x) - len(x.lstrip()) for x in body if x.strip()), default=0)
    lines = [line[margin:] for line in body]
    entries, remarks = mend_entries(lines, segment.line + 1, depth + 1)
    if not entries:
        return _mend_text(segment)
    if not remarks:
        message = f"the lines below `{segment.key}` are not indented evenly"
        remarks = [Remark(segment.line, "bad-indentation", message)]
    return {entry.key: entry.value for entry in entries}, remarks
