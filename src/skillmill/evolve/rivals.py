"""Rivals of search: all legal paths in order, and paths drawn at random."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from skillmill.evolve.edits import default_node, effect_key, is_legal, made_skill
from skillmill.evolve.edits import named_nodes as numbered
from skillmill.evolve.proposals import (
    Proposal,
    ProposalContext,
    ProposalRound,
    Refusal,
)
from skillmill.evolve.trie import LLM
from skillmill.skills.primitive import Primitive
from skillmill.types import Node, RetrievalSkill


def legal_programs(
    primitives: Mapping[str, Primitive], longest: int
) -> Iterator[tuple[Node, ...]]:
    """Every legal program over default arguments, merges, weights and budgets.

    Shorter ones first, then by the names of their primitives; `llm_process` is left
    out. See `edits.is_legal`.
    """
    names = [name for name in sorted(primitives) if name != LLM]
    nodes = [default_node(primitives[name]) for name in names]
    for length in range(1, longest + 1):
        for chosen in product(nodes, repeat=length):
            program = numbered(chosen)
            if is_legal(program, primitives):
                yield program


def legal_skills(
    primitives: Mapping[str, Primitive], longest: int, *, distinct: bool = False
) -> list[RetrievalSkill]:
    """The same as skills; with `distinct`, one of those that rank alike."""
    seen: set[object] = set()
    found = []
    for program in legal_programs(primitives, longest):
        key = effect_key(program, primitives)
        if not (distinct and key in seen):
            found.append(made_skill(program))
        seen.add(key)
    return found


@dataclass(frozen=True)
class Exhaustive:
    """Proposes all legal paths in order, as many a round as it may."""

    longest: int = 4

    def propose(
        self, context: ProposalContext, rng: np.random.Generator
    ) -> ProposalRound:
        """The first paths that the trie does not refuse."""
        return _round(legal_skills(context.primitives, self.longest), context)


@dataclass(frozen=True)
class Random:
    """Proposes legal paths drawn without looking at anything that was tried."""

    longest: int = 4

    def propose(
        self, context: ProposalContext, rng: np.random.Generator
    ) -> ProposalRound:
        """As many new paths as it may, each as likely as any other."""
        pool = legal_skills(context.primitives, self.longest)
        order = rng.permutation(len(pool))
        return _round([pool[place] for place in order], context)


class Nothing:
    """Proposes nothing: the seeds alone (ablation)."""

    def propose(
        self, context: ProposalContext, rng: np.random.Generator
    ) -> ProposalRound:
        """No candidate, no refusal."""
        return ProposalRound()


def _round(skills: Sequence[RetrievalSkill], context: ProposalContext) -> ProposalRound:
    """The first skills that may be explored, and those that may not before them."""
    proposals: list[Proposal] = []
    refusals: list[Refusal] = []
    for skill in skills:
        if len(proposals) == context.limit:
            break
        why = context.trie.refusal(skill)
        if why:
            refusals.append(Refusal(skill.name, skill.path, why))
        else:
            # Nothing was edited; where it came from is the proposer itself.
            proposals.append(Proposal(skill, None, "drawn from all legal paths"))
    return ProposalRound(tuple(proposals), tuple(refusals))
