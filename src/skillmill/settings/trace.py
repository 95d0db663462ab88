"""SkillTrace: from a task to a bundle of skills (docs/trace.md)."""

from typing import Annotated, Literal

from pydantic import Field

from skillmill.settings.section import Section, Share


class Tree(Section):
    """The tree of a task; of the role `decompose`, or of clauses and list items."""

    leaves: Annotated[int, Field(ge=1, le=60)] = 24
    """The most leaves; beyond them the deepest groups become a leaf each."""
    grounded: Share = 0.3
    """Least share of a leaf's words that the task holds; others are left out."""


class Dependencies(Section):
    """Which skill makes what another one takes."""

    measure: Literal["containment", "slot", "either"] = "either"
    """Weight: share of the consumer's inputs, its best artefact, or the larger."""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.6
    """Least weight of an edge (SkillTrace: 0.6)."""
    candidates: Annotated[int, Field(ge=1)] = 8
    """The most producers of one consumer (SkillTrace: 8)."""
    common: Annotated[int, Field(ge=1)] = 200
    """An output that more skills make proposes none of them."""
    soft: bool = False
    """Whether names that differ may be alike by their cosine."""
    similar: Annotated[int, Field(ge=1)] = 8
    """The most other names that one is compared with."""


class RelationWeights(Section):
    """What an edge of a class counts in the GoS-style walk (SkillTrace, appendix)."""

    dependency: Annotated[float, Field(ge=0)] = 1.0
    """requires, and outputs that serve inputs."""
    workflow: Annotated[float, Field(ge=0)] = 0.5
    """feeds_into, precedes, routes_to, verifies."""
    semantic: Annotated[float, Field(ge=0)] = 0.2
    """similar_to, specializes, complements, part_of."""
    alternative: Annotated[float, Field(ge=0)] = 0.1
    """alternative_to."""


class Peers(Section):
    """Other ways to use the graph, with controls."""

    seeds: Annotated[int, Field(ge=1)] = 4
    """Skills that the GoS-style walk starts at (SkillTrace: 4; 5 on ALFWorld)."""
    relation_weights: RelationWeights = RelationWeights()
    prerequisites: Annotated[int, Field(ge=0)] = 2
    """The most direct prerequisites that a skill brings along, SkillDAG-style."""
    shared: Annotated[int, Field(ge=0)] = 2
    """Places of the budget that co-usage fills."""


class TraceArms(Section):
    """How bundles are measured against plain search."""

    entry: str = "hybrid"
    """The ranker whose results stay in the bundle."""
    budgets: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = [
        5,
        6,
        8,
    ]
    """Skills that each compared arm may return."""
    supporting: Annotated[int, Field(ge=0)] = 2
    """How many of them the walk along dependencies may spend (K of eq. 9)."""
    peers: Peers = Peers()


class Trace(Section):
    """Bundles of skills for tasks (SkillTrace)."""

    tree: Tree = Tree()
    dependencies: Dependencies = Dependencies()
    mode: Literal["additive", "paper"] = "additive"
    """`additive`: prerequisites beside the ranked skills; `paper`: in their place."""
    budget: Annotated[int, Field(ge=1)] = 6
    """Ranked skills of a bundle; in `paper` mode all of its skills."""
    supporting: Annotated[int, Field(ge=0)] = 16
    """The most skills that come by dependencies."""
    primary: Literal["matched", "argmax", "whole"] = "matched"
    """Of `paper` mode: leaves matched one to one, each its best, or no tree."""
    weights: Literal["cosine", "hybrid", "both"] = "both"
    """Of leaf and skill: the cosine (paper), the hybrid score, or cosine and prior."""
    prior: Annotated[float, Field(ge=0)] = 1.0
    """What the whole task's hybrid score counts beside the cosine."""
    floor: Annotated[float, Field(ge=0)] = 0.0
    """A leaf and a skill that weigh no more do not match."""
    fill: bool = False
    """Of `paper` mode: places left open go to the entry ranker's next results."""
    restart: Annotated[float, Field(gt=0, le=1)] = 0.2
    """Chance to return to the seeds at each step (SkillTrace: 0.2)."""
    tolerance: Annotated[float, Field(gt=0)] = 1e-6
    """A walk has settled when a step changes less (L1)."""
    max_steps: Annotated[int, Field(ge=1)] = 50
    """Steps after which a walk that has not settled stops, and says so."""
    trust: Literal["declared", "llm", "rule"] = "llm"
    """The least trusted dependencies that prerequisites are added by."""
    tokens: Annotated[int, Field(ge=1)] | None = None
    """The most tokens of a bundle, about; null: no limit."""
    skill_tokens: Annotated[int, Field(ge=1)] | None = None
    """The most tokens of one skill in it; null: no limit."""
    arms: TraceArms = TraceArms()
