"""Checks of the files that a person or an agent's log gives to the typed graph."""

from dataclasses import dataclass
from pathlib import Path

from skillmill.data.library import read_library
from skillmill.evaluate.audit import audit_rows, read_verdicts
from skillmill.library.cousage import CoUsage, LearningSettings, load_calls, sequences
from skillmill.library.curated import load_curated
from skillmill.library.declared import Names
from skillmill.store import artifact, edges
from skillmill.store.graph import Audit
from skillmill.types import LoadReport


@dataclass(frozen=True, slots=True)
class CheckedEdges:
    """A file of curated edges that can be used: so many edges and vetoes."""

    edges: int
    vetoes: int
    report: LoadReport


@dataclass(frozen=True, slots=True)
class CheckedCalls:
    """A log of calls: what can be used, and what would be learned from it.

    `tasks` have at least one call that was ok, `steps` are these calls; `precedes` and
    `complements` are the edges that the settings of learning make of them.
    """

    tasks: int
    steps: int
    precedes: int
    complements: int
    report: LoadReport


@dataclass(frozen=True, slots=True)
class CheckedVerdicts:
    """A judged sample of edges, as precision by relation."""

    rows: tuple[Audit, ...]
    report: LoadReport


def check_edges(file: Path, library: Path) -> CheckedEdges:
    """Read a file of curated edges against a library.

    Raises
    ------
    InputError
        If the library or the file cannot be read, or the file holds anything but edges
        that can be used; all problems at once, each with its line.
    """
    skills, _ = read_library(library)
    found = load_curated(file, Names(skills))
    return CheckedEdges(len(found.edges), len(found.vetoes), found.report)


def check_calls(
    file: Path, library: Path, learning: LearningSettings | None = None
) -> CheckedCalls:
    """Read a log of calls against a library.

    Raises
    ------
    InputError
        If the library or the file cannot be read, or no line of it is a JSON object.
    """
    skills, _ = read_library(library)
    calls, report = load_calls(file, Names(skills))
    used = sequences(calls)
    learned = CoUsage(used).edges(learning or LearningSettings())
    precedes = sum(edge.relation == "precedes" for edge in learned)
    return CheckedCalls(
        tasks=len(used),
        steps=sum(map(len, used.values())),
        precedes=precedes,
        complements=len(learned) - precedes,
        report=report,
    )


def check_verdicts(file: Path, graph: Path, level: float = 0.95) -> CheckedVerdicts:
    """Read a judged sample back against the graph it was drawn from.

    Raises
    ------
    InputError
        If the sample cannot be used; all problems at once, each with its line.
    StoreError
        If there is no such graph.
    """
    with artifact.reading(graph, "skill-graph") as db:
        typed = edges.load_edges(db)
    verdicts, report = read_verdicts(file, typed)
    return CheckedVerdicts(tuple(audit_rows(verdicts, level)), report)
