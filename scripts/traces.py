"""Rule `traces`: rankings, trees and dependencies in, a bundle for every task out.

Tables: bundle, bundle_member (in a runnable order, with the reason for each),
bundle_note; ranking and ranking_state of every arm at every budget (`skilltrace@6`).
Vectors of leaves come from the record store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.errors import StoreError
from skillmill.evaluate.peer_arms import (
    PeerArm,
    PeerData,
    PeerSettings,
    peer_arms,
)
from skillmill.evaluate.trace_arms import rank_with_traces, trace_arms
from skillmill.interfaces.embedding import embed_texts
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.libraries import read_queries, read_skills
from skillmill.interfaces.tracing import read_library, read_trees
from skillmill.library.settings import RankerSettings
from skillmill.library.trace import trace
from skillmill.library.tracequeries import trace_queries
from skillmill.library.tracerows import bundle_rows
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.store import artifact, catalogue, edges, load, rankings, traces

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    paths: Mapping[str, Path],
    settings: TraceSettings,
    arms: Mapping[str, Any],
    ranker: RankerSettings,
    encoder: EncoderSettings,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Bundle skills for every task, and rank with every arm."""
    library = read_library(paths["catalogue"], paths["slots"], paths["dependencies"])
    queries = prepared(paths, arms["entry"], ranker, encoder, records, counts, settings)
    bundles = [trace(library, query, settings) for query in queries]
    for bundle in bundles:
        counts.add(bundle.state, 1, bundle.reason)
        if not bundle.converged:
            counts.add("skipped", 1, "the walk had not settled")
    ways = trace_arms(settings, arms["supporting"]) | peers(
        paths, library, settings, arms
    )
    ranked = rank_with_traces(library, queries, ways, arms["budgets"])
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "traces", counts.states)
        traces.save_trace_rows(db, [row for b in bundles for row in bundle_rows(b)])
        rankings.save_rankings(db, ranked)


def peers(
    paths: Mapping[str, Path],
    library: TraceLibrary,
    settings: TraceSettings,
    arms: Mapping[str, Any],
) -> dict[str, PeerArm]:
    """Arms of other graphs and of co-usage, with their controls."""
    with artifact.reading(paths["similar"], "edges") as db:
        similar = edges.load_edges(db, "similar_to")
    with artifact.reading(paths["edges"], "skill-graph") as db:
        typed = edges.load_edges(db)
    with artifact.reading(paths["tasks"], "tasks") as db:
        needed = {task.id: task.relevant for task in catalogue.load_tasks(db)}
    return peer_arms(
        library,
        PeerData(typed, similar, needed),
        PeerSettings(**arms["peers"]),
        replace(settings, mode="paper", supporting=arms["supporting"]),
    )


def prepared(
    paths: Mapping[str, Path],
    entry: str,
    ranker: RankerSettings,
    encoder: EncoderSettings,
    records: Path,
    counts: Counts,
    settings: TraceSettings,
) -> Sequence[TraceQuery]:
    """Every task with its tree, its ranking and its weights.

    Raises
    ------
    StoreError
        If the entry ranker has no rankings.
    """
    trees = read_trees(paths["trees"])
    with artifact.reading(paths["rankings"], "rankings") as db:
        entries = {one.query: one for one in rankings.load_rankings(db, entry)}
    if not entries and trees:
        raise StoreError(
            f"{paths['rankings']}: expected rankings of the arm {entry!r}, found none;"
            " set library.trace.arms.entry to an arm of the rankers"
        )
    texts = {leaf.requirement for tree in trees for leaf in tree.leaves()}
    vectors = embed_texts(sorted(texts), load_encoder(encoder), records, counts)
    return trace_queries(
        read_skills(paths["catalogue"], paths["vectors"]),
        read_queries(paths["tasks"], paths["vectors"]),
        {tree.task: tree for tree in trees},
        entries,
        vectors,
        ranker,
        score_leaves=settings.weights == "hybrid",
    )


def with_seed(arms: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The knobs of the arms, with what draws their control graphs."""
    return {**arms, "peers": {**arms["peers"], "seed": seed}}


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            paths={name: Path(file) for name, file in snakemake.input.items()},
            settings=TraceSettings(**params.settings),
            arms=with_seed(params.arms, params.seed),
            ranker=RankerSettings(**params.ranker),
            encoder=EncoderSettings(
                **params.encoder, **params.encoding, threads=snakemake.threads
            ),
            records=this.records,
            output=Path(snakemake.output.traces),
            provenance=this.provenance("traces", without=["encoding"]),
            counts=this.counts,
        )
