"""Rule `answer_scores`: questions and answers of every shard in, scores out.

Tables: score and query_score (f1_bag, f1_set, f1_locomo, bleu1, judge, judge_unsure;
refusal for adversarial questions and those that call for abstention), every row marked
heuristic; outcome (`answers:<arm>`: per kind, what became of the questions).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.groups import question_groups
from skillmill.evaluate.judging import Tally, score_answers, tallies
from skillmill.interfaces.job import Counts, job
from skillmill.models.heuristics.judge import MatchJudge
from skillmill.store import answers, artifact, conversations, load, scores
from skillmill.types import Split

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    stores: Sequence[Path],
    splits: Mapping[Split, Sequence[str]],
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Score every answer; the answers themselves stay in the stores of the shards."""
    with artifact.reading(conversations_path, "conversations") as db:
        questions = {q.id: q for q in conversations.load_questions(db)}
    found: list[answers.Answer] = []
    for path in stores:
        with artifact.reading(path, "answers") as db:
            found += answers.load_answers(db)
    values = score_answers(found, questions, MatchJudge())
    for tally in tallies(found, questions, values):
        add_tally(counts, tally)
    table = summarise(
        values,
        question_groups(list(questions.values()), splits),
        track="memory",
        study=provenance.study,
        resampling=resampling,
        heuristic=True,
    )
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "answer_scores", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


def add_tally(counts: Counts, tally: Tally) -> None:
    """Count the questions of one arm and kind in their states."""
    name = f"{tally.arm}: {tally.kind}"
    scored = f"{tally.scored} of {tally.asked} scored"
    counts.add("ok", tally.answered, f"{name}, answered, {scored}")
    counts.add("empty", tally.empty, f"{name}, no answer, counts as 0")
    counts.add("failed", tally.failed, f"{name}, failed, counts as 0")
    counts.add("skipped", tally.skipped, f"{name}, not asked, not scored")


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            conversations_path=Path(snakemake.input.conversations),
            stores=[Path(path) for path in snakemake.input.answers],
            splits=params.splits,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
