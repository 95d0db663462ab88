"""Run a retrieval program for many queries of one memory at once.

The rankings are those of `executor.execute`; there are no traces. What a search finds
depends on the query alone, so it is computed once and serves every program that asks
the same: evolution and exhaustive search run thousands.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import top_rows
from skillmill.errors import SkillmillError
from skillmill.memory.view import MemoryView
from skillmill.skills.executor import (
    NO_ATOMS,
    NO_MATCH,
    check_scores,
    failure,
    kept_of,
    run_node,
)
from skillmill.skills.merging import Evidence, found_by, joined
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import (
    Bools,
    EvidenceState,
    Floats,
    QueryContext,
    States,
    Step,
    Steps,
)
from skillmill.types import Node, Ranking, RetrievalSkill

#: Scores held for one step at once (8 bytes each); more queries are run in parts.
CELLS = 2**22


@dataclass(frozen=True, eq=False)
class Known:
    """Scores of primitives that do not look at the evidence, kept between programs.

    It belongs to one view and one sequence of queries. For each primitive with one
    set of arguments it holds some 34 bytes for each query and atom.
    """

    view: MemoryView
    queries: tuple[QueryContext, ...]
    steps: dict[object, Steps] = field(default_factory=dict, repr=False)
    found: dict[object, Evidence] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What a program returned for each query.

    Attributes
    ----------
    arm : str
        Name of the skill.
    view : MemoryView
        What `rows` are rows of.
    queries : tuple of q str
        Ids.
    rows : (q, k) ints
        Atoms best first, -1 after the last.
    scores : (q, k) floats
        Rounded to 6 decimals, 0 after the last.
    failures : mapping of int to str
        Why a query failed, by its number.
    skipped : mapping of str to int
        Steps that were left out, over all queries, by the reason.
    """

    arm: str
    view: MemoryView
    queries: tuple[str, ...]
    rows: npt.NDArray[np.intp]
    scores: Floats
    failures: Mapping[int, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)

    def rankings(self) -> list[Ranking]:
        """Give the rankings that `execute` gives, in the order of the queries."""
        rows, scores = self.rows.tolist(), self.scores.tolist()
        sizes = (self.rows >= 0).sum(axis=1).tolist()
        return [
            self._ranking(number, rows[number][:size], scores[number][:size])
            for number, size in enumerate(sizes)
        ]

    def _ranking(self, number: int, rows: list[int], scores: list[float]) -> Ranking:
        query = self.queries[number]
        if number in self.failures:
            return Ranking(self.arm, query, (), (), "failed", self.failures[number])
        if not rows:
            reason = NO_MATCH if self.view.atoms else NO_ATOMS
            return Ranking(self.arm, query, (), (), "empty", reason)
        ids = self.view.ids
        return Ranking(self.arm, query, tuple(ids[row] for row in rows), tuple(scores))


def execute_batch(
    skill: RetrievalSkill,
    queries: Sequence[QueryContext],
    view: MemoryView,
    budget: int,
    primitives: Mapping[str, Primitive] = PRIMITIVES,
    known: Known | None = None,
) -> Rollouts:
    """Run a program for each query from an empty state.

    Parameters
    ----------
    skill, view, budget, primitives
        As for `execute`.
    queries : sequence of QueryContext
        All about the conversation of the view.
    known : Known, optional
        Kept from call to call it spares the searches of earlier programs.

    Raises
    ------
    ValueError
        If `budget` is below 1, or `known` belongs to another view or other queries.
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1, got {budget}")
    known = known or Known(view, tuple(queries))
    same = len(known.queries) == len(queries) and all(
        mine is other for mine, other in zip(known.queries, queries, strict=True)
    )
    if known.view is not view or not same:
        raise ValueError("`known` was made for another view or other queries")
    run = _Run(known, budget, primitives)
    if view.atoms and queries:
        for node in skill.program:
            run.step(node)
    return run.rollouts(skill.name)


def parts(queries: Sequence[QueryContext], view: MemoryView) -> list[slice]:
    """Cut queries into runs whose scores fit in memory (see `CELLS`)."""
    size = max(1, CELLS // max(1, len(view.atoms)))
    return [slice(start, start + size) for start in range(0, len(queries), size)]


class _Run:
    """One program on its way: the evidence and variables of every query."""

    def __init__(
        self, known: Known, budget: int, primitives: Mapping[str, Primitive]
    ) -> None:
        shape = (len(known.queries), len(known.view.atoms))
        self.known = known
        self.view = known.view
        self.budget = budget
        self.primitives = primitives
        self.evidence: Evidence = (np.zeros(shape), np.zeros(shape, dtype=bool))
        self.variables: dict[int, Mapping[str, object]] = {}
        self.failures: dict[int, str] = {}
        self.skipped: Counter[str] = Counter()

    def step(self, node: Node) -> None:
        """Take one step for every query that has not failed."""
        found, looked = self._together(node)
        if found is None:
            found, looked = self._one_by_one(node)
        after = joined(self.evidence, found, node, self.view)
        if looked is None:
            self.evidence = after
            return
        seen = looked[:, None]
        scores, held = (
            np.where(seen, mine, old)
            for mine, old in zip(after, self.evidence, strict=True)
        )
        self.evidence = scores, held

    def _together(self, node: Node) -> tuple[Evidence | None, Bools | None]:
        """Do a step for all at once; None if that cannot be."""
        primitive = self.primitives.get(node.primitive)
        if primitive is None or primitive.many is None or self.variables:
            return None, None
        try:
            return self._looked_up(node, primitive)
        except SkillmillError:
            # Of all queries one may be at fault; alone, each says so for itself.
            return None, None

    def _looked_up(
        self, node: Node, primitive: Primitive
    ) -> tuple[Evidence, Bools | None]:
        """Find what a step finds, from what is known if the evidence plays no part."""
        args = primitive.complete(node.args)
        if primitive.evidence:
            steps = self._many(node, primitive, args)
            return self._found(steps.scores, node), steps.looked
        key: object = (primitive, json.dumps(args, sort_keys=True, default=list))
        if key not in self.known.steps:
            self.known.steps[key] = self._many(node, primitive, args)
        steps = self.known.steps[key]
        if node.merge == "rerank":
            return self._found(steps.scores, node), steps.looked
        deep = (key, self.budget, node.budget)
        if deep not in self.known.found:
            self.known.found[deep] = self._found(steps.scores, node)
        return self.known.found[deep], steps.looked

    def _many(
        self, node: Node, primitive: Primitive, args: Mapping[str, object]
    ) -> Steps:
        """Run a primitive for all queries."""
        if primitive.many is None:
            raise TypeError(f"primitive {primitive.name!r} runs one by one")
        steps = primitive.many(
            self.known.queries, States(*self.evidence), self.view, args
        )
        check_scores(node, steps.scores, self.evidence[0].shape)
        return steps

    def _found(self, scores: Floats, node: Node) -> Evidence:
        """Normalise what a step found."""
        return found_by(scores, self.evidence[1], node, self.view, self.budget)

    def _one_by_one(self, node: Node) -> tuple[Evidence, Bools]:
        """Do a step query by query; those that fail are out."""
        # What is held may be shared with what is known, and is written to below.
        self.evidence = self.evidence[0].copy(), self.evidence[1].copy()
        scores = np.zeros_like(self.evidence[0])
        looked = np.zeros(len(scores), dtype=bool)
        self._announce(node)
        for number in range(len(scores)):
            if number in self.failures:
                continue
            try:
                step = self._alone(node, number)
            except SkillmillError as error:
                self.failures[number] = failure(node.id, str(error))
                continue
            if step.scores is not None:
                scores[number], looked[number] = step.scores, True
        return self._found(scores, node), looked

    def _announce(self, node: Node) -> None:
        """Tell a primitive that wants to know of all queries before each is run."""
        primitive = self.primitives.get(node.primitive)
        if primitive is None or primitive.ahead is None:
            return
        waiting = [n for n in range(len(self.known.queries)) if n not in self.failures]
        pairs = [(self.known.queries[n], self._state(n)) for n in waiting]
        primitive.ahead(pairs, self.view, primitive.complete(node.args))

    def _state(self, number: int) -> EvidenceState:
        """What one query holds and knows."""
        return EvidenceState(
            self.evidence[0][number],
            self.evidence[1][number],
            self.variables.get(number, {}),
        )

    def _alone(self, node: Node, number: int) -> Step:
        """Do a step for one query, its variables and what it keeps included."""
        mine = self._state(number)
        query = self.known.queries[number]
        step = run_node(node, query, mine, self.view, self.primitives)
        if step.changes:
            self.variables[number] = {**mine.variables, **step.changes}
        self.skipped[step.note] += step.skipped
        kept = kept_of(mine, step.kept)
        self.evidence[0][number], self.evidence[1][number] = kept.scores, kept.held
        return step

    def rollouts(self, arm: str) -> Rollouts:
        """Cut what is held to the budget."""
        scores, held = self.evidence
        failed = np.zeros(len(held), dtype=bool)
        failed[list(self.failures)] = True
        held = held & ~failed[:, None]
        rows = top_rows(scores, self.view.place, self.budget, held)
        taken = np.take_along_axis(scores, np.maximum(rows, 0), axis=1)
        rounded = np.where(rows >= 0, np.round(taken, 6), 0.0)
        ids = tuple(query.id for query in self.known.queries)
        return Rollouts(
            arm, self.view, ids, rows, rounded, self.failures, dict(+self.skipped)
        )
