"""Evolution of retrieval skills and their router (docs/evolution.md)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from skillmill.settings.models import Encoder
from skillmill.settings.section import STUDY, Section

Reward01 = Annotated[float, Field(ge=0, le=1)]


class Proposing(Section):
    """Where candidate skills come from."""

    kind: Literal["search", "llm", "random", "exhaustive", "none"] = "search"
    """`search`: edits guided by the trie; `llm`: the paper's analysts, designer and
    generator; `none`: seeds only (ablation)."""
    longest: Annotated[int, Field(ge=1, le=12)] = 5
    """The most steps of a program; `llm` does not look at it."""
    curiosity: Annotated[float, Field(ge=0)] = 0.05
    """search: what an edit of a kind that was never tried is hoped to gain."""


class OwnEncoder(Encoder):
    """What makes the vectors that a router sees."""

    name: str = ""
    """As that of the section `encoder`; empty: the study's encoder."""


class Routing(Section):
    """The router, and how it is trained."""

    kind: Literal["utility", "learned", "llm"] = "utility"
    """`utility`: the best skill of the rollouts so far, for every question; `learned`:
    the paper's; `llm`: a model picks (ablation, appendix D.4.3)."""
    width: Annotated[int, Field(ge=1)] = 64
    """Length of the projected vectors."""
    hidden: Annotated[int, Field(ge=1)] = 64
    """Units of the perceptron."""
    temperature: Annotated[float, Field(gt=0)] = 0.1
    """Of the target distribution (paper: 1, for rewards of 0 and 1)."""
    prior: Annotated[float, Field(ge=0)] = 3.0
    """How much a skill's utility counts beside what is learnt (paper: 0; docs/router.md
    has what was measured)."""
    confidence: bool = False
    """Whether it also sees how sure the searches are; all are then run."""
    step_price: Annotated[float, Field(ge=0, le=1)] = 0.0
    """What running one step of a program counts in reward while the router learns."""
    budgets: list[Annotated[float, Field(gt=0, le=1)]] = []
    """Shares of the best skill's steps: `learned` is also measured within each."""
    epochs: Annotated[int, Field(ge=1)] = 20
    """Passes over the window at each step."""
    batch: Annotated[int, Field(ge=1)] = 32
    """Questions of a mini-batch."""
    rate: Annotated[float, Field(gt=0)] = 0.001
    """Learning rate of AdamW."""
    decay: Annotated[float, Field(ge=0)] = 0.0
    """Weight decay."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Where it is trained."""
    encoder: OwnEncoder = OwnEncoder()


class Gate(Section):
    """When a candidate deploy set replaces the old one."""

    rule: Literal["routed", "best-single"] = "best-single"
    """`routed`: Algorithm 1, line 20; `best-single`: the same, after the weakest skills
    have left until routing is no worse than the best of those left."""
    margin: Annotated[float, Field(ge=-1, le=1)] = 0.0
    """gamma: the least routed gain."""
    tolerance: Reward01 = 0.15
    """xi: what a set that is no larger may lose."""


class Evolution(Section):
    """Co-evolution of retrieval skills and router (ERSkill, section 2.4)."""

    seeds: Annotated[list[str], Field(min_length=1)] = [
        "src/skillmill/skills/seeds/semantic-clue.md",
        "src/skillmill/skills/seeds/entity-focus.md",
        "src/skillmill/skills/seeds/surface-fact.md",
    ]
    """Retrieval skills that both frontiers start with."""
    reward: Literal["recall", "full_evidence", "judge"] = "recall"
    """What a rollout is worth (paper: `judge`, a model's verdict on an answer)."""
    cutoff: Annotated[int, Field(ge=1)] = 10
    """Atoms that the reward looks at."""
    steps: Annotated[int, Field(ge=1, le=1000)] = 12
    """Steps of a run; past the last training question it begins anew."""
    batch: Annotated[int, Field(ge=1)] = 20
    """Training questions of a step."""
    runs: Annotated[int, Field(ge=1, le=100)] = 1
    """Runs from different random seeds: order of the questions, ties."""
    limit: Annotated[int, Field(ge=1)] = 10
    """The most proposals of a step (the paper's shadow_candidate_top_k)."""
    identity: Literal["path", "program"] = "program"
    """What counts as tried: the path (paper), or also weights and arguments."""
    keep_best: bool = True
    """Whether a frontier keeps the best single skill whatever covers it (paper: no)."""
    train_filter: Literal["frontier", "or-no-worse"] = "or-no-worse"
    """Which candidates see validation: those on the temporary frontier of the batch
    (paper), or also those no worse there than their source."""
    racing: bool = True
    """Whether rollouts of a candidate stop once it cannot enter a frontier any more;
    frontiers are the same."""
    supervision: Literal["all", "retained"] = "retained"
    """Whose rollouts on the batch the router learns from (paper: all)."""
    window: Annotated[int, Field(ge=1)] = 1000
    """Steps whose rollouts the router learns from."""
    frontiers: Literal["double", "none"] = "double"
    """`none`: every candidate is taken and deployed (ablation)."""
    memory: Literal["trie", "frontier"] = "trie"
    """`frontier`: the proposer forgets what left the frontier (ablation)."""
    proposer: Proposing = Proposing()
    router: Routing = Routing()
    gate: Gate = Gate()
    rivals: Annotated[int, Field(ge=1, le=6)] = 4
    """The longest paths that exhaustive and random search look at."""
    reflective_calls: Annotated[int, Field(ge=0)] = 0
    """Model calls that each rival that reflects may learn with; 0: there are none."""
    variants: dict[Annotated[str, Field(pattern=STUDY)], dict[str, Any]] = {}
    """Further runs: name -> the keys of this section that differ."""

    def variant(self, name: str) -> "Evolution":
        """The section as a variant has it; `default` is the section itself.

        A variant with another batch has as many steps as give it about as many
        questions, unless it says how many.

        Raises
        ------
        KeyError
            If there is no such variant.
        ValidationError
            If a key or value of the variant cannot be used.
        """
        plain = self.model_dump(exclude={"variants"})
        if name == "default":
            return Evolution(**plain)
        changes = self.variants[name]
        if "batch" in changes and "steps" not in changes:
            asked = self.steps * self.batch
            changes = {**changes, "steps": max(1, round(asked / changes["batch"]))}
        return Evolution.model_validate(laid(plain, changes))


def laid(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Mappings merged key by key, everything else replaced."""
    both = dict(under)
    for key, value in over.items():
        below = both.get(key)
        merges = isinstance(below, dict) and isinstance(value, dict)
        both[key] = laid(below, value) if merges and below is not None else value
    return both
