"""The program of a retrieval skill: JSON text to checked nodes, and back."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skillmill.skills.arguments import EXPECTED, is_count, is_number, is_text
from skillmill.skills.merging import MERGES
from skillmill.skills.primitive import Primitive
from skillmill.types import Node

#: Something wrong: the line of the file, from 1, and what was expected there.
Fault = tuple[int, str]

#: Rules that need evidence to work on, so they cannot come first.
_NEEDS_EVIDENCE = frozenset({"intersect", "rerank"})

#: Fields of a node that may be left out, with what they must be.
_FIELDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "id": (is_text, EXPECTED["text"]),
    "primitive": (is_text, EXPECTED["text"]),
    "args": (lambda value: isinstance(value, dict), "an object of arguments"),
    "merge": (
        lambda value: isinstance(value, str) and value in MERGES,
        f"one of {', '.join(MERGES)}",
    ),
    "weight": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "budget": (
        lambda value: value is None or is_count(value),
        f"{EXPECTED['count']}, or null",
    ),
}


class _Block:
    """One JSON object of the program with its place in the file."""

    def __init__(self, fields: dict[str, Any], text: str, line: int) -> None:
        self.fields = fields
        self.line = line
        self._text = text

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"node {self.fields.get('id', '(without id)')!r}"

    def line_of(self, key: str) -> int:
        """Line in which a key stands; the object's first line if it is not found."""
        found = re.search(rf"{re.escape(json.dumps(key))}\s*:", self._text)
        return self.line + (self._text.count("\n", 0, found.start()) if found else 0)


def read_program(
    source: str, first_line: int, primitives: Mapping[str, Primitive]
) -> tuple[tuple[Node, ...], list[Fault]]:
    """Read a JSON list of nodes and check all of them.

    Parameters
    ----------
    source : str
        The JSON text.
    first_line : int
        The line of the file that it starts in.
    primitives : mapping of str to Primitive
        What the program may call.

    Returns
    -------
    nodes : tuple of Node
        Only to be used if there is no fault. Lists among the arguments are tuples.
    faults : list of (line, message)
        All that is wrong, by line.
    """
    repeats: list[str] = []
    try:
        blocks = _blocks(source, first_line, repeats)
    except json.JSONDecodeError as error:
        return (), [(first_line + error.lineno - 1, f"not JSON: {error.msg}")]
    except RecursionError:
        return (), [(first_line, "not a program: brackets nested without end")]
    faults = [(first_line, f"key {key!r} comes twice in one node") for key in repeats]
    if not blocks:
        faults.append((first_line, "expected a JSON list of at least one node"))
    for block in blocks:
        faults += _field_faults(block)
        faults += _argument_faults(block, primitives)
    faults += _sequence_faults(blocks, primitives)
    return (() if faults else tuple(map(_node, blocks))), sorted(set(faults))


def write_program(program: Sequence[Node]) -> str:
    """Write nodes as JSON, one a line; `read_program` gives the same nodes."""
    lines = []
    for node in program:
        fields: dict[str, object] = {"id": node.id, "primitive": node.primitive}
        if node.args:
            fields["args"] = dict(node.args)
        fields |= {"merge": node.merge, "weight": node.weight}
        if node.budget is not None:
            fields["budget"] = node.budget
        lines.append("  " + json.dumps(fields, ensure_ascii=False))
    return "[\n" + ",\n".join(lines) + "\n]"


def _blocks(source: str, first_line: int, repeats: list[str]) -> list[_Block]:
    """Cut a JSON list into its objects; keys given twice go into `repeats`.

    `[]` if it is anything but a list of objects.
    """

    def noting_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        repeats.extend(sorted({key for key in keys if keys.count(key) > 1}))
        return dict(pairs)

    items = json.loads(source)
    if not isinstance(items, list) or not all(isinstance(x, dict) for x in items):
        return []
    decoder = json.JSONDecoder(object_pairs_hook=noting_repeats)
    blocks = []
    end = 0
    for _ in items:
        # All else between two objects is a bracket, a comma or white space.
        start = source.index("{", end)
        fields, end = decoder.raw_decode(source, start)
        line = first_line + source.count("\n", 0, start)
        blocks.append(_Block(fields, source[start:end], line))
    return blocks


def _field_faults(block: _Block) -> list[Fault]:
    """Check the fields of a node, all but what its arguments say."""
    faults = [
        (block.line, f"{block.name} lacks {field!r}")
        for field in ("id", "primitive")
        if field not in block.fields
    ]
    for field, value in block.fields.items():
        if field not in _FIELDS:
            message = f"has no field {field!r}; known: {', '.join(_FIELDS)}"
        elif not _FIELDS[field][0](value):
            message = f"field {field!r}: expected {_FIELDS[field][1]}, got {value!r}"
        else:
            continue
        faults.append((block.line_of(field), f"{block.name} {message}"))
    return faults


def _argument_faults(block: _Block, primitives: Mapping[str, Primitive]) -> list[Fault]:
    """Check the primitive of a node and what it is told."""
    name = block.fields.get("primitive")
    args = block.fields.get("args", {})
    if not is_text(name) or not isinstance(args, dict):
        return []
    if name not in primitives:
        message = f"uses primitive {name!r}; known: {', '.join(sorted(primitives))}"
        return [(block.line_of("primitive"), f"{block.name} {message}")]
    known = primitives[name].arguments
    faults = []
    for key, value in args.items():
        if key not in known:
            options = ", ".join(known) or "none"
            message = f"gives {name} the argument {key!r}; known: {options}"
        elif not known[key].accepts(value):
            expected = known[key].expected
            message = f"argument {key!r}: expected {expected}, got {value!r}"
        else:
            continue
        faults.append((block.line_of(key), f"{block.name} {message}"))
    if not faults:
        faults += _conflicts(block, primitives[name], args)
    return faults


def _conflicts(
    block: _Block, primitive: Primitive, args: Mapping[str, Any]
) -> list[Fault]:
    """Tell what is wrong with arguments that are each right."""
    if primitive.conflict is None:
        return []
    conflict = primitive.conflict(primitive.complete(args))
    return [(block.line_of("args"), f"{block.name}: {conflict}")] if conflict else []


def _sequence_faults(
    blocks: Sequence[_Block], primitives: Mapping[str, Primitive]
) -> list[Fault]:
    """Check what nodes need of those before them."""
    faults = []
    seen: set[str] = set()
    written: set[str] = set()
    for number, block in enumerate(blocks):
        name = block.fields.get("id")
        if is_text(name) and name in seen:
            faults.append((block.line_of("id"), f"{block.name} comes twice"))
        seen |= {name} if is_text(name) else set()
        merge = block.fields.get("merge")
        if number == 0 and is_text(merge) and merge in _NEEDS_EVIDENCE:
            message = f"comes first, so {merge!r} has no evidence to work on"
            faults.append((block.line_of("merge"), f"{block.name} {message}"))
        primitive = _primitive_of(block, primitives)
        if primitive is not None:
            faults += _unmet(block, primitive, written)
            written |= set(primitive.writes)
    return faults


def _primitive_of(
    block: _Block, primitives: Mapping[str, Primitive]
) -> Primitive | None:
    """Give the primitive of a node, None if it names none."""
    name = block.fields.get("primitive")
    return primitives.get(name) if is_text(name) else None


def _unmet(block: _Block, primitive: Primitive, written: set[str]) -> list[Fault]:
    """List the variables that neither an argument nor an earlier node provides."""
    args = block.fields.get("args")
    given = args if isinstance(args, dict) else {}
    if any(given.get(key) == value for key, value in primitive.needless.items()):
        return []
    ways = [f"{key} {value!r}" for key, value in primitive.needless.items()]
    without = f", or {' or '.join(ways)}" if ways else ""
    return [
        (
            block.line_of("primitive"),
            f"{block.name}: {primitive.name} needs {need!r} as an argument or from "
            f"an earlier node that writes it{without}",
        )
        for need in primitive.needs
        if given.get(need) is None and need not in written
    ]


def _node(block: _Block) -> Node:
    """Make a node of a block without faults."""
    fields = block.fields
    return Node(
        id=fields["id"],
        primitive=fields["primitive"],
        args={key: _frozen(value) for key, value in fields.get("args", {}).items()},
        merge=fields.get("merge", "sum"),
        weight=float(fields.get("weight", 1.0)),
        budget=fields.get("budget"),
    )


def _frozen(value: object) -> object:
    """Make lists tuples, all the way down."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
