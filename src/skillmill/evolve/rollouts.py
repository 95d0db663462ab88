"""Rollouts of retrieval skills, each made once (ERSkill, appendix D.3)."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from skillmill.memory.view import MemoryView
from skillmill.skills.batch import Known, execute_batch, parts
from skillmill.skills.primitive import Primitive
from skillmill.skills.state import QueryContext
from skillmill.store.rollout_records import RolloutRow
from skillmill.types import Ranking, RetrievalSkill

#: Value of a ranking for a question with evidence, in [0, 1].
Reward = Callable[[Sequence[str], Collection[str]], float | None]


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that has evidence: what rollouts run on and are judged by.

    `split` is part of the key, so that a training rollout never serves as one of
    validation. `memory` is the hash of the conversation's memory.
    """

    query: QueryContext
    view: MemoryView
    evidence: tuple[str, ...]
    split: str
    memory: str


class Recorded(Protocol):
    """Where rollouts are kept for good."""

    def known(self, keys: Iterable[str]) -> dict[str, RolloutRow]:
        """Those of some keys that are there."""
        ...

    def add(self, rollouts: Sequence[RolloutRow]) -> None:
        """Keep more."""
        ...


@dataclass(eq=False)
class Arena:
    """Runs skills on questions and rewards what they find.

    Attributes
    ----------
    asked : mapping
        Question id -> the question.
    reward : callable
        Of items and evidence.
    budget : int
        Atoms that a skill returns.
    primitives : mapping
        What programs may call.
    recorded : Recorded or None
        Where rollouts are looked up and kept; None: nowhere.
    computed, reused, failed : int
        Rollouts that were run, that were there already, and that failed.
    """

    asked: Mapping[str, Asked]
    reward: Reward
    budget: int
    primitives: Mapping[str, Primitive]
    recorded: Recorded | None = None
    computed: int = 0
    reused: int = 0
    failed: int = 0
    first_failure: str | None = None
    _known: dict[tuple[str, ...], Known] = field(default_factory=dict, repr=False)
    _there: dict[str, RolloutRow] = field(default_factory=dict, repr=False)
    _looked: set[str] = field(default_factory=set, repr=False)

    def rollouts(
        self, skill: RetrievalSkill, questions: Sequence[str]
    ) -> dict[str, RolloutRow]:
        """What a skill returns for questions, by question.

        Raises
        ------
        KeyError
            If a question is not among those asked.
        """
        keys = {q: self._key(skill.content_hash, q) for q in questions}
        self.look_up([skill], questions)
        there = self._there
        done = {q: there[key] for q, key in keys.items() if key in there}
        self.reused += len(done)
        fresh = self._run(skill, [q for q in questions if q not in done])
        self.computed += len(fresh)
        self._there |= {one.key: one for one in fresh.values()}
        # What failed may succeed once it is mended.
        sound = [one for one in fresh.values() if one.state != "failed"]
        if self.recorded and sound:
            self.recorded.add(sound)
        return done | fresh

    def look_up(
        self, skills: Iterable[RetrievalSkill], questions: Sequence[str]
    ) -> None:
        """Fetch what is recorded for all pairs at once: one look instead of many."""
        if self.recorded is None:
            return
        keys = [self._key(one.content_hash, q) for one in skills for q in questions]
        unseen = [key for key in keys if key not in self._looked]
        self._looked.update(unseen)
        if unseen:
            self._there |= self.recorded.known(unseen)

    def rewards(self, skill: RetrievalSkill, questions: Sequence[str]) -> list[float]:
        """Reward of a skill on each question; a failed rollout has 0 and counts."""
        found = self.rollouts(skill, questions)
        values = []
        for question in questions:
            one = found[question]
            if one.state == "failed":
                self.failed += 1
                self.first_failure = self.first_failure or one.reason
            value = self.reward(one.items, self.asked[question].evidence)
            values.append(round(float(value or 0.0), 6))
        return values

    def _key(self, skill: str, question: str) -> str:
        asked = self.asked[question]
        return rollout_key(skill, question, asked.split, asked.memory)

    def _run(
        self, skill: RetrievalSkill, questions: Sequence[str]
    ) -> dict[str, RolloutRow]:
        """Run a skill on questions, one memory at a time."""
        homes: defaultdict[str, list[str]] = defaultdict(list)
        for question in questions:
            homes[self.asked[question].view.conversation].append(question)
        found = {}
        for home in sorted(homes):
            for known in self._searched(homes[home]):
                done = execute_batch(
                    skill,
                    known.queries,
                    known.view,
                    self.budget,
                    self.primitives,
                    known,
                )
                for ranking in done.rankings():
                    found[ranking.query] = self._rollout(skill, ranking)
        return found

    def _searched(self, questions: Sequence[str]) -> list[Known]:
        """What searches find for questions of one memory, from an earlier program."""
        view = self.asked[questions[0]].view
        contexts = tuple(self.asked[question].query for question in questions)
        found = []
        for part in parts(contexts, view):
            key = tuple(query.id for query in contexts[part])
            if key not in self._known:
                self._known[key] = Known(view, contexts[part])
            found.append(self._known[key])
        return found

    def _rollout(self, skill: RetrievalSkill, ranking: Ranking) -> RolloutRow:
        asked = self.asked[ranking.query]
        return RolloutRow(
            rollout_key(skill.content_hash, ranking.query, asked.split, asked.memory),
            skill.content_hash,
            ranking.query,
            asked.split,
            asked.memory,
            ranking.state,
            ranking.reason,
            ranking.items,
        )


def rollout_key(skill: str, question: str, split: str, memory: str) -> str:
    """Hash of what tells a rollout from the others of one executor."""
    text = json.dumps([skill, question, split, memory], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def memory_hash(view: MemoryView) -> str:
    """Hash of all that rollouts on a memory depend on, 64 hex digits.

    Texts, dates, vectors, entities and edges; not the name of the conversation.
    """
    total = hashlib.sha256()
    atoms = [(a.id, a.session, a.timestamp, a.time_keys, a.text) for a in view.atoms]
    edges = [(e.source, e.target, e.relation, e.weight) for e in view.edges]
    said = [atoms, edges, view.speakers, view.mentions, view.last_day]
    total.update(json.dumps(said, ensure_ascii=False, default=repr).encode())
    for entity in sorted(view.entity_vectors):
        total.update(entity.encode())
        total.update(np.ascontiguousarray(view.entity_vectors[entity]).tobytes())
    total.update(np.ascontiguousarray(view.vectors).tobytes())
    if view.parts is not None:
        total.update(json.dumps(view.parts).encode())
    if view.tokens is not None:
        total.update(np.ascontiguousarray(view.tokens.vectors).tobytes())
    return total.hexdigest()


def asked_hash(query: QueryContext, memory: str) -> str:
    """Hash of a memory and of what is asked of it: the text and its vectors."""
    total = hashlib.sha256(memory.encode())
    total.update(json.dumps([query.text, query.tuned_text]).encode())
    for vector in (query.vector, query.tuned_vector):
        total.update(np.ascontiguousarray(vector).tobytes())
    return total.hexdigest()
