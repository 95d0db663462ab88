"""A whole run."""

from typing import Annotated

from pydantic import Field

from skillmill.settings.downstream import Downstream
from skillmill.settings.evolution import Evolution
from skillmill.settings.library import Library
from skillmill.settings.memory import Memory
from skillmill.settings.models import Encoder, Models, Tagger
from skillmill.settings.section import STUDY, Section, Share


class Evaluation(Section):
    """How figures get their intervals."""

    bootstrap: Annotated[int, Field(ge=1)] = 2000
    """Resamples over queries."""
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Coverage of the intervals."""


class Limits(Section):
    """When a run stops instead of reporting."""

    failed_share: Share = 0.2
    """Largest share of records of a stage that may fail."""


class Report(Section):
    """The HTML page."""

    problems: Annotated[int, Field(ge=0)] = 200
    """Load problems listed in full; the rest is counted."""
    graph_edges: Annotated[int, Field(ge=0)] = 40_000
    """Edges of the skill graph that the page holds, typed ones first."""
    evidence: Annotated[int, Field(ge=0)] = 2_000
    """Queries of a track for which the page holds what was needed and found."""

    evolution: bool = False
    """Whether the page tells of evolution, which then is built with everything else."""

    compare: str | None = None
    """Results of another run, a folder such as `results/sample`, to compare with."""

    def limits(self) -> tuple[int, int, int]:
        """Tell what the page may hold: problems, edges, queries with evidence."""
        return self.problems, self.graph_edges, self.evidence


class Config(Section):
    """A whole run."""

    study: Annotated[str, Field(pattern=STUDY)] = "sample"
    """Name of the run; its artifacts lie in results/<study>/."""
    data_root: str = "data/external"
    """Folder of external data; the variable SKILLMILL_DATA overrides it."""
    records: str = "records"
    """Folder of recorded model output, kept across runs and studies."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of everything random."""
    library: Library = Library()
    memory: Memory = Memory()
    evolution: Evolution = Evolution()
    downstream: Downstream = Downstream()
    models: Models = Models()
    encoder: Encoder = Encoder()
    tagger: Tagger = Tagger()
    evaluation: Evaluation = Evaluation()
    limits: Limits = Limits()
    report: Report = Report()
