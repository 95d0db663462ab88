"""Rule `trees`: tasks in, the query tree of each out.

Tables: tree (one row a task, failed ones too), tree_node, tree_remark, usage. By the
role `decompose`, or without a model by clauses and list items.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.interfaces.asked import count_replies, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.library.querytree import ROLE, TreeSettings, grow_trees
from skillmill.library.tracerows import tree_rows
from skillmill.models.heuristics.registry import stand_in
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, catalogue, load, traces
from skillmill.store.usage import save_usage

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    tasks_path: Path,
    client: ChatClient,
    asks: Mapping[str, Any],
    settings: TreeSettings,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Grow the tree of every task."""
    model = asks.get("model", "")
    with artifact.reading(tasks_path, "tasks") as db:
        tasks = catalogue.load_tasks(db)
    trees, outcomes = grow_trees(
        tasks, client, settings, model=model, failed_share=failed_share
    )
    count_replies(counts, outcomes)
    for tree in trees:
        counts.add(tree.state, 1, tree.reason)
    counts.check(ROLE, failed_share)
    if client.refusals:
        told = {f"{ROLE} endpoint": "; ".join(client.refusals)}
        provenance = replace(provenance, models={**provenance.models, **told})
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "trees", counts.states)
        save_usage(db, used_tokens(outcomes, {ROLE: model}))
        traces.save_trace_rows(db, tree_rows(trees))


if __name__ == "__main__":
    with job(snakemake) as this:
        asks = snakemake.params.asks
        with asking(this, [ROLE] if asks else []) as client:
            main(
                tasks_path=Path(snakemake.input.tasks),
                client=client,
                asks=asks,
                settings=TreeSettings(**snakemake.params.tree),
                failed_share=this.failed_share,
                output=Path(snakemake.output.trees),
                provenance=this.provenance(
                    "trees",
                    models={ROLE: asks["model"] if asks else stand_in(ROLE).label},
                ),
                counts=this.counts,
            )
