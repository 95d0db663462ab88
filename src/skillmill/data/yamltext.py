"""Strict YAML whose scalars stay the text that the author wrote."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import yaml

from skillmill.data.loadreport import Remark
from skillmill.data.plaintext import tidy

#: Nothing but text, lists and maps with text keys: always JSON.
Json = str | list["Json"] | dict[str, "Json"]

#: What PyYAML lets escape on bad input; the last three are no YAMLError there
#: (`"\U00110000"`, thousands of opening brackets).
UNREADABLE = (yaml.YAMLError, ValueError, OverflowError, RecursionError)

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_COMMENT = re.compile(r"[ \t]+#.*")
_BREAKS = re.compile("[\x0b\x0c\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_MOST_NODES = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One top-level key of a frontmatter.

    `text` is the value as written, for fields that are text; `value` is what YAML
    makes of it, for fields that are lists, and for the metadata. `doubts` hold
    only where the entry is read as text.
    """

    key: str
    line: int
    text: str
    value: Json
    doubts: tuple[Remark, ...] = ()


def read_entries(source: str, first_line: int) -> tuple[list[Entry], list[Remark]]:
    """The entries of a YAML mapping, in order, a repeated key only once.

    Scalars are never turned into booleans, numbers or dates: `on` stays `on`.

    Parameters
    ----------
    source : str
        YAML with LF line ends; line breaks of other kinds count as blanks and
        characters that YAML forbids are left out.
    first_line : int
        The line of the file that the source starts in.

    Raises
    ------
    yaml.YAMLError, ValueError, OverflowError, RecursionError
        `UNREADABLE`: not YAML, or not a mapping, or nested without end.
    """
    source = _UNPRINTABLE.sub("", _BREAKS.sub(" ", source))
    node = yaml.compose(source, Loader=yaml.BaseLoader)
    if node is None:
        return [], []
    if not isinstance(node, yaml.MappingNode):
        raise yaml.YAMLError("expected `key: value` lines")
    reader = _Reader(source, first_line)
    kept: dict[str, Entry] = {}
    for key_node, value_node in node.value:
        entry = reader.entry(key_node, value_node)
        keep_last(kept, entry, reader.remarks)
    return list(kept.values()), reader.remarks


def keep_last(kept: dict[str, Entry], entry: Entry, remarks: list[Remark]) -> None:
    """Put an entry into `kept`; an earlier one of its key goes, with a remark."""
    earlier = kept.pop(entry.key, None)
    if earlier is not None:
        remarks.append(_repeat(entry.key, entry.line, earlier.line))
    kept[entry.key] = entry


def _repeat(key: str, line: int, earlier: int) -> Remark:
    message = (
        f"`{key}` is given again; this one wins, line {earlier} is dropped."
        " Delete one of them"
    )
    return Remark(line, "duplicate-key", message)


class _Reader:
    """Turns composed nodes into text, lists and maps, and remarks on the way."""

    def __init__(self, source: str, first_line: int) -> None:
        self._source = source
        self._first_line = first_line
        self._nodes = 0
        self.remarks: list[Remark] = []

    def entry(self, key_node: yaml.Node, value_node: yaml.Node) -> Entry:
        key = self._key(key_node)
        line = self._line(key_node)
        text, doubts = self._as_written(key, line, value_node)
        return Entry(key, line, text, self._plain(value_node, ()), doubts)

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + int(node.start_mark.line)

    def _slice(self, node: yaml.Node) -> str:
        return self._source[node.start_mark.index : node.end_mark.index].strip()

    def _key(self, node: yaml.Node) -> str:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        return self._slice(node)

    def _as_written(
        self, key: str, line: int, node: yaml.Node
    ) -> tuple[str, tuple[Remark, ...]]:
        if not isinstance(node, yaml.ScalarNode):
            message = f"`{key}` is a list or a map; read as the text written"
            return self._slice(node), (Remark(line, "not-text", message),)
        if node.style is not None:
            return self._scalar(node), ()
        comment = _COMMENT.match(self._source, node.end_mark.index)
        written = self._slice(node)
        if comment:
            message = (
                f"YAML cuts `{key}` at ` #`; read as written. Put the value in quotes"
            )
            doubt = Remark(
                self._first_line + node.end_mark.line, "cut-comment", message
            )
            return (written + comment.group()).strip(), (doubt,)
        if written.startswith("!"):
            message = f"`{key}` starts like a YAML tag; read as written"
            return written, (Remark(line, "yaml-tag", message),)
        return self._scalar(node), ()

    def _plain(self, node: yaml.Node, inside: Sequence[yaml.Node]) -> Json:
        self._nodes += 1
        if node in inside or self._nodes > _MOST_NODES:
            raise yaml.YAMLError("an alias repeats its own content without end")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, (*inside, node)) for item in node.value]
        return self._map(node, (*inside, node))

    def _scalar(self, node: yaml.ScalarNode) -> str:
        if node.style is None and node.value in _NULL:
            return ""
        text, remarks = tidy(str(node.value))
        self.remarks.extend(replace(x, line=self._line(node)) for x in remarks)
        return text

    def _map(self, node: yaml.Node, inside: Sequence[yaml.Node]) -> dict[str, Json]:
        lines: dict[str, int] = {}
        found: dict[str, Json] = {}
        for key_node, value_node in node.value:
            key, line = self._key(key_node), self._line(key_node)
            if key in lines:
                self.remarks.append(_repeat(key, line, lines[key]))
            lines[key] = line
            found[key] = self._plain(value_node, inside)
        return found
