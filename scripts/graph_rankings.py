"""Rule `graph_rankings`: rankings and the graph in, rankings of arms that use it out.

Tables: ranking and ranking_state, as of rule `rankings`. A task that the log of calls
holds is ranked without what its own calls taught.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.errors import StoreError
from skillmill.evaluate.graph_arms import ArmSettings, rank_with_graph
from skillmill.interfaces.job import Counts, job
from skillmill.library.cousage import (
    CoUsage,
    LearningSettings,
    load_calls,
    sequences,
)
from skillmill.library.declared import Names
from skillmill.store import artifact, catalogue, edges, load, rankings

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    paths: dict[str, Path],
    settings: ArmSettings,
    learning: LearningSettings,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Rank for every query of the entry ranker with every arm."""
    with artifact.reading(paths["catalogue"], "catalogue") as db:
        skills = catalogue.load_skills(db)
    with artifact.reading(paths["rankings"], "rankings") as db:
        entries = rankings.load_rankings(db, settings.entry)
    with artifact.reading(paths["similar"], "edges") as db:
        similar = edges.load_edges(db, "similar_to")
    with artifact.reading(paths["edges"], "skill-graph") as db:
        typed = edges.load_edges(db)
    if not entries:
        raise StoreError(
            f"{paths['rankings']}: expected rankings of the arm {settings.entry!r},"
            " found none; set library.edges.arms.entry to an arm of the rankers"
        )
    usage = None
    if "calls" in paths:
        calls, _ = load_calls(paths["calls"], Names(skills))
        usage = CoUsage(sequences(calls))
    found = rank_with_graph(
        entries,
        [skill.id for skill in skills],
        typed,
        similar,
        settings,
        usage,
        learning,
    )
    for one in found:
        counts.add(one.state, 1, one.reason)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "graph_rankings", counts.states)
        rankings.save_rankings(db, found)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            paths={name: Path(file) for name, file in snakemake.input.items() if file},
            settings=ArmSettings(**params.arms, seed=params.seed),
            learning=LearningSettings(**params.learning),
            output=Path(snakemake.output.rankings),
            provenance=this.provenance("rankings"),
            counts=this.counts,
        )
