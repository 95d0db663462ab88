"""Rule `topology`: the graph and its rankings in, what is measured on them out.

Tables: structure, bound, census; with tasks also miss, entry, comparison, cost and
inflation; with a judged sample audit; with a log of calls ordering. load_count and
load_problem are of the sample and the log.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skillmill.evaluate.audit import audit_rows, read_verdicts
from skillmill.evaluate.echo import inflation_rows
from skillmill.evaluate.graph_arms import LAYERS, ArmSettings
from skillmill.evaluate.misses import Searched, cost_rows, miss_rows
from skillmill.evaluate.ordering import ordering_rows
from skillmill.evaluate.paired import (
    compare,
    entry_rows,
    found_by_arm,
    planned_pairs,
)
from skillmill.evaluate.topology import (
    bound_rows,
    census_rows,
    layers_of,
    structure_rows,
)
from skillmill.interfaces.job import Counts, count_report, job
from skillmill.library.cousage import load_calls, sequences
from skillmill.library.declared import Names
from skillmill.store import artifact, catalogue, edges, graph, load, rankings
from skillmill.types import Edge, LibrarySkill, LoadReport, Ranking, Task

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


@dataclass
class Study:
    """What is measured: a graph, and tasks with rankings if there are any."""

    skills: list[LibrarySkill]
    similar: list[Edge]
    typed: list[Edge]
    origins: list[graph.EdgeOrigin]
    dropped: list[graph.DroppedEdge]
    candidates: list[graph.Candidate]
    tasks: list[Task] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)


@dataclass(frozen=True)
class Measuring:
    """How it is measured."""

    arms: ArmSettings
    draws: int
    cutoffs: Sequence[int]
    level: float
    seed: int
    failed_share: float


def read_study(paths: dict[str, Path]) -> Study:
    """Read the stores of a study; those that it has not are left out."""
    with artifact.reading(paths["catalogue"], "catalogue") as db:
        skills = catalogue.load_skills(db)
    with artifact.reading(paths["similar"], "edges") as db:
        similar = edges.load_edges(db, "similar_to")
    with artifact.reading(paths["edges"], "skill-graph") as db:
        study = Study(
            skills,
            similar,
            edges.load_edges(db),
            graph.load_rows(db, graph.EdgeOrigin),
            graph.load_rows(db, graph.DroppedEdge),
            graph.load_rows(db, graph.Candidate),
        )
    if "tasks" in paths:
        with artifact.reading(paths["tasks"], "tasks") as db:
            study.tasks = catalogue.load_tasks(db)
        for name in ("rankings", "graph_rankings"):
            with artifact.reading(paths[name], "rankings") as db:
                study.rankings += rankings.load_rankings(db)
    return study


def graph_figures(study: Study, how: Measuring) -> list[tuple[Any, ...]]:
    """What needs the graph alone."""
    known = (study.similar, study.typed, study.origins, study.candidates)
    ids = [skill.id for skill in study.skills]
    rng = np.random.default_rng(how.seed)
    return [
        *structure_rows(ids, layers_of(*known), rng, how.draws),
        *bound_rows(*known),
        *census_rows(study.typed, study.dropped),
    ]


def task_figures(study: Study, how: Measuring) -> list[tuple[Any, ...]]:
    """What needs tasks and rankings."""
    arms, found = how.arms, found_by_arm(study.rankings)
    entry = found.get(arms.entry, {})
    compared = [
        f"{arms.entry}@{arms.budget}",
        *(f"{arms.entry}@1+{layer}" for layer in LAYERS),
    ]
    return [
        *compare(found, study.tasks, planned_pairs(arms), how.level),
        *entry_rows(found, study.tasks, compared, arms.entry, arms.budget),
        *miss_rows(
            Searched(entry, study.tasks, arms.budget, arms.hops),
            [skill.id for skill in study.skills],
            study.typed,
            study.similar,
            study.candidates,
            np.random.default_rng(how.seed),
            how.draws,
        ),
        *cost_rows(study.skills, found, arms),
        *inflation_rows(found, study.tasks, how.cutoffs, how.level),
    ]


def main(
    paths: dict[str, Path],
    how: Measuring,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Measure all there is to measure."""
    study = read_study(paths)
    rows = graph_figures(study, how)
    reports: list[LoadReport] = []
    if study.tasks:
        rows += task_figures(study, how)
    if "audit" in paths:
        verdicts, report = read_verdicts(paths["audit"], study.typed)
        reports.append(report)
        rows += audit_rows(verdicts, how.level)
    if "sequences" in paths:
        calls, report = load_calls(paths["sequences"], Names(study.skills))
        reports.append(report)
        searched = found_by_arm(study.rankings).get(how.arms.entry, {})
        steps, compared = ordering_rows(
            sequences(calls), searched, study.typed, how.arms.budget, how.level
        )
        rows += [*steps, *compared]
    for report in reports:
        count_report(counts, report, how.failed_share)
    counts.add("ok", len(rows))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "topology", counts.states)
        graph.save_rows(db, rows)
        for report in reports:
            load.save_report(db, report)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            paths={name: Path(file) for name, file in snakemake.input.items() if file},
            how=Measuring(
                arms=ArmSettings(**params.arms, seed=params.seed),
                draws=params.draws,
                cutoffs=params.cutoffs,
                level=params.level,
                seed=params.seed,
                failed_share=this.failed_share,
            ),
            output=Path(snakemake.output.topology),
            provenance=this.provenance("topology"),
            counts=this.counts,
        )
