"""Proposing by deterministic search: edits of frontier programs, guided by the trie.

No model is asked. An edit of a good program of a kind that has paid off before comes
first; kinds that were never tried get the benefit of the doubt.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from skillmill.evolve.edits import Kind, edit_between, edits, effect_key, made_skill
from skillmill.evolve.proposals import (
    Proposal,
    ProposalContext,
    ProposalRound,
    Refusal,
)
from skillmill.evolve.trie import Explored, Trie
from skillmill.types import Node, RetrievalSkill


@dataclass(frozen=True)
class Credit:
    """What one kind of edit has done so far: how often it was tried, and its gains."""

    tried: int = 0
    total: float = 0.0

    def hope(self, curiosity: float) -> float:
        """Mean gain, plus a bonus that falls with the square root of the tries."""
        mean = self.total / self.tried if self.tried else 0.0
        return round(mean + curiosity / float(np.sqrt(1 + self.tried)), 6)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program one edit away from a frontier skill; `base` is that skill's mean."""

    source: RetrievalSkill
    kind: Kind
    program: tuple[Node, ...]
    effect: object
    base: float


@dataclass(frozen=True)
class Search:
    """The `search` proposer.

    Attributes
    ----------
    longest : int
        The most steps of a program.
    curiosity : float
        What a kind of edit that was never tried is hoped to gain, in reward.
    """

    longest: int = 6
    curiosity: float = 0.02

    def propose(
        self, context: ProposalContext, rng: np.random.Generator
    ) -> ProposalRound:
        """The most hopeful edits, the best first; ties by chance.

        A candidate is worth the validation mean of its source plus the hope for its
        kind of edit. A kind that was just picked counts as tried without gain, so that
        a round holds several. Programs that rank by construction as an explored one
        does are refused, and so is what the trie refuses.
        """
        credits = credit_by_kind(context.trie)
        seen = {
            effect_key(one.skill.program, context.primitives): one.skill.name
            for one in context.trie.explored
        }
        pool = self._pool(context)
        left = [pool[place] for place in rng.permutation(len(pool))]
        proposals: list[Proposal] = []
        refusals: list[Refusal] = []
        while left and len(proposals) < context.limit:
            worth = [one.base + self._hope(credits, one.kind) for one in left]
            best = left.pop(int(np.argmax(np.round(worth, 6))))
            skill = made_skill(best.program)
            why = _refused(skill, seen.get(best.effect), context.trie)
            if why:
                refusals.append(Refusal(skill.name, skill.path, why))
                continue
            seen[best.effect] = skill.name
            hoped = f"hoped for {max(worth):.3f}"
            reason = f"{best.kind} in {best.source.name}, {hoped}"
            proposals.append(Proposal(skill, best.source.content_hash, reason))
            old = credits.get(best.kind, Credit())
            credits[best.kind] = Credit(old.tried + 1, old.total)
        return ProposalRound(tuple(proposals), tuple(refusals))

    def _pool(self, context: ProposalContext) -> list[Candidate]:
        """Every edit of every frontier skill."""
        return [
            Candidate(
                source,
                kind,
                program,
                effect_key(program, context.primitives),
                context.trie[source.content_hash].mean("val") or 0.0,
            )
            for source in context.frontier
            for kind, program in edits(source.program, context.primitives, self.longest)
        ]

    def _hope(self, credits: Mapping[Kind, Credit], kind: Kind) -> float:
        return credits.get(kind, Credit()).hope(self.curiosity)


def _refused(skill: RetrievalSkill, twin: str | None, trie: Trie) -> str | None:
    """Why a program is not proposed; None if it is."""
    if twin is not None:
        return f"ranks as {twin} does, by construction"
    return trie.refusal(skill)


def credit_by_kind(trie: Trie) -> dict[Kind, Credit]:
    """What each kind of edit has gained so far.

    The gain of a skill that entered the capability frontier is its validation mean
    minus that of its source; of one that was turned away it is 0. Both are the same
    whether candidates raced or not.
    """
    credits: defaultdict[Kind, Credit] = defaultdict(Credit)
    for one in trie.explored:
        if one.source is None or one.source not in trie:
            continue
        source = trie[one.source]
        kind = edit_between(source.skill.program, one.skill.program)
        if kind is not None:
            old = credits[kind]
            credits[kind] = Credit(old.tried + 1, old.total + _gain(one, source))
    return dict(credits)


def _gain(one: Explored, source: Explored) -> float:
    after, before = one.mean("val"), source.mean("val")
    entered = any(event.fate == "entered" for event in one.history)
    return after - before if entered and after and before else 0.0
