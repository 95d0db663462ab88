"""Rollouts that analysts are shown: which ones, and what of each (ERSkill, B.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from skillmill.evolve.proposals import Choice
from skillmill.evolve.table import RewardTable
from skillmill.memory.view import MemoryView
from skillmill.skills.executor import Execution, NodeTrace, execute
from skillmill.skills.primitive import Primitive
from skillmill.skills.skill import render_skill
from skillmill.skills.state import QueryContext
from skillmill.types import RetrievalSkill

#: Characters of an atom, and atoms of a step or a view, that a prompt holds.
LONGEST_ATOM = 400
MOST_ATOMS = 10
NO_ANSWER = "(no answer was written: the reward is the share of the evidence found)"


@dataclass(frozen=True, slots=True)
class Case:
    """A rollout that an analyst is to explain.

    `index` counts the cases of a step from 0; `skill` is a content hash.
    """

    index: int
    query: str
    skill: str
    solved: bool


class Source(Protocol):
    """Tells an analyst all about a case."""

    def payload(
        self, case: Case, skill: RetrievalSkill, rewards: Mapping[str, float]
    ) -> dict[str, object]:
        """The case as the prompt shows it; `rewards` are by name of the skill."""
        ...


class Posed(Protocol):
    """A question with its memory; `rollouts.Asked` is one."""

    @property
    def query(self) -> QueryContext:
        """The question."""
        ...

    @property
    def view(self) -> MemoryView:
        """Its memory."""
        ...

    @property
    def evidence(self) -> tuple[str, ...]:
        """Atoms that hold the answer."""
        ...


def select_cases(
    table: RewardTable,
    choices: Sequence[Choice],
    failed: int,
    succeeded: int,
    solved: float,
) -> list[Case]:
    """Which rollouts of a batch are analysed.

    Parameters
    ----------
    table : RewardTable
        The capability frontier on the batch.
    choices : sequence of Choice
        What the router picked; a pick that is not in the table counts for nothing.
    failed, succeeded : int
        The most of each.
    solved : float
        A rollout with this reward or more succeeded.

    Returns
    -------
    list of Case
        First the hard questions (no skill succeeds: `oracle_hard`), hardest first, ties
        by id, each with the skill that was picked, else with the best one. Then
        successes: for each skill in turn the questions that it solves, those that the
        fewest others solve first.
    """
    profile = table.profile()
    picked = {one.query: one.skill for one in choices if one.skill in table.skills}
    order = sorted(range(len(table.queries)), key=lambda q: (profile[q], _id(table, q)))
    hard = [q for q in order if profile[q] < solved][:failed]
    pairs = []
    for place in hard:
        query = table.queries[place]
        best = table.skills[int(table.rewards[:, place].argmax())]
        pairs.append((query, picked.get(query, best), False))
    pairs += [(*pair, True) for pair in _successes(table, succeeded, solved)]
    return [
        Case(index, query, skill, is_solved)
        for index, (query, skill, is_solved) in enumerate(pairs)
    ]


def _id(table: RewardTable, place: int) -> str:
    return table.queries[place]


def _successes(table: RewardTable, most: int, solved: float) -> list[tuple[str, str]]:
    """Questions that each skill solves, one skill after the other, round by round."""
    good = table.rewards >= solved
    many = good.sum(axis=0)
    queues = []
    for row, skill in enumerate(table.skills):
        places = [q for q in range(len(table.queries)) if good[row, q]]
        places.sort(key=lambda q: (many[q], _id(table, q)))
        queues.append([(table.queries[q], skill) for q in places])
    found: list[tuple[str, str]] = []
    used: set[str] = set()
    while len(found) < most and any(queues):
        for queue in queues:
            while queue and queue[0][0] in used:
                queue.pop(0)
            if queue and len(found) < most:
                found.append(queue.pop(0))
                used.add(found[-1][0])
    return found


@dataclass(frozen=True, eq=False)
class TracedCases:
    """Runs the rollout of a case again and writes down every step.

    Attributes
    ----------
    posed : mapping of str to Posed
        Question id -> the question.
    gold : mapping of str to str or None
        Question id -> its right answer.
    budget : int
        Atoms that a skill returns.
    primitives : mapping
        What programs may call.
    """

    posed: Mapping[str, Posed]
    gold: Mapping[str, str | None]
    budget: int
    primitives: Mapping[str, Primitive]

    def payload(
        self, case: Case, skill: RetrievalSkill, rewards: Mapping[str, float]
    ) -> dict[str, object]:
        """Trace, retrieval metrics, evidence view and final state of a case."""
        posed = self.posed[case.query]
        run = execute(skill, posed.query, posed.view, self.budget, self.primitives)
        return {
            "case_index": case.index,
            "case_query": posed.query.text,
            "case_groundtruth": self.gold.get(case.query) or "",
            "case_prediction": NO_ANSWER,
            "case_chosen_skill": skill.name,
            "skill_markdown": render_skill(skill),
            "reward_of_each_skill": dict(rewards),
            "trace": [_step(step) for step in run.trace],
            "retrieval_metrics": _metrics(run, posed),
            "evidence_view": _texts(run.ranking.items[:MOST_ATOMS], posed.view),
            "final_state": {"state": run.ranking.state, **run.evidence.variables},
        }


def _step(step: NodeTrace) -> dict[str, object]:
    """One step of a trace; how long it took is left out, so that prompts repeat."""
    return {
        "node_id": step.node,
        "primitive": step.primitive,
        "state": step.state,
        "reason": step.reason,
        "found": [list(pair) for pair in step.scores[:MOST_ATOMS]],
        "added": list(step.added[:MOST_ATOMS]),
        "removed": list(step.removed[:MOST_ATOMS]),
        "set": dict(step.changes),
    }


def _metrics(run: Execution, posed: Posed) -> dict[str, object]:
    """What of the evidence was returned and at which rank, and what was not."""
    rank = {item: place for place, item in enumerate(run.ranking.items, start=1)}
    lost = [atom for atom in posed.evidence if atom not in rank]
    return {
        "atoms_returned": len(rank),
        "evidence_atoms": len(posed.evidence),
        "rank_of_evidence_found": {a: rank[a] for a in posed.evidence if a in rank},
        "evidence_not_found": _texts(lost[:MOST_ATOMS], posed.view),
    }


def _texts(ids: Sequence[str], view: MemoryView) -> list[dict[str, str]]:
    """Atoms with their words, cut to what a prompt holds."""
    rows = [view.row[name] for name in ids]
    texts = [view.atoms[row].text[:LONGEST_ATOM] for row in rows]
    return [{"atom": name, "text": text} for name, text in zip(ids, texts, strict=True)]
