"""Rule `rankings`: catalogue, tasks and vectors in, a ranking per arm and task out.

Tables: ranking (arm, query, rank, item, score), ranking_state (ok, empty or failed,
with the reason), part (what each score is made of, for `explain`).
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from skillmill.interfaces.job import Counts, job
from skillmill.library.ranker import Arm, Ranker, RankerSettings
from skillmill.store import artifact, load, passages, rankings, vectors

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    catalogue_path: Path,
    tasks_path: Path,
    vectors_path: Path,
    settings: Mapping[str, Any],
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Rank all skills for all tasks with every arm."""
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = passages.load_passages(db, "skill")
    with artifact.reading(tasks_path, "tasks") as db:
        tasks = passages.load_passages(db, "task")
    with artifact.reading(vectors_path, "vectors") as db:
        _, _, skill_rows = vectors.load_vectors(db, "skill")
        _, _, task_rows = vectors.load_vectors(db, "task")
    ranker = Ranker(
        [name for name, _, _ in skills],
        [text for _, _, text in skills],
        skill_rows,
        RankerSettings(**settings),
    )
    for name in ranker.without_direction:
        logging.warning("%s: its vector has no direction, its cosine is 0", name)
    found, parts = [], []
    for (task, _, text), row in zip(tasks, task_rows, strict=True):
        for arm in get_args(Arm):
            (one,) = ranker.rank(arm, [task], [text], [row])
            counts.add(one.state, 1, one.reason)
            found.append(one)
            for item, values in ranker.explain(arm, one.items, text, row).items():
                parts += [(arm, task, item, *pair) for pair in values.items()]
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "rankings", counts.states)
        rankings.save_rankings(db, found)
        rankings.save_parts(db, [(*key, round(value, 6)) for *key, value in parts])


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            catalogue_path=Path(snakemake.input.catalogue),
            tasks_path=Path(snakemake.input.tasks),
            vectors_path=Path(snakemake.input.vectors),
            settings=snakemake.params.ranker,
            output=Path(snakemake.output.rankings),
            provenance=this.provenance("rankings"),
            counts=this.counts,
        )
