"""From the stores of a study to what its page says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection

from skillmill.report.evidence import Evidence
from skillmill.report.evolution import Evolved
from skillmill.report.evolutionsource import read_evolution, run_name
from skillmill.report.graph_tables import MeasuredGraph, graph_tables
from skillmill.report.inputs import PageLimits, Query, ReportInputs, UsageRow
from skillmill.report.skillgraph import GraphNode, GraphTask, SkillGraph
from skillmill.report.track import Track
from skillmill.store import (
    artifact,
    atoms,
    catalogue,
    conversations,
    edges,
    graph,
    load,
    rankings,
    scores,
    usage,
)
from skillmill.types import Edge, LoadReport, QueryScore, Score, Task

#: What of each kind of store is counted as built: label of the page -> table.
BUILT = {
    "catalogue": {"library skills": "skill"},
    "tasks": {"tasks": "task"},
    "conversations": {"conversations": "conversation", "questions": "question"},
    "atoms": {"atoms": "atom"},
    "edges": {"edges": "edge"},
    "skill-graph": {"typed edges": "edge"},
    "typed-relations": {"typed relations (memory)": "edge"},
    "vectors": {"vectors": "vector"},
}


class Gathered:
    """What the stores of a study hold, filled store by store."""

    def __init__(self) -> None:
        self.scores: list[Score] = []
        self.query_scores: list[QueryScore] = []
        self.queries: dict[str, Query] = {}
        self.built: dict[str, int] = {}
        self.load_reports: list[LoadReport] = []
        self.outcomes: dict[tuple[str, str, str, str], int] = {}
        self.provenance: dict[str, dict[str, object]] = {}
        self.usage: dict[tuple[str, str, str], UsageRow] = {}
        self.typed = MeasuredGraph()
        self.nodes: list[GraphNode] = []
        self.edges: list[Edge] = []
        self.tasks: list[Task] = []
        self.found: dict[str, dict[str, tuple[str, ...]]] = {}
        self.evolved: list[Evolved] = []
        self.texts: dict[str, str] = {}
        self.atoms: dict[str, str] = {}
        self.needed: dict[str, tuple[str, ...]] = {}

    def read(self, store: Path, stage: str) -> None:
        """Add one store."""
        kind = artifact.kind_of(store)
        with artifact.reading(store, kind) as db:
            for label, table in BUILT.get(kind, {}).items():
                name = (
                    f"{label} ({stage.split('/', maxsplit=1)[0]})"
                    if kind in SHARED
                    else label
                )
                self.built[name] = self.built.get(name, 0) + load.count_rows(db, table)
            self._count(load.load_outcomes(db), stage)
            self._describe(db, stage)
            if kind in ASKING:
                self._add_usage(usage.load_usage(db))
            reader = READERS.get(kind)
            if reader is not None and stage.startswith(SHOWN.get(kind, ("",))):
                reader(self, db)
            if kind == "evolution":
                self.evolved.append(read_evolution(db, run_name(store)))

    def _count(self, outcomes: Sequence[load.Outcome], stage: str) -> None:
        """Add how items ended; the shards of a stage are one row."""
        for outcome in outcomes:
            key = (stage, outcome.stage, outcome.state, outcome.reason)
            self.outcomes[key] = self.outcomes.get(key, 0) + outcome.n

    def _add_usage(self, rows: Sequence[usage.UsedTokens]) -> None:
        """Add what replies took; the shards of a stage are one row."""
        for row in rows:
            key = row[:3]
            old = self.usage.get(key, UsageRow(*key, 0, 0, 0, 0))
            self.usage[key] = replace(
                old,
                replies=old.replies + row.replies,
                estimated=old.estimated + row.estimated,
                prompt_tokens=old.prompt_tokens + row.prompt_tokens,
                completion_tokens=old.completion_tokens + row.completion_tokens,
            )

    def _describe(self, db: Connection, stage: str) -> None:
        """Keep where a stage's artifacts come from; shards differ in inputs alone."""
        found = artifact.load_provenance(db)
        self.provenance[stage] = {
            "package version": found.package_version,
            "code": found.code,
            **{f"param {name}": value for name, value in found.params.items()},
            **{f"model {name}": value for name, value in found.models.items()},
            "inputs": sum(len(paths) for paths in found.inputs.values()),
        }


#: Kinds that both tracks have.
SHARED = frozenset({"edges", "vectors"})

#: Kinds whose jobs may ask language models. A memory only repeats what its parts took.
ASKING = frozenset(
    {"skill-graph", "slots", "trees", "typed-relations", "rankings", "answers"}
    | {"scores"}
)

#: Where the stores of a kind lie whose rows the page shows, if not everywhere.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "edges": ("library/",),
    "rankings": ("library/", "memory/"),
}


def _read_reports(gathered: Gathered, db: Connection) -> None:
    gathered.load_reports.extend(load.load_report(db))


def _read_catalogue(gathered: Gathered, db: Connection) -> None:
    _read_reports(gathered, db)
    gathered.nodes.extend(
        GraphNode(skill.id, skill.name, skill.department)
        for skill in catalogue.load_skills(db)
    )
    for skill in catalogue.load_skills(db):
        gathered.texts[skill.id] = f"{skill.name}: {skill.description}"


def _read_atoms(gathered: Gathered, db: Connection) -> None:
    gathered.atoms |= {atom.id: atom.text for atom in atoms.load_atoms(db)}
    gathered.needed |= atoms.load_question_atoms(db)


def _read_edges(gathered: Gathered, db: Connection) -> None:
    gathered.edges.extend(edges.load_edges(db))


def _read_rankings(gathered: Gathered, db: Connection) -> None:
    for ranking in rankings.load_rankings(db):
        gathered.found.setdefault(ranking.query, {})[ranking.arm] = ranking.items


def _read_tasks(gathered: Gathered, db: Connection) -> None:
    _read_reports(gathered, db)
    gathered.tasks.extend(catalogue.load_tasks(db))
    for task in gathered.tasks:
        gathered.queries[task.id] = Query(task.text, "library", task.categories)


def _read_conversations(gathered: Gathered, db: Connection) -> None:
    _read_reports(gathered, db)
    for question in conversations.load_questions(db):
        number = "" if question.category is None else f"{question.category} "
        label = f"{number}{question.kind}"
        gathered.queries[question.id] = Query(question.text, "memory", (label,))


def _read_scores(gathered: Gathered, db: Connection) -> None:
    gathered.scores.extend(scores.load_scores(db))
    gathered.query_scores.extend(scores.load_query_scores(db))


def _read_graph(gathered: Gathered, db: Connection) -> None:
    _read_reports(gathered, db)
    _read_edges(gathered, db)
    gathered.typed.edges.extend(edges.load_edges(db))
    gathered.typed.flags.extend(graph.load_rows(db, graph.EdgeFlag))
    gathered.typed.dropped.extend(graph.load_rows(db, graph.DroppedEdge))


def _read_topology(gathered: Gathered, db: Connection) -> None:
    _read_reports(gathered, db)
    for kind in graph.MEASURED:
        gathered.typed.measured[kind] = graph.load_rows(db, kind)


READERS: Mapping[str, Callable[[Gathered, Connection], None]] = {
    "catalogue": _read_catalogue,
    "tasks": _read_tasks,
    "conversations": _read_conversations,
    "scores": _read_scores,
    "skill-graph": _read_graph,
    "atoms": _read_atoms,
    "topology": _read_topology,
    "edges": _read_edges,
    "rankings": _read_rankings,
}


def stage_of(store: Path) -> str:
    """Name of the stage that wrote a store: its path below the study, shards folded.

    `results/s/memory/3/atoms.sqlite` is `memory/atoms`.
    """
    track, *rest = store.parts[store.parts.index("results") + 2 :]
    return f"{track}/{rest[-1].removesuffix('.sqlite')}"


def gather(study: str, stores: Sequence[Path], limits: PageLimits) -> ReportInputs:
    """Everything the page of a study says, but its figures.

    Raises
    ------
    StoreError
        If a store is missing or corrupt.
    """
    gathered = Gathered()
    for store in stores:
        gathered.read(store, stage_of(store))
    return ReportInputs(
        study=study,
        title=f"skillmill: {study}",
        scores=gathered.scores,
        query_scores=gathered.query_scores,
        queries=gathered.queries,
        built=gathered.built,
        load_reports=gathered.load_reports,
        outcomes=_outcomes(gathered.outcomes),
        provenance=gathered.provenance,
        rule_edges=rule_edges(stores),
        limits=limits,
        usage=[gathered.usage[key] for key in sorted(gathered.usage)],
        graph=_graph(gathered),
        evidence=_evidence(gathered),
        measured=graph_tables(gathered.typed),
        evolved=gathered.evolved,
    )


def _outcomes(
    counted: Mapping[tuple[str, str, str, str], int],
) -> list[tuple[str, str, str, int]]:
    """By stage; where one counts several kinds of item, by what it counts."""
    parts: dict[str, set[str]] = {}
    for stage, part, *_ in counted:
        parts.setdefault(stage, set()).add(part)
    return [
        (stage if len(parts[stage]) == 1 else f"{stage}: {part}", state, reason, n)
        for (stage, part, state, reason), n in sorted(counted.items())
    ]


def _evidence(gathered: Gathered) -> dict[Track, Evidence]:
    tasks = {task.id: task.relevant for task in gathered.tasks}
    return {
        "library": Evidence(gathered.texts, tasks, gathered.found),
        "memory": Evidence(gathered.atoms, gathered.needed, gathered.found),
    }


def _graph(gathered: Gathered) -> SkillGraph:
    tasks = [
        GraphTask(task.id, task.text, task.relevant, gathered.found.get(task.id, {}))
        for task in gathered.tasks
    ]
    return SkillGraph(gathered.nodes, gathered.edges, tasks)


def rule_edges(stores: Sequence[Path]) -> list[tuple[str, str]]:
    """(stage, stage it reads) of these stores, as their provenance says."""
    edges = set()
    for store in stores:
        with artifact.reading(store, artifact.kind_of(store)) as db:
            inputs = [path for _, path, _ in artifact.load_input_hashes(db)]
        for path in map(Path, inputs):
            made = path.suffix == ".sqlite" and "results" in path.parts
            edges.add((stage_of(store), stage_of(path) if made else "input files"))
    return sorted(edge for edge in edges if edge[0] != edge[1])
