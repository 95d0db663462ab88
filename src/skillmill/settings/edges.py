"""The typed skill graph."""

from typing import Annotated, Literal

from pydantic import Field

from skillmill.settings.section import Section


class Candidates(Section):
    """The most candidates that a skill has of each source; 0: it is not used."""

    similar: Annotated[int, Field(ge=0)] = 8
    """Nearest neighbours in the similar_to layer."""
    related: Annotated[int, Field(ge=0)] = 8
    """What its frontmatter names as related."""
    part_of: Annotated[int, Field(ge=0)] = 1
    """The skill whose folder it lies in."""
    link: Annotated[int, Field(ge=0)] = 8
    """Skills that its text links to."""
    mention: Annotated[int, Field(ge=0)] = 8
    """Skills that its text names."""
    declared_io: Annotated[int, Field(ge=0)] = 8
    """Skills whose declared outputs are among its inputs."""
    co_usage: Annotated[int, Field(ge=0)] = 8
    """Skills that the log of calls has for the same tasks."""
    tool: Annotated[int, Field(ge=0)] = 3
    """Skills with the rarest tools in common."""
    file_type: Annotated[int, Field(ge=0)] = 3
    """Skills with the rarest file types in common."""


class Learning(Section):
    """What makes a learned edge of the log of calls."""

    support: Annotated[int, Field(ge=1)] = 2
    """Tasks in which two skills were used together, or one directly after the other."""
    direction: Annotated[float, Field(gt=0.5, le=1)] = 0.8
    """Share of these in which the one came before the other."""


class GraphArms(Section):
    """How the graph is measured against plain search."""

    entry: str = "hybrid"
    """The ranker that arms start from, and that they are compared with."""
    budget: Annotated[int, Field(ge=1)] = 6
    """Skills that each compared arm may return (Comparative paper: 6)."""
    more: Annotated[int, Field(ge=1)] = 10
    """A larger budget of the entry ranker alone, for the ladder."""
    hops: Annotated[int, Field(ge=1, le=6)] = 3
    """How far neighbours are looked for."""
    spread_hops: Annotated[int, Field(ge=1)] = 2
    """How far activation spreads."""
    decay: Annotated[float, Field(gt=0, le=1)] = 0.5
    """What is left of activation after a hop."""
    boost: Annotated[float, Field(ge=0)] = 0.3
    """How much activation counts beside the best score of the entry ranker, 1."""
    draws: Annotated[int, Field(ge=1)] = 20
    """Random graphs that each control averages."""


class Edges(Section):
    """The typed skill graph (docs/edges.md)."""

    candidates: Candidates = Candidates()
    limit: Annotated[int, Field(ge=1, le=64)] = 24
    """Candidates of all sources that a skill may have."""
    containment: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Least share of a consumer's inputs that makes a feeds_into edge by rule."""
    producers: Annotated[int, Field(ge=1)] = 8
    """The most skills that feed one by rule."""
    curated: str | None = None
    """Edges that a person edits (.yaml or .csv); null: none."""
    calls: str | None = None
    """Log of skill calls (.jsonl) that edges are learned from; null: none."""
    learning: Learning = Learning()
    invalidation: Literal["exact", "source"] = "exact"
    """`exact`: equals a clean build; `source`: one call for each changed skill."""
    check_direction: bool = False
    """Whether the far end of each directed edge is asked, too: a call a pair."""
    contradicted: Literal["drop", "flag"] = "drop"
    """What becomes of edges that disagree on their direction."""
    arms: GraphArms = GraphArms()
    audit: str | None = None
    """A judged sample of edges (.csv); null: none."""
    audit_sample: Annotated[int, Field(ge=1)] = 6
    """Edges of each relation in the sample to judge (Comparative paper: 6)."""
    sequences: str | None = None
    """Log of skill calls (.jsonl) that the order of skills is measured on."""
