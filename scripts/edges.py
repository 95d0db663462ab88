"""Rule `edges`: catalogue and neighbours in, the typed skill graph out.

Tables: edge (what one may follow), edge_origin (how its pair was found), edge_flag
(stale, contradicted, confirmed, unconfirmed), dropped_edge, rejected_entry, candidate
(the shortlists), load_count and load_problem (curated edges, log of calls). What a
model said is kept in the records, so that only what changed is asked again.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skillmill.interfaces.job import Counts, count_report, job
from skillmill.library.cousage import (
    CoUsage,
    LearningSettings,
    load_calls,
    sequences,
)
from skillmill.library.curated import load_curated
from skillmill.library.declared import Names
from skillmill.library.edges import EdgeSettings, SkillGraph, build_graph
from skillmill.library.emitting import Emitter, answers_identity
from skillmill.library.shortlist import ShortlistSettings
from skillmill.models.chat import RoleSettings
from skillmill.models.llm import ChatClient
from skillmill.models.usage import Budget, describe
from skillmill.store import artifact, catalogue, edges, graph, load
from skillmill.store.records import TagRecords
from skillmill.store.replies import ReplyRecords
from skillmill.types import LoadReport

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


@dataclass(frozen=True)
class Asking:
    """How the model is asked, and where its replies are kept."""

    role: RoleSettings
    mode: str
    max_calls: int | None
    invalidation: str
    records: Path
    failed_share: float


def edge_settings(params: Mapping[str, Any]) -> EdgeSettings:
    """The configured settings."""
    return EdgeSettings(
        shortlist=ShortlistSettings(params["candidates"], params["limit"]),
        containment=params["containment"],
        producers=params["producers"],
        learning=LearningSettings(**params["learning"]),
        check_direction=params["check_direction"],
        contradicted=params["contradicted"],
    )


@contextmanager
def asked_by(how: Asking) -> Iterator[Emitter]:
    """An emitter with its client and record stores; what was spent goes to the log."""
    with ExitStack() as stack:
        replies = stack.enter_context(ReplyRecords(how.records))
        answers = None
        if how.invalidation == "source":
            identity = answers_identity(how.role.base_url, how.role.model)
            answers = stack.enter_context(TagRecords(how.records, identity))
        client = stack.enter_context(
            ChatClient(
                {"emit_edges": how.role},
                replies,
                rng=np.random.default_rng(0),
                mode=how.mode,
                budget=Budget(calls=how.max_calls),
            )
        )
        yield Emitter(
            client, answers, model=how.role.model, failed_share=how.failed_share
        )
        logging.info("spent: %s", describe(client.ledger.total()))
        for note in client.notes:
            logging.info("endpoint: %s", note)


def main(
    catalogue_path: Path,
    similar_path: Path,
    curated_path: Path | None,
    calls_path: Path | None,
    settings: EdgeSettings,
    how: Asking,
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
        count_report(Counts(), report, how.failed_share)
        usage, reports = CoUsage(sequences(calls)), [report]
    if curated_path:
        curated = load_curated(curated_path, names)
        reports.append(curated.report)
    with asked_by(how) as emitter:
        made = build_graph(skills, similar, usage, curated, settings, emitter)
    counts.computed, counts.reused = emitter.asked, emitter.recalled
    for (state, reason), n in made.outcomes.get("emit_edges", {}).items():
        counts.add(state, n, reason)
    counts.check("emit_edges", how.failed_share)
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
        asking = dict(params.asking)
        mode, max_calls = asking.pop("mode"), asking.pop("max_calls")
        main(
            catalogue_path=Path(given.catalogue),
            similar_path=Path(given.similar),
            curated_path=Path(given.curated) if given.curated else None,
            calls_path=Path(given.calls) if given.calls else None,
            settings=edge_settings(params.settings),
            how=Asking(
                role=RoleSettings(**params.model, **asking),
                mode=mode,
                max_calls=max_calls,
                invalidation=params.invalidation,
                records=this.records,
                failed_share=this.failed_share,
            ),
            output=Path(snakemake.output.edges),
            provenance=this.provenance(
                "skill-graph",
                models={} if mode == "off" else {"emit_edges": params.model["model"]},
                without=["asking"],
            ),
            counts=this.counts,
        )
