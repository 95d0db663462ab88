"""Rule `learned`: rankings and tasks in, what learning from tasks adds held out.

Table score: arms hybrid, hybrid+weights (fusion weights) and hybrid+rerank (a linear
reranker on the parts of the score), each task scored by what the other folds taught;
metric `recall_difference` of `hybrid+rerank - hybrid` is a paired difference. Nothing
is changed by it: a setting is worth adopting where that interval lies above 0.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.groups import task_groups
from skillmill.evaluate.learned import BASE, LearningSettings, cross_validated
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, catalogue, load, rankings, scores

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    tasks_path: Path,
    rankings_path: Path,
    settings: LearningSettings,
    cutoffs: Sequence[int],
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Learn on some folds, score on the others, write arms and differences."""
    with artifact.reading(tasks_path, "tasks") as db:
        tasks = catalogue.load_tasks(db)
    parts: dict[str, dict[str, dict[str, float]]] = {}
    with artifact.reading(rankings_path, "rankings") as db:
        found = rankings.load_rankings(db, BASE)
        for _, query, item, name, value in rankings.load_parts(db, BASE):
            parts.setdefault(query, {}).setdefault(item, {})[name] = value
    relevant: Mapping[str, Sequence[str]] = {task.id: task.relevant for task in tasks}
    values = cross_validated(found, parts, relevant, cutoffs, settings)
    scored = {value.query for value in values}
    counts.add("ok", len(scored))
    few = f"fewer than {settings.folds} tasks: nothing is held out" if tasks else None
    counts.add("skipped", 0 if scored else len(tasks), few)
    table = summarise(
        values,
        task_groups(tasks),
        track="library",
        study=provenance.study,
        resampling=resampling,
    )
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "learned", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            tasks_path=Path(snakemake.input.tasks),
            rankings_path=Path(snakemake.input.rankings),
            settings=LearningSettings(**params.learned, seed=params.seed),
            cutoffs=params.cutoffs,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
