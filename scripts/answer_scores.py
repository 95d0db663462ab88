"""Rule `answer_scores`: questions and answers of every shard in, scores out.

Tables: score and query_score (f1_bag, f1_set, f1_locomo, bleu1, judge, judge_unsure;
refusal for adversarial questions and those that call for abstention), rows in which a
stand-in read or judged marked heuristic; outcome (per arm and kind, what became of the
questions; judgements of a model); usage (tokens of its replies).
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.groups import question_groups
from skillmill.evaluate.judging import (
    Tally,
    marked,
    score_answers,
    tallies,
    to_judge,
)
from skillmill.evaluate.model_judge import ModelJudge
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.interfaces.asked import count_replies, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.models.chat import Outcome
from skillmill.models.failures import check_failed_share
from skillmill.models.heuristics.judge import MatchJudge
from skillmill.store import answers, artifact, conversations, load, scores
from skillmill.store.usage import save_usage
from skillmill.types import State

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    stores: Sequence[Path],
    splits: Declared,
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
    judge: ModelJudge | None = None,
    failed_share: float = 1.0,
) -> None:
    """Score every answer; the answers themselves stay in the stores of the shards.

    With `judge` a model judges, else the stand-in.
    """
    with artifact.reading(conversations_path, "conversations") as db:
        questions = {q.id: q for q in conversations.load_questions(db)}
    splits = splits_of(splits, list(questions.values()))
    found: list[answers.Answer] = []
    for path in stores:
        with artifact.reading(path, "answers") as db:
            found += answers.load_answers(db)
    outcomes: list[Outcome[Any]] = []
    if judge:
        outcomes = judge.prepare(to_judge(found, questions))
        [(role, model)] = provenance.models.items()
        check_failed_share(outcomes, failed_share, stage=role, model=model)
        count_replies(counts, outcomes)
    values = score_answers(found, questions, judge or MatchJudge())
    for tally in tallies(found, questions, values):
        add_tally(counts, tally)
    table = summarise(
        values,
        question_groups(list(questions.values()), splits),
        track="memory",
        study=provenance.study,
        resampling=resampling,
    )
    table = marked(table, found, judged_by_model=judge is not None)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "answer_scores", counts.states)
        load.save_outcomes(db, "judging", Counter(judgement(o) for o in outcomes))
        save_usage(db, used_tokens(outcomes, provenance.models))
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


def judgement(outcome: Outcome[Any]) -> tuple[State, str]:
    """How one judgement ended."""
    return outcome.state, f"judging: {outcome.reason or 'judged'}"


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
        role, asks = params.judge, params.asks
        with asking(this, [role] if asks else []) as client:
            main(
                conversations_path=Path(snakemake.input.conversations),
                stores=[Path(path) for path in snakemake.input.answers],
                splits=params.splits,
                resampling=Resampling(params.bootstrap, params.level, params.seed),
                output=Path(snakemake.output.scores),
                provenance=this.provenance(
                    "scores", models={role: asks["model"]} if asks else {}
                ),
                counts=this.counts,
                judge=ModelJudge(client, role) if asks else None,
                failed_share=this.failed_share,
            )
