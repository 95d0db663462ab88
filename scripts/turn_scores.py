"""Rule `turn_scores`: questions and turn rankings of every shard in, scores out.

Tables: score, query_score (metrics turn_recall and turn_mrr; the category
`all+adversarial` pools every question that has evidence).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.evaluate.turns import turn_groups, turn_scores
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, conversations, load, rankings, scores
from skillmill.types import Ranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    turns: Sequence[Path],
    cutoffs: Sequence[int],
    splits: Declared,
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Score every arm on every question, with intervals over questions."""
    with artifact.reading(conversations_path, "conversations") as db:
        questions = conversations.load_questions(db)
    splits = splits_of(splits, questions)
    found: list[Ranking] = []
    for path in turns:
        with artifact.reading(path, "rankings") as db:
            found.extend(rankings.load_rankings(db))
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    arms = {ranking.arm for ranking in found}
    values = turn_scores(found, questions, cutoffs, arms)
    table = summarise(
        values,
        turn_groups(questions, splits),
        track="memory",
        study=provenance.study,
        resampling=resampling,
    )
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "turn_scores", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            conversations_path=Path(snakemake.input.conversations),
            turns=[Path(path) for path in snakemake.input.turns],
            cutoffs=params.cutoffs,
            splits=params.splits,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
