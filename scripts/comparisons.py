"""Rule `comparisons`: scores of skills and rankings of baselines in, comparisons out.

Tables: score (baselines, `best_single@loco`, rows of single conversations, paired
differences with intervals over questions and over conversations), query_score.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.comparisons import baseline_scores, compare
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, conversations, load, rankings, scores
from skillmill.store.atoms import load_question_atoms
from skillmill.types import Ranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    scores_path: Path,
    shards: Sequence[tuple[Path, Path]],
    cutoffs: Sequence[int],
    splits: Declared,
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Compare skills and baselines; `shards` holds atoms and baselines of each."""
    with artifact.reading(conversations_path, "conversations") as db:
        questions = conversations.load_questions(db)
    splits = splits_of(splits, questions)
    with artifact.reading(scores_path, "scores") as db:
        skills = scores.load_query_scores(db)
    evidence: dict[str, tuple[str, ...]] = {q.id: () for q in questions}
    found: list[Ranking] = []
    for atoms_path, baselines_path in shards:
        with artifact.reading(atoms_path, "atoms") as db:
            evidence |= load_question_atoms(db)
        with artifact.reading(baselines_path, "rankings") as db:
            found += rankings.load_rankings(db)
    evidence |= {q.id: () for q in questions if q.abstention}
    done = compare(
        skills,
        baseline_scores(found, evidence, cutoffs),
        questions,
        splits,
        ("recall", 10 if 10 in cutoffs else min(cutoffs)),
        study=provenance.study,
        resampling=resampling,
    )
    for conversation, arm in sorted(done.chosen.items()):
        logging.info("best on all but %s: %s", conversation, arm)
        counts.add("ok", 1, f"{arm} is the best on all but {conversation}")
    if not done.chosen:
        counts.add("skipped", 1, "best_single@loco needs two conversations")
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "comparisons", counts.states)
        scores.save_scores(db, done.table)
        scores.save_query_scores(db, done.values)


if __name__ == "__main__":
    with job(snakemake) as this:
        params, given = snakemake.params, snakemake.input
        stores = [(given.atoms, given.baselines)]
        if given.get("written"):
            stores.append((given.atoms, given.written))
        main(
            conversations_path=Path(snakemake.input.conversations),
            scores_path=Path(snakemake.input.scores),
            shards=[
                (Path(atoms), Path(baselines))
                for both in stores
                for atoms, baselines in zip(*both, strict=True)
            ],
            cutoffs=params.cutoffs,
            splits=params.splits,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
