"""What one step of evolution hands to the next, and what it is told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from skillmill.evolve.prior_router import Router, Routing, Vectors
from skillmill.evolve.proposals import Choice, Proposer, Refusal, StepRecord
from skillmill.evolve.rollouts import Arena
from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Identity, Trie
from skillmill.types import RetrievalSkill


@dataclass(frozen=True, slots=True)
class Rules:
    """The knobs of a step; the defaults are the paper's.

    Attributes
    ----------
    limit : int
        The most proposals of a step (`shadow_candidate_top_k`).
    identity : str
        What counts as the same program, see `trie.Identity`.
    margin, tolerance : float
        gamma and xi of the deploy gate.
    keep_best : bool
        Whether Phi keeps the skill with the highest mean whatever covers it.
    train_filter : str
        `frontier`: candidates must be on the temporary frontier of the batch;
        `or-no-worse`: or do as well there as their source.
    gate : str
        `routed`: as Algorithm 1; `best-single`: the weakest skills leave the candidate
        deploy set until routing is no worse than the best of those left.
    racing : bool
        Whether rollouts of a candidate stop once it cannot enter a frontier any more.
    supervision : str
        Whose rollouts on the batch the router learns from: `all` of the step, or of
        those `retained` by the train filter.
    window : int
        Steps whose rollouts the router learns from.
    step_price : float
        What running one step of a program counts in reward while the router learns.
    frontiers : str
        `double`, or `none`: every candidate is taken and deployed (ablation).
    memory : str
        `trie`, or `frontier`: the proposer sees the present frontier alone and may
        propose again what was tried (ablation).
    """

    limit: int = 3
    identity: Identity = "path"
    margin: float = 0.0
    tolerance: float = 0.15
    keep_best: bool = False
    train_filter: Literal["frontier", "or-no-worse"] = "frontier"
    gate: Literal["routed", "best-single"] = "routed"
    racing: bool = False
    supervision: Literal["all", "retained"] = "all"
    window: int = 1000
    step_price: float = 0.0
    frontiers: Literal["double", "none"] = "double"
    memory: Literal["trie", "frontier"] = "trie"


@dataclass(frozen=True, eq=False)
class State:
    """Evolution after some steps.

    Attributes
    ----------
    step : int
        Steps done.
    trie : Trie
    capability, deploy : tuple of str
        Content hashes, in the order of addition.
    validation : RewardTable
        Skills with all of their rollouts on the validation questions.
    window : tuple of RewardTable
        Of each step, oldest first: rollouts on its batch that the router learns from.
    router : bytes or None
        None before the first step.
    history : tuple of StepRecord
        One a step; that of the seeds (step -1) first.
    choices : tuple of Choice
        What the router picks for the last batch.
    refusals : tuple of Refusal
        Of the last step.
    """

    step: int
    trie: Trie
    capability: tuple[str, ...]
    deploy: tuple[str, ...]
    validation: RewardTable
    window: tuple[RewardTable, ...] = ()
    router: bytes | None = None
    history: tuple[StepRecord, ...] = ()
    choices: tuple[Choice, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    def skills(self, names: Sequence[str]) -> tuple[RetrievalSkill, ...]:
        """Skills by content hash, in the order given."""
        return tuple(self.trie[name].skill for name in names)


@dataclass(frozen=True, eq=False)
class Ground:
    """What stays the same from step to step.

    Attributes
    ----------
    arena : Arena
        Where skills are rolled out; its primitives are what programs may call.
    validation : tuple of str
        The validation questions, sorted.
    proposer, routing
        Where candidates and routers come from.
    question_vectors : mapping
        Question id -> (d,) vector that the router sees.
    skill_vectors : callable
        Skills -> (s, d) vectors that the router sees.
    router_settings : object
        Handed to `routing.train`.
    """

    arena: Arena
    validation: tuple[str, ...]
    proposer: Proposer
    routing: Routing
    question_vectors: Mapping[str, Any]
    skill_vectors: Callable[[Sequence[RetrievalSkill]], Vectors]
    router_settings: object = None

    def loaded(self, state: State) -> Router | None:
        """The router of a state; None before the first step."""
        return None if state.router is None else self.routing.load(state.router)
