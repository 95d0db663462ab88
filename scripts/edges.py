"""Rule `edges`: catalogue and neighbours in, the typed skill graph out.

Tables: edge (what one may follow), edge_origin (how its pair was found), edge_flag
(stale, contradicted, confirmed, unconfirmed), dropped_edge, rejected_entry, candidate
(the shortlists), load_count and load_problem (curated edges, log of calls). What a
model said is kept in the records, so that only what changed is asked again.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, Job, count_report, job
from skillmill.library.asking import ROLE
from skillmill.library.cousage import CoUsage, load_calls, sequences
from skillmill.library.curated import load_curated
from skillmill.library.declared import Names
from skillmill.library.edges import EdgeSettings, SkillGraph, build_graph
from skillmill.library.emitting import Emitter, answers_identity
from skillmill.store import artifact, catalogue, edges, graph, load
from skillmill.store.records import TagRecords
from skillmill.store.usage import save_usage
from skillmill.types import LoadReport

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


@contextmanager
def emitting(
    this: Job, asks: Mapping[str, Any], invalidation: str
) -> Iterator[Emitter]:
    """An emitter with its client and record stores; it is off if nothing `asks`."""
    model = asks.get("model", "")
    kept = nullcontext()
    if asks and invalidation == "source":
        kept = TagRecords(this.records, answers_identity(asks["base_url"], model))
    with asking(this, [ROLE] if asks else []) as client, kept as answers:
        yield Emitter(client, answers, model=model, failed_share=this.failed_share)


def main(
    catalogue_path: Path,
    similar_path: Path,
    curated_path: Path | None,
    calls_path: Path | None,
    settings: EdgeSettings,
    emitter: Emitter,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Build the graph and write it with all that is known of it."""
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = catalogue.load_skills(db)
    with artifact.reading(similar_path, "edges") as db:
        similar = edges.load_edges(db, "similar_to")
    names, reports = Names(skills), []
    usage, curated = CoUsage({}), None
    if calls_path:
        calls, report = load_calls(calls_path, names)
        count_report(Counts(), report, emitter.failed_share)
        usage, reports = CoUsage(sequences(calls)), [report]
    if curated_path:
        curated = load_curated(curated_path, names)
        reports.append(curated.report)
    made = build_graph(skills, similar, usage, curated, settings, emitter)
    counts.computed, counts.reused = emitter.asked, emitter.recalled
    for (state, reason), n in made.outcomes.get(ROLE, {}).items():
        counts.add(state, n, reason)
    counts.check(ROLE, emitter.failed_share)
    if emitter.refusals:
        told = {f"{ROLE} endpoint": "; ".join(emitter.refusals)}
        provenance = replace(provenance, models={**provenance.models, **told})
    write(made, reports, output, provenance)


def write(
    made: SkillGraph,
    reports: list[LoadReport],
    output: Path,
    provenance: artifact.Provenance,
) -> None:
    """Write the graph."""
    with artifact.writing(output, provenance) as db:
        for stage, states in made.outcomes.items():
            load.save_outcomes(db, stage, states)
        save_usage(db, made.usage)
        edges.save_edges(db, made.edges)
        graph.save_rows(db, made.candidates)
        graph.save_rows(db, made.origins)
        graph.save_rows(db, made.flags)
        graph.save_rows(db, made.dropped)
        graph.save_rows(db, made.rejected)
        for report in reports:
            load.save_report(db, report)


if __name__ == "__main__":
    with job(snakemake) as this:
        params, given = snakemake.params, snakemake.input
        with emitting(this, params.asks, params.invalidation) as emitter:
            main(
                catalogue_path=Path(given.catalogue),
                similar_path=Path(given.similar),
                curated_path=Path(given.curated) if given.curated else None,
                calls_path=Path(given.calls) if given.calls else None,
                settings=EdgeSettings.read(params.settings),
                emitter=emitter,
                output=Path(snakemake.output.edges),
                provenance=this.provenance(
                    "skill-graph",
                    models={ROLE: params.asks["model"]} if params.asks else {},
                ),
                counts=this.counts,
            )
