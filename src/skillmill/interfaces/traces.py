"""The trace of a retrieval program, as lines for a person or rows for a machine."""

from collections.abc import Iterator, Sequence
from typing import Any

from skillmill.interfaces.explain import Explanation
from skillmill.report.visible import visible_text
from skillmill.skills.executor import NodeTrace
from skillmill.types import Node

#: Atoms shown of what a step found, and ids shown of what it added or removed.
SHOWN = 5

#: Characters of an atom's text on a line.
WIDTH = 60

#: Before an atom that is known to hold evidence.
MARK = "*"


def trace_lines(told: Explanation) -> Iterator[str]:
    """Lines for a terminal; nothing in them can move its cursor."""
    query, view = told.query, told.view
    yield f"question  {query.id}: {visible_text(query.text)}"
    if query.tuned_text != query.text:
        yield f"          without names: {visible_text(query.tuned_text)}"
    days = query.time_range
    yield f"          days: {' to '.join(days) if days else 'it names no date'}"
    yield f"memory    {view.conversation}, {len(view.atoms)} atoms"
    yield f"skill     {told.skill.name}: {' > '.join(told.skill.path)}"
    nodes = {node.id: node for node in told.skill.program}
    for step in told.execution.trace:
        yield ""
        yield from _step_lines(step, nodes[step.node], told)
    yield ""
    yield from _ranking_lines(told)


def _step_lines(step: NodeTrace, node: Node, told: Explanation) -> Iterator[str]:
    """What one step did."""
    args = " ".join(f"{name}={_short(value)}" for name, value in node.args.items())
    yield f"{step.node}  {step.primitive} {args}".rstrip()
    budget = "" if node.budget is None else f", at most {node.budget} held"
    took = f"{1000 * step.seconds:.1f} ms"
    yield f"    {step.state}, merged by {node.merge} x {node.weight:g}{budget}, {took}"
    if step.reason:
        yield f"    {visible_text(step.reason)}"
    for name, value in step.changes.items():
        yield f"    sets {name} = {visible_text(_short(value))}"
    for atom, score in step.scores[:SHOWN]:
        yield f"    {score:10.4f} {_atom(atom, told)}"
    if len(step.scores) > SHOWN:
        yield f"               and {len(step.scores) - SHOWN} more"
    for word, atoms in (("added", step.added), ("removed", step.removed)):
        if atoms:
            more = ", ..." if len(atoms) > SHOWN else ""
            yield f"    {word} {len(atoms)}: {', '.join(atoms[:SHOWN])}{more}"


def _ranking_lines(told: Explanation) -> Iterator[str]:
    """What the program returned."""
    ranking = told.execution.ranking
    yield f"returned  {ranking.state}, {len(ranking.items)} atoms"
    if ranking.reason:
        yield f"    {visible_text(ranking.reason)}"
    for place, (atom, score) in enumerate(_pairs(told), start=1):
        yield f"{place:4d} {score:9.4f} {_atom(atom, told)}"
    if told.evidence:
        found = set(told.evidence) & set(ranking.items)
        lost = [atom for atom in told.evidence if atom not in found]
        yield f"evidence  {len(found)} of {len(told.evidence)} returned ({MARK})"
        for atom in lost:
            yield f"    missed {_atom(atom, told)}"


def _pairs(told: Explanation) -> Iterator[tuple[str, float]]:
    """Atoms returned with their scores."""
    ranking = told.execution.ranking
    return zip(ranking.items, ranking.scores, strict=True)


def _atom(name: str, told: Explanation) -> str:
    """One atom on a line: mark, id and the start of its text."""
    mark = MARK if name in (told.evidence or ()) else " "
    text = " ".join(told.view.atoms[told.view.row[name]].text.split())
    cut = text if len(text) <= WIDTH else text[: WIDTH - 1] + "\u2026"
    return f"{mark} {name}  {visible_text(cut)}"


def _short(value: object) -> str:
    """Write an argument or a variable on a line."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)


def trace_rows(told: Explanation) -> Iterator[dict[str, Any]]:
    """One row for the question, one for each step, one for the ranking."""
    query, ranking = told.query, told.execution.ranking
    yield {
        "row": "question",
        "id": query.id,
        "text": query.text,
        "tuned_text": query.tuned_text,
        "time_range": query.time_range,
        "conversation": told.view.conversation,
        "atoms": len(told.view.atoms),
        "skill": told.skill.name,
        "content_hash": told.skill.content_hash,
        "evidence": told.evidence,
    }
    nodes = {node.id: node for node in told.skill.program}
    yield from (_step_row(step, nodes[step.node]) for step in told.execution.trace)
    yield {
        "row": "ranking",
        "state": ranking.state,
        "reason": ranking.reason,
        "items": ranking.items,
        "scores": ranking.scores,
    }


def _step_row(step: NodeTrace, node: Node) -> dict[str, Any]:
    """What one step was told and did."""
    return {
        "row": "step",
        "node": step.node,
        "primitive": step.primitive,
        "args": dict(node.args),
        "merge": node.merge,
        "weight": node.weight,
        "budget": node.budget,
        "state": step.state,
        "reason": step.reason,
        "scores": dict(step.scores),
        "added": step.added,
        "removed": step.removed,
        "changes": dict(step.changes),
        "seconds": round(step.seconds, 6),
    }
