"""Run a retrieval program over a memory (ERSkill, section 2.3).

One atom budget binds every program, so that no skill wins by returning more. What
goes wrong is a state with a reason, never an empty list.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from skillmill.errors import InputError, SkillmillError
from skillmill.memory.view import MemoryView
from skillmill.skills.merging import DEPTH, MERGES, Evidence, normalised
from skillmill.skills.primitives import PRIMITIVES, Primitive
from skillmill.skills.state import EvidenceState, Floats, QueryContext, Step
from skillmill.types import Node, Ranking, RetrievalSkill, State


@dataclass(frozen=True, slots=True)
class NodeTrace:
    """What one step did.

    Attributes
    ----------
    node, primitive : str
        The step.
    state : str
        `ok`, `empty` (it looked and found nothing) or `failed`.
    reason : str or None
        Why it is not `ok`, or a remark of the primitive.
    scores : tuple of (atom id, score)
        What it found, best first, as the primitive scored it (a cosine, a BM25
        score, ...), at most as many as a merge looks at.
    added, removed : tuple of str
        Atoms that came into the evidence and that left it, sorted.
    changes : mapping
        Variables that it set.
    """

    node: str
    primitive: str
    state: State
    reason: str | None
    scores: tuple[tuple[str, float], ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changes: Mapping[str, object]


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
        reason = "the memory holds no atoms"
        nothing = Ranking(skill.name, query.id, (), (), "empty", reason)
        return Execution(nothing, state, ())
    trace: list[NodeTrace] = []
    for node in skill.program:
        try:
            step = _run(node, query, state, view, primitives)
        except SkillmillError as error:
            trace.append(_failed(node, str(error)))
            break
        found = _found(step, state, node, view, budget)
        after = _joined(state, step, found, node, view)
        trace.append(_traced(node, step, found, (state, after), view))
        state = after
    ranking = _ranking(skill.name, query.id, state, trace, view, budget)
    return Execution(ranking, state, tuple(trace))


def _run(
    node: Node,
    query: QueryContext,
    state: EvidenceState,
    view: MemoryView,
    primitives: Mapping[str, Primitive],
) -> Step:
    """Call the primitive of a node with all its arguments."""
    if node.primitive not in primitives:
        raise InputError(
            f"node {node.id!r} uses primitive {node.primitive!r}; known: "
            f"{', '.join(sorted(primitives))}",
            record=node.id,
        )
    primitive = primitives[node.primitive]
    return primitive.run(query, state, view, primitive.complete(node.args))


def _found(
    step: Step, state: EvidenceState, node: Node, view: MemoryView, budget: int
) -> Evidence | None:
    """Normalise what a step found; None if it looked for no atoms.

    A step that reranks is asked about the atoms held alone, however deep they lie
    in its own list.
    """
    if step.scores is None:
        return None
    depth = max(DEPTH, budget, node.budget or 0)
    if node.merge == "rerank":
        held = np.where(state.held, step.scores, 0.0)
        return normalised(held, max(depth, int(state.held.sum())), view)
    return normalised(step.scores, depth, view)


def _joined(
    state: EvidenceState,
    step: Step,
    found: Evidence | None,
    node: Node,
    view: MemoryView,
) -> EvidenceState:
    """Merge a step into the evidence and cut it to the node's budget."""
    variables = {**state.variables, **step.changes}
    if found is None:
        return replace(state, variables=variables)
    merge = MERGES[node.merge]
    scores, held = merge((state.scores, state.held), found, node.weight, view)
    merged = EvidenceState(scores, held, variables)
    if node.budget is None or held.sum() <= node.budget:
        return merged
    kept = np.zeros(len(held), dtype=bool)
    kept[merged.best(view, node.budget)] = True
    return EvidenceState(np.where(kept, scores, 0.0), kept, variables)


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
    reason = step.note or ("no atom matched" if empty else None)
    return NodeTrace(
        node=node.id,
        primitive=node.primitive,
        state="empty" if empty else "ok",
        reason=reason,
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
    best = EvidenceState(scores, found[1]).best(view, len(scores))
    return tuple((view.ids[row], round(float(scores[row]), 6)) for row in best)


def _names(rows: np.ndarray, view: MemoryView) -> tuple[str, ...]:
    """Ids of the atoms marked, sorted."""
    return tuple(sorted(view.ids[row] for row in np.flatnonzero(rows)))


def _failed(node: Node, reason: str) -> NodeTrace:
    """Write down that a step could not be done."""
    return NodeTrace(node.id, node.primitive, "failed", reason, (), (), (), {})


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
        reason = f"step {trace[-1].node!r}: {trace[-1].reason}"
        return Ranking(arm, query, (), (), "failed", reason)
    best = state.best(view, budget)
    if not len(best):
        return Ranking(arm, query, (), (), "empty", "no atom matched")
    items = tuple(view.ids[row] for row in best)
    scores = tuple(round(float(state.scores[row]), 6) for row in best)
    return Ranking(arm, query, items, scores)
