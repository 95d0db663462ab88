"""Rule `rankings`: catalogue, tasks and vectors in, a ranking per arm and task out.

Tables: ranking (arm, query, rank, item, score), ranking_state (ok, empty or failed,
with the reason), part (what each score is made of, for `explain`). Late interaction
needs token vectors of tasks and of the skills it reranks; they come from the record
store, and only unknown ones are encoded.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.libraries import read_queries, read_skills, token_source
from skillmill.library.settings import RankerSettings
from skillmill.library.study import rank_tasks, reranks_late
from skillmill.models.encoder import EncoderSettings
from skillmill.store import artifact, load, rankings

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    catalogue_path: Path,
    tasks_path: Path,
    vectors_path: Path,
    settings: Mapping[str, Any],
    encoder: EncoderSettings,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Rank all skills for all tasks with every arm."""
    ranker = RankerSettings(**settings)
    skills = read_skills(catalogue_path, vectors_path)
    late = reranks_late(ranker, len(skills.ids))
    tokens = token_source(encoder, records, counts) if late else None
    queries = read_queries(tasks_path, vectors_path, tokens)
    answers, lost = rank_tasks(skills, queries, ranker, tokens)
    for name in lost:
        logging.warning("%s: its vector has no direction, its cosine is 0", name)
    for one in answers.rankings:
        counts.add(one.state, 1, one.reason)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "rankings", counts.states)
        rankings.save_rankings(db, answers.rankings)
        rows = [(*key, round(value, 6)) for *key, value in answers.parts]
        rankings.save_parts(db, rows)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            catalogue_path=Path(snakemake.input.catalogue),
            tasks_path=Path(snakemake.input.tasks),
            vectors_path=Path(snakemake.input.vectors),
            settings=params.ranker,
            encoder=EncoderSettings(
                **params.encoder, **params.encoding, threads=snakemake.threads
            ),
            records=this.records,
            output=Path(snakemake.output.rankings),
            provenance=this.provenance("rankings", without=["encoding"]),
            counts=this.counts,
        )
