"""What a proposer of new retrieval skills is told, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Trie
from skillmill.skills.primitive import Primitive
from skillmill.types import RetrievalSkill


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate skill.

    `source` is the content hash of the capability-frontier skill that it edits, None
    where it edits none; `reason` says in few words what was done and why.
    """

    skill: RetrievalSkill
    source: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A candidate that was not proposed: how it is called, its path, and why not."""

    name: str
    path: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ProposalRound:
    """What a proposer gives back: at most `limit` proposals, best first."""

    proposals: tuple[Proposal, ...] = ()
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which deployed skill the router picks for a query of the batch."""

    query: str
    skill: str
    probability: float


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What one step did; a row of the curves.

    Oracles, routed and best single are means of rewards in [0, 1]; those of
    validation unless they say `train`. `gain` is the routed gain of the candidate
    deploy set, None where there was none. `rollouts` counts the (skill, query) pairs
    that this step needed, whether they were recorded already or not.
    """

    step: int
    batch: int
    proposed: int
    refused: int
    retained: int
    entered: int
    deploy_tried: bool
    deploy_accepted: bool
    gain: float | None
    train_oracle: float
    capability_oracle: float
    deploy_oracle: float
    routed: float
    best_single: float
    capability_size: int
    deploy_size: int
    rollouts: int
    reason: str = ""


@dataclass(frozen=True, eq=False)
class ProposalContext:
    """All that a proposer may look at in one step.

    Attributes
    ----------
    step : int
        From 0.
    frontier : tuple of RetrievalSkill
        The capability frontier: sources of edits, in the order of addition.
    deploy, retired : tuple of RetrievalSkill
        The deploy frontier, and what is on no frontier (visible, no source).
    trie : Trie
        Everything explored, with rollouts and fates.
    train : RewardTable
        The frontier on the batch; its columns are the batch.
    choices : tuple of Choice
        What the router picks for the batch; empty before it was trained.
    history : tuple of StepRecord
        Earlier steps, oldest first.
    primitives : mapping of str to Primitive
        What programs may call.
    limit : int
        The most proposals (`shadow_candidate_top_k`).
    """

    step: int
    frontier: tuple[RetrievalSkill, ...]
    deploy: tuple[RetrievalSkill, ...]
    retired: tuple[RetrievalSkill, ...]
    trie: Trie
    train: RewardTable
    choices: tuple[Choice, ...]
    history: tuple[StepRecord, ...]
    primitives: Mapping[str, Primitive]
    limit: int


class Proposer(Protocol):
    """Anything that proposes candidate skills."""

    def propose(
        self, context: ProposalContext, rng: np.random.Generator
    ) -> ProposalRound:
        """Give at most `context.limit` candidates whose paths are new to the trie."""
        ...
