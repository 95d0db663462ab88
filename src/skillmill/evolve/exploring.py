"""Candidates of a step: proposed, filtered on the batch, weighed on validation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from skillmill.evolve.deploying import route
from skillmill.evolve.filtering import Rolled, on_frontier, roll_out
from skillmill.evolve.proposals import (
    Proposal,
    ProposalContext,
    Refusal,
)
from skillmill.evolve.state import Ground, Rules, State
from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Event, Fate, Trie


@dataclass(frozen=True, eq=False)
class Explored:
    """What exploring gives.

    Attributes
    ----------
    state : State
        With the trie, the validation table, the capability frontier and the refusals
        of this step.
    batch : RewardTable
        Sources and candidates on the batch, those that lost a race left out.
    proposed, retained, entered : tuple of str
        Content hashes of candidates: all, those that the train filter kept, those that
        are on the capability frontier now.
    rollouts : int
        Pairs of candidates and questions.
    """

    state: State
    batch: RewardTable
    proposed: tuple[str, ...]
    retained: tuple[str, ...]
    entered: tuple[str, ...]
    rollouts: int


def explored(
    state: State,
    train: RewardTable,
    ground: Ground,
    rules: Rules,
    rng: np.random.Generator,
) -> Explored:
    """Propose candidates and update the capability frontier (Algorithm 1, 8 to 13).

    `train` holds the capability frontier on the batch.
    """
    proposals, refusals = _proposed(state, train, ground, rules, rng)
    trie = state.trie
    for one in proposals:
        if one.skill.content_hash not in trie:
            trie = trie.added(
                one.skill, source=one.source, step=state.step, reason=one.reason
            )
    skills = [one.skill for one in proposals]
    means = train.utilities()
    floors = {
        one.skill.content_hash: means[one.source]
        for one in proposals
        if one.source in means
    }
    lenient = floors if rules.train_filter == "or-no-worse" else {}
    batch = roll_out(ground.arena, train, skills, racing=rules.racing, floors=lenient)
    names = tuple(skill.content_hash for skill in skills)
    trie = trie.tallied("train", {name: batch.rewards(name) for name in names})
    retained = _retained(names, batch, lenient, rules)
    known = state.validation.only(state.capability)
    fresh = [s for s in skills if s.content_hash in retained]
    weighed = roll_out(ground.arena, known, fresh, racing=_races(rules))
    trie = trie.tallied("val", {name: weighed.rewards(name) for name in retained})
    capability = on_frontier(weighed.table, keep_best=rules.keep_best)
    if rules.frontiers == "none":
        everyone = {*state.capability, *names}
        capability = tuple(name for name in trie.names if name in everyone)
    entered = tuple(name for name in names if name in capability)
    after = replace(
        state,
        trie=_told(trie, state, names, retained, entered),
        capability=capability,
        validation=_grown(state.validation, weighed).ordered(trie.names),
        refusals=refusals,
    )
    rollouts = batch.rollouts + weighed.rollouts
    return Explored(after, batch.table, names, retained, entered, rollouts)


def _proposed(
    state: State,
    train: RewardTable,
    ground: Ground,
    rules: Rules,
    rng: np.random.Generator,
) -> tuple[tuple[Proposal, ...], tuple[Refusal, ...]]:
    """What the proposer proposes, checked against the trie and the limit."""
    router = ground.loaded(state)
    choices = (
        tuple(route(ground, state, router, state.deploy, train.queries))
        if router is not None
        else ()
    )
    seen = state.trie
    if rules.memory == "frontier":
        kept = set(state.capability)
        now = tuple(one for one in seen.explored if one.skill.content_hash in kept)
        seen = replace(seen, explored=now)
    context = ProposalContext(
        step=state.step,
        frontier=state.skills(state.capability),
        deploy=state.skills(state.deploy),
        retired=seen.retired(),
        trie=seen,
        train=train,
        choices=choices,
        history=state.history,
        primitives=ground.arena.primitives,
        limit=rules.limit,
    )
    found = ground.proposer.propose(context, rng)
    kept_proposals: list[Proposal] = []
    refusals = list(found.refusals)
    for one in found.proposals:
        why = _refused(one, kept_proposals, seen, state.capability, rules)
        if why:
            refusals.append(Refusal(one.skill.name, one.skill.path, why))
        else:
            seen = seen.added(one.skill, source=one.source, step=state.step)
            # Who does not look at the trie may propose again what was tried.
            twin = state.trie.duplicate_of(one.skill)
            kept_proposals.append(replace(one, skill=twin.skill) if twin else one)
    return tuple(kept_proposals), tuple(refusals)


def _refused(
    one: Proposal,
    kept: Sequence[Proposal],
    seen: Trie,
    capability: Sequence[str],
    rules: Rules,
) -> str | None:
    """Why a proposal is turned away; None if it is taken."""
    if len(kept) == rules.limit:
        return f"the limit of {rules.limit} proposals is reached"
    if one.source is not None and one.source not in capability:
        return "its source is not on the capability frontier"
    return seen.refusal(one.skill)


def _retained(
    names: Sequence[str], batch: Rolled, floors: dict[str, float], rules: Rules
) -> tuple[str, ...]:
    """Candidates that the train filter keeps."""
    if rules.frontiers == "none":
        return tuple(names)
    kept = set(on_frontier(batch.table, keep_best=rules.keep_best))
    means = batch.table.utilities()
    kept |= {n for n in floors if n in means and means[n] >= floors[n]}
    return tuple(name for name in names if name in kept)


def _races(rules: Rules) -> bool:
    """Whether candidates race on validation: not where all of them are taken."""
    return rules.racing and rules.frontiers == "double"


def _grown(validation: RewardTable, weighed: Rolled) -> RewardTable:
    """The validation table with the candidates that were rolled out in full."""
    there = set(validation.skills)
    fresh = [name for name in weighed.table.skills if name not in there]
    return validation.extended(fresh, [weighed.table.row(name) for name in fresh])


def _told(
    trie: Trie,
    state: State,
    names: Sequence[str],
    retained: Sequence[str],
    entered: Sequence[str],
) -> Trie:
    """The trie with what became of each candidate."""
    for name in names:
        if name not in retained:
            trie = trie.happened(name, Event(state.step, "train-rejected"))
            continue
        trie = trie.happened(name, Event(state.step, "train-retained"))
        fate: Fate = "entered" if name in entered else "validation-rejected"
        trie = trie.happened(name, Event(state.step, fate))
    return trie
