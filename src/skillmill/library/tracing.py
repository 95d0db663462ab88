"""What a task is traced with: the knobs, the task and the library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from skillmill.library.bundle import Mode
from skillmill.library.ioschema import Source
from skillmill.library.meaning import Array, Floats
from skillmill.library.prerequisites import DependencyGraph
from skillmill.library.querytree import QueryTree
from skillmill.types import Ranking

Weights = Literal["cosine", "hybrid", "both"]
Primary = Literal["matched", "argmax", "whole"]


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """How a bundle is made.

    Attributes
    ----------
    mode : str
        `additive`: the ranker's first `budget` skills stay, prerequisites come beside
        them. `paper`: skills matched with the leaves, and among the `budget` as many
        as `supporting` that the walk leads to.
    budget, supporting : int
        In `paper` mode both together fill the budget; in `additive` mode `supporting`
        bounds what comes beside it.
    primary : str
        In `paper` mode: `matched` one to one, `argmax` of each leaf (eq. 5), or
        `whole`: no tree, the best for the whole task.
    weights : str
        Of leaves and skills: `cosine` (eq. 4), the `hybrid` score of the leaf, or
        `both`: the cosine and `prior` times the hybrid score of the whole task.
    floor : float
        A leaf and a skill that weigh no more do not match.
    fill : bool
        In `paper` mode: whether places that leaves and walk leave open go to the
        entry ranker's next results.
    restart, tolerance, max_steps
        Of the walk (SkillTrace: 0.2, 1e-6, 50).
    trust : str
        The least trusted source of edges that `additive` prerequisites follow.
    tokens, skill_tokens : int or None
        The most that a bundle, and one skill of it, may cost.
    """

    mode: Mode = "additive"
    budget: int = 6
    supporting: int = 16
    primary: Primary = "matched"
    weights: Weights = "both"
    prior: float = 1.0
    floor: float = 0.0
    fill: bool = False
    restart: float = 0.2
    tolerance: float = 1e-6
    max_steps: int = 50
    trust: Source = "llm"
    tokens: int | None = None
    skill_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no bundle can be made with."""
        known = {"mode": Mode, "primary": Primary, "weights": Weights, "trust": Source}
        for name, values in known.items():
            if getattr(self, name) not in get_args(values):
                raise ValueError(
                    f"expected {name} out of {get_args(values)}, got"
                    f" {getattr(self, name)!r}"
                )
        if self.budget < 1 or self.supporting < 0 or self.prior < 0:
            raise ValueError(
                "expected a budget of at least 1, supporting and prior of at least 0,"
                f" got {self.budget}, {self.supporting} and {self.prior}"
            )


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """A task, ready to be traced.

    Attributes
    ----------
    tree : QueryTree
    ranking : Ranking
        Of the entry ranker for the whole task, the best first.
    leaf_cosines : (q, n) floats
        Of each leaf with each skill, in the order of the library's ids.
    whole_cosines : (n,) floats
        Of the whole task.
    whole_scores : (n,) floats
        The ranker's score of the whole task; 0 where it has none.
    leaf_scores : (q, n) floats or None
        The ranker's scores of the leaves; only for `weights: hybrid`.
    """

    tree: QueryTree
    ranking: Ranking
    leaf_cosines: Floats
    whole_cosines: Array
    whole_scores: Array
    leaf_scores: Floats | None = None

    @property
    def id(self) -> str:
        """The task's id."""
        return self.tree.task


@dataclass(frozen=True, slots=True)
class TraceLibrary:
    """A library, ready for tracing: its graph, and by id what is known of skills.

    `costs` are the tokens of each skill, `wanted` the inputs that it takes.
    """

    graph: DependencyGraph
    costs: Mapping[str, int] = field(default_factory=dict)
    wanted: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """All skills, in the order of the columns of weights."""
        return self.graph.ids
