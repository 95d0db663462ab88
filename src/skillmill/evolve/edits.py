"""Edits of retrieval programs: what one small change can make of a program.

All are over default arguments and merges; a step is a primitive with a weight.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from skillmill.evolve.trie import LLM, with_own_hash
from skillmill.skills.primitive import Primitive
from skillmill.skills.program import read_program, write_program
from skillmill.types import Node, RetrievalSkill

Change = Literal["insert", "remove", "replace", "reorder", "re-weight"]

#: What one edit multiplies a weight by, and the bounds that weights stay in.
FACTORS = (0.5, 2.0)
LEAST_WEIGHT, MOST_WEIGHT = 0.25, 4.0


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of edit: the change and the primitive that it is about.

    The primitive that comes in with `insert` and `replace`; that leaves with `remove`;
    that moves up with `reorder`; `*0.5` or `*2` follows with `re-weight`.
    """

    change: Change
    primitive: str

    def __str__(self) -> str:
        return f"{self.change} {self.primitive}"


def default_node(primitive: Primitive) -> Node:
    """A step with default arguments; those without which it could not run are given."""
    return Node("", primitive.name, dict(primitive.needless))


def edits(
    program: Sequence[Node], primitives: Mapping[str, Primitive], longest: int
) -> Iterator[tuple[Kind, tuple[Node, ...]]]:
    """Every legal program that one edit of a program gives.

    Parameters
    ----------
    program : sequence of Node
    primitives : mapping
        What may be inserted; `llm_process` is never.
    longest : int
        The most steps of a program.

    Yields
    ------
    (Kind, program)
        In a fixed order; the program with fresh node ids.
    """
    names = [name for name in sorted(primitives) if name != LLM]
    fresh = [default_node(primitives[name]) for name in names]
    for kind, nodes in _changed(tuple(program), fresh):
        if len(nodes) <= longest:
            numbered = named_nodes(nodes)
            if is_legal(numbered, primitives):
                yield kind, numbered


def _changed(
    program: tuple[Node, ...], fresh: Sequence[Node]
) -> Iterator[tuple[Kind, tuple[Node, ...]]]:
    """Every program one edit away, legal or not."""
    for place in range(len(program) + 1):
        for node in fresh:
            grown = (*program[:place], node, *program[place:])
            yield Kind("insert", node.primitive), grown
    for place, old in enumerate(program):
        rest = (*program[:place], *program[place + 1 :])
        yield Kind("remove", old.primitive), rest
        for node in fresh:
            if node.primitive != old.primitive:
                swapped = replace(node, merge=old.merge, weight=old.weight)
                changed = (*program[:place], swapped, *program[place + 1 :])
                yield Kind("replace", node.primitive), changed
        for factor in FACTORS:
            weight = old.weight * factor
            if LEAST_WEIGHT <= weight <= MOST_WEIGHT and len(program) > 1:
                heavier = replace(old, weight=weight)
                changed = (*program[:place], heavier, *program[place + 1 :])
                yield Kind("re-weight", f"{old.primitive}*{factor:g}"), changed
    for place in range(len(program) - 1):
        first, second = program[place : place + 2]
        turned = (*program[:place], second, first, *program[place + 2 :])
        yield Kind("reorder", second.primitive), turned


def edit_between(source: Sequence[Node], child: Sequence[Node]) -> Kind | None:
    """The kind of edit that made one program of another; None if none did alone."""
    before, after = [n.primitive for n in source], [n.primitive for n in child]
    for one, nodes in _changed(tuple(source), [_bare(node) for node in child]):
        if [n.primitive for n in nodes] == after and _weights(nodes) == _weights(child):
            return one
    if len(after) == len(before) + 1:
        return _lone("insert", after, before)
    if len(after) == len(before) - 1:
        return _lone("remove", before, after)
    return None


def _lone(change: Change, longer: Sequence[str], shorter: Sequence[str]) -> Kind | None:
    """The one primitive that a path has more than another."""
    left = list(longer)
    for name in shorter:
        if name not in left:
            return None
        left.remove(name)
    return Kind(change, left[0])


def _bare(node: Node) -> Node:
    return replace(node, merge="sum", weight=1.0, budget=None)


def _weights(nodes: Sequence[Node]) -> list[float]:
    return [node.weight for node in nodes]


def named_nodes(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Nodes with ids by place; the first merges as a first step must."""
    return tuple(replace(node, id=f"s{n}") for n, node in enumerate(nodes, start=1))


def is_legal(program: Sequence[Node], primitives: Mapping[str, Primitive]) -> bool:
    """Whether a program can run, and starts by finding something.

    An expansion with nothing to expand finds nothing, and a step right after its twin
    is only a heavier one.
    """
    if not program or primitives[program[0].primitive].kind != "search":
        return False
    if any(
        a.primitive == b.primitive and a.args == b.args for a, b in pairwise(program)
    ):
        return False
    return not read_program(write_program(program), 1, primitives)[1]


def effect_key(
    program: Sequence[Node], primitives: Mapping[str, Primitive]
) -> tuple[object, ...]:
    """What programs have in common that rank alike by construction.

    Steps that add scores without looking at the evidence commute, equal ones add up,
    and a common factor of all weights changes no order.
    """
    key: list[dict[object, float]] = [{}]
    for node in program:
        text = json.dumps([node.primitive, node.args], sort_keys=True, default=list)
        free = node.merge == "sum" and node.budget is None
        if free and not primitives[node.primitive].evidence:
            key[-1][text] = key[-1].get(text, 0.0) + node.weight
        else:
            key += [{(text, node.merge, node.budget): node.weight}, {}]
    top = max(weight for run in key for weight in run.values())
    return tuple(
        frozenset((step, round(weight / top, 6)) for step, weight in run.items())
        for run in key
    )


def made_skill(program: Sequence[Node]) -> RetrievalSkill:
    """A skill of a program, with words that the program alone decides."""
    text = write_program(program)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    short = "-".join(node.primitive.split("_")[0].lower() for node in program)
    steps = ", then ".join(
        node.primitive if node.weight == 1 else f"{node.primitive} x {node.weight:g}"
        for node in program
    )
    skill = RetrievalSkill(
        name=f"{short}-{digest}",
        description=f"Runs {steps}, and adds up what they find.",
        preference="Whatever it was measured to be best at.",
        program=tuple(program),
        content_hash="",
    )
    return with_own_hash(skill)
