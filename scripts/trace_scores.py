"""Rule `trace_scores`: tasks and traces in, scores of every arm and differences out.

Tables: score (one figure with its interval; arm `bundle@6 - hybrid@6` is a paired
difference), query_score. Arms are scored at their budget and at the depth of the
rankers, which reads a bundle whole.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.differences import differences
from skillmill.evaluate.groups import task_groups
from skillmill.evaluate.ranked import UNSCORED, library_metrics, score_rankings
from skillmill.evaluate.trace_arms import (
    at_own_budget,
    needs_trees_or_slots,
    pairs_at,
)
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, catalogue, load, rankings, scores

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    tasks_path: Path,
    traces_path: Path,
    budgets: Sequence[int],
    depth: int,
    resampling: Resampling,
    heuristic: bool,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Score every arm on every task, and compare arms task by task."""
    with artifact.reading(tasks_path, "tasks") as db:
        tasks = catalogue.load_tasks(db)
    with artifact.reading(traces_path, "traces") as db:
        found = rankings.load_rankings(db)
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    counts.add("skipped", sum(not task.relevant for task in tasks), UNSCORED)
    cutoffs = sorted({*budgets, depth})
    values = score_rankings(
        found,
        {task.id: task.relevant for task in tasks},
        library_metrics(cutoffs),
        {ranking.arm for ranking in found},
    )
    compared = [(name, k) for name in ("recall", "full_coverage") for k in cutoffs]
    values = at_own_budget(values, budgets, depth)
    values += differences(values, pairs_at(budgets), compared)
    table = summarise(
        values,
        task_groups(tasks),
        track="library",
        study=provenance.study,
        resampling=resampling,
        heuristic=heuristic,
    )
    table = [
        row if needs_trees_or_slots(row.arm) else replace(row, heuristic=False)
        for row in table
    ]
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "trace_scores", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            tasks_path=Path(snakemake.input.tasks),
            traces_path=Path(snakemake.input.traces),
            budgets=params.budgets,
            depth=params.depth,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            heuristic=params.heuristic,
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
