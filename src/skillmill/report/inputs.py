"""What a page is made from: plain data, read from the stores by the caller."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from skillmill.report.compared import ComparedRun
from skillmill.report.evidence import Evidence
from skillmill.report.evolution import Evolved
from skillmill.report.graph_tables import PlainTable
from skillmill.report.skillgraph import SkillGraph
from skillmill.report.track import Track
from skillmill.types import LoadReport, QueryScore, Score

#: The figure a track is summed up by: (metric, k).
HEADLINE: Mapping[Track, tuple[str, int | None]] = MappingProxyType(
    {"library": ("recall", 5), "memory": ("recall", 10)}
)


@dataclass(frozen=True, slots=True)
class Query:
    """A task or a question as the per-question table shows it."""

    text: str
    track: Track
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What the replies took that a stage rests on; `usd` is None without a price."""

    role: str
    stage: str
    model: str
    replies: int
    estimated: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None = None


class PageLimits(NamedTuple):
    """The most that a page holds of what can grow without end.

    `problems` are counted per source of a load report, failures first; `edges` are
    of the skill graph, typed ones first; `evidence` counts queries of a track.
    """

    problems: int = 50
    edges: int = 40_000
    evidence: int = 2_000


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """Everything one page says; no clock time, no path of this machine.

    Attributes
    ----------
    built : mapping
        What the study holds, in the order to read: `{"library skills": 24}`.
    queries : mapping
        By id; each query that `query_scores` names must be in it.
    outcomes : sequence of (stage, state, reason, n)
    provenance : mapping
        Artifact to its keys and values.
    rule_edges : sequence of (rule, depends_on)
        Said in words below the figure named `rules`.
    figures : mapping
        Name to SVG text, shown in the order given.
    usage : sequence of UsageRow
        Of the replies of language models, recorded ones like new ones.
    measured : sequence of PlainTable
        The typed graph and what is measured on it.
    heuristics : sequence
        One sentence per offline stand-in that took part.
    limits : PageLimits
    graph : SkillGraph
        Drawn if it has a node.
    evidence : mapping
        What queries need and arms found.
    evolved : sequence of Evolved
        Runs of evolution, each with a trie of its own.
    compared : ComparedRun, optional
        Another run, held against this one.
    """

    study: str
    title: str
    scores: Sequence[Score] = ()
    query_scores: Sequence[QueryScore] = ()
    queries: Mapping[str, Query] = field(default_factory=dict)
    built: Mapping[str, int] = field(default_factory=dict)
    load_reports: Sequence[LoadReport] = ()
    outcomes: Sequence[tuple[str, str, str, int]] = ()
    provenance: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    rule_edges: Sequence[tuple[str, str]] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    usage: Sequence[UsageRow] = ()
    measured: Sequence[PlainTable] = ()
    heuristics: Sequence[str] = ()
    headline: Mapping[Track, tuple[str, int | None]] = field(
        default_factory=lambda: HEADLINE
    )
    limits: PageLimits = field(default_factory=PageLimits)
    graph: SkillGraph = field(default_factory=SkillGraph)
    evidence: Mapping[Track, Evidence] = field(default_factory=dict)
    evolved: Sequence[Evolved] = ()
    compared: ComparedRun | None = None
