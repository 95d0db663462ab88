"""Run a retrieval program over a memory (ERSkill, section 2.3).

One atom budget binds every program, so that no skill wins by returning more. What
goes wrong is a state with a reason, never an empty list. `batch.execute_batch` gives
the same rankings for many queries at once, without traces.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from skillmill.errors import InputError, SkillmillError
from skillmill.memory.view import MemoryView
from skillmill.skills.merging import Evidence, found_by, joined
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import (
    LEFT_OUT,
    Bools,
    EvidenceState,
    Floats,
    QueryContext,
    Step,
)
from skillmill.types import Node, Ranking, RetrievalSkill, State

NO_ATOMS = "the memory holds no atoms"
NO_MATCH = "no atom matched"


@dataclass(frozen=True, slots=True)
class NodeTrace:
    """What one step did.

    Attributes
    ----------
    node, primitive : str
        The step.
    state : str
        `ok`, `empty` (it looked and found nothing), `skipped` or `failed`.
    reason : str or None
        Why it is not `ok`, or a remark of the primitive.
    scores : tuple of (atom id, score)
        What it found, best first, as the primitive scored it (a cosine, a BM25
        score, ...), at most as many as a merge looks at.
    added, removed : tuple of str
        Atoms that came into the evidence and that left it, sorted.
    changes : mapping
        Variables that it set.
    seconds : float
        Time that it took; two traces that differ in nothing else are equal.
    """

    node: str
    primitive: str
    state: State
    reason: str | None
    scores: tuple[tuple[str, float], ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, eq=False)
class Execution:
    """The outcome of a program: what to read, the last state, and how it came about.

    `ranking` has the skill's name as its arm. If a step failed its state is
    `failed` and it holds no items; the trace ends with that step.
    """

    ranking: Ranking
    evidence: EvidenceState
    trace: tuple[NodeTrace, ...]


def execute(
    skill: RetrievalSkill,
    query: QueryContext,
    view: MemoryView,
    budget: int,
    primitives: Mapping[str, Primitive] = PRIMITIVES,
) -> Execution:
    """Run a program from an empty state.

    Parameters
    ----------
    skill : RetrievalSkill
        As `parse_skill` gives it; a primitive that is not at hand is a failure.
    query : QueryContext
        The question.
    view : MemoryView
        The memory of the conversation that the question is about.
    budget : int
        The most atoms in the ranking, at least 1.
    primitives : mapping of str to Primitive
        What the program may call.

    Returns
    -------
    Execution
        Items best first by score rounded to 6 decimals, ties by id. The same
        arguments give the same result.

    Raises
    ------
    ValueError
        If `budget` is below 1.
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1, got {budget}")
    state = EvidenceState.empty(view)
    if not view.atoms:
        nothing = Ranking(skill.name, query.id, (), (), "empty", NO_ATOMS)
        return Execution(nothing, state, ())
    trace: list[NodeTrace] = []
    for node in skill.program:
        started = time.perf_counter()
        try:
            step = run_node(node, query, state, view, primitives)
        except SkillmillError as error:
            trace.append(NodeTrace(node.id, node.primitive, "failed", str(error)))
            break
        before = kept_of(state, step.kept)
        found = _found(step, before, node, view, budget)
        after = _after(before, step, found, node, view)
        done = _traced(node, step, found, (state, after), view)
        trace.append(replace(done, seconds=time.perf_counter() - started))
        state = after
    ranking = _ranking(skill.name, query.id, state, trace, view, budget)
    return Execution(ranking, state, tuple(trace))


def run_node(
    node: Node,
    query: QueryContext,
    state: EvidenceState,
    view: MemoryView,
    primitives: Mapping[str, Primitive],
) -> Step:
    """Call the primitive of a node with all its arguments.

    A node that needs what a left-out step would have written is left out, too.

    Raises
    ------
    SkillmillError
        What the primitive raises, or if there is no such primitive or it gives
        scores that are none.
    """
    primitive = primitive_of(node, primitives)
    args = primitive.complete(node.args)
    lacking = primitive.lacks(args, state.variables)
    if lacking and set(lacking) <= set(state.variables.get(LEFT_OUT, ())):
        note = f"{', '.join(lacking)} comes from a step that was left out"
        return Step(note=note, skipped=True)
    step = primitive.run(query, state, view, args)
    if step.scores is not None:
        check_scores(node, step.scores, (len(view.atoms),))
    return step


def primitive_of(node: Node, primitives: Mapping[str, Primitive]) -> Primitive:
    """Find the primitive of a node.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if node.primitive not in primitives:
        raise InputError(
            f"node {node.id!r} uses primitive {node.primitive!r}; known: "
            f"{', '.join(sorted(primitives))}",
            record=node.id,
        )
    return primitives[node.primitive]


def check_scores(node: Node, scores: Floats, shape: tuple[int, ...]) -> None:
    """Refuse scores that a primitive of one's own got wrong.

    Raises
    ------
    InputError
        If they are of another shape, or not finite.
    """
    if np.shape(scores) != shape or not np.isfinite(scores).all():
        raise InputError(
            f"node {node.id!r}: primitive {node.primitive!r} gave scores of shape "
            f"{np.shape(scores)} or numbers that are not finite; expected {shape} "
            "finite ones",
            record=node.id,
        )


def kept_of(state: EvidenceState, kept: Bools | None) -> EvidenceState:
    """Drop the evidence that a step does not keep."""
    if kept is None:
        return state
    held = state.held & kept
    return EvidenceState(np.where(held, state.scores, 0.0), held, state.variables)


def _found(
    step: Step, state: EvidenceState, node: Node, view: MemoryView, budget: int
) -> Evidence | None:
    """Normalise what a step found; None if it looked for no atoms."""
    if step.scores is None:
        return None
    return found_by(step.scores[None], state.held[None], node, view, budget)


def _after(
    state: EvidenceState,
    step: Step,
    found: Evidence | None,
    node: Node,
    view: MemoryView,
) -> EvidenceState:
    """Put a step into the state."""
    variables = {**state.variables, **step.changes}
    if found is None:
        return replace(state, variables=variables)
    scores, held = joined((state.scores[None], state.held[None]), found, node, view)
    return EvidenceState(scores[0], held[0], variables)


def _traced(
    node: Node,
    step: Step,
    found: Evidence | None,
    states: tuple[EvidenceState, EvidenceState],
    view: MemoryView,
) -> NodeTrace:
    """Write down what a step did."""
    before, after = states
    empty = found is not None and not found[1].any()
    return NodeTrace(
        node=node.id,
        primitive=node.primitive,
        state="skipped" if step.skipped else "empty" if empty else "ok",
        reason=step.note or (NO_MATCH if empty else None),
        scores=_best_found(step.scores, found, view),
        added=_names(after.held & ~before.held, view),
        removed=_names(before.held & ~after.held, view),
        changes=dict(step.changes),
    )


def _best_found(
    scores: Floats | None, found: Evidence | None, view: MemoryView
) -> tuple[tuple[str, float], ...]:
    """Pair the atoms that a merge looked at with the primitive's own scores."""
    if scores is None or found is None:
        return ()
    best = EvidenceState(scores, found[1][0]).best(view, len(scores))
    return tuple((view.ids[row], round(float(scores[row]), 6)) for row in best)


def _names(rows: Bools, view: MemoryView) -> tuple[str, ...]:
    """Ids of the atoms marked, sorted."""
    return tuple(sorted(view.ids[row] for row in np.flatnonzero(rows)))


def _ranking(
    arm: str,
    query: str,
    state: EvidenceState,
    trace: list[NodeTrace],
    view: MemoryView,
    budget: int,
) -> Ranking:
    """Cut the last state to the budget, or say why there is nothing to cut."""
    if trace and trace[-1].state == "failed":
        reason = failure(trace[-1].node, trace[-1].reason)
        return Ranking(arm, query, (), (), "failed", reason)
    best = state.best(view, budget)
    if not len(best):
        return Ranking(arm, query, (), (), "empty", NO_MATCH)
    items = tuple(view.ids[row] for row in best)
    scores = tuple(round(float(state.scores[row]), 6) for row in best)
    return Ranking(arm, query, items, scores)


def failure(node: str, reason: str | None) -> str:
    """Say which step failed and why."""
    return f"step {node!r}: {reason}"
