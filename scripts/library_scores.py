"""Rule `library_scores`: tasks and rankings, of rankers and graph arms, in, scores out.

Tables: score (one figure with its interval), query_score (one value per arm, task and
metric).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.groups import task_groups
from skillmill.evaluate.ranked import UNSCORED, library_metrics, score_rankings
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, catalogue, load, rankings, scores
from skillmill.types import Ranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    tasks_path: Path,
    rankings_paths: Sequence[Path],
    cutoffs: Sequence[int],
    resampling: Resampling,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Score every arm on every task, with intervals over tasks."""
    with artifact.reading(tasks_path, "tasks") as db:
        tasks = catalogue.load_tasks(db)
    found: list[Ranking] = []
    for path in rankings_paths:
        with artifact.reading(path, "rankings") as db:
            found += rankings.load_rankings(db)
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    counts.check("ranking skills", failed_share)
    counts.add("skipped", sum(not task.relevant for task in tasks), UNSCORED)
    values = score_rankings(
        found,
        {task.id: task.relevant for task in tasks},
        library_metrics(cutoffs),
        {ranking.arm for ranking in found},
    )
    table = summarise(
        values,
        task_groups(tasks),
        track="library",
        study=provenance.study,
        resampling=resampling,
    )
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "library_scores", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            tasks_path=Path(snakemake.input.tasks),
            rankings_paths=[Path(path) for path in snakemake.input.rankings],
            cutoffs=params.cutoffs,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            failed_share=this.failed_share,
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
