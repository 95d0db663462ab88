"""Rule `reflective_scores`: memories in, rivals that reflect on past attempts measured.

Tables: score (arms `rival:<name>`, paired differences from `rival:no-guidance`, the
calls that each learnt with), query_score, usage. Without a model for each role they are
skipped by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.groups import question_groups
from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.evolve.reflective.arms import (
    ROLES,
    Answered,
    answered_by_all,
    rivals_of,
    values_of,
)
from skillmill.interfaces.asked import Asks, Listener, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.reflecting import judged_by, read_tasks
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.store import artifact, conversations, load, scores
from skillmill.store.usage import save_usage
from skillmill.types import QueryScore, Score

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


@dataclass(frozen=True)
class Means:
    """What rivals learn and are judged with; `client` is None without models."""

    client: Asks | None
    judge: JudgeRole
    calls: int
    encoder: EncoderSettings
    failed_share: float


def main(
    memories: Sequence[Path],
    conversations_path: Path,
    splits: Declared,
    means: Means,
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Let every rival learn on training questions and answer the test ones."""
    with artifact.reading(conversations_path, "conversations") as db:
        questions = conversations.load_questions(db)
    known = splits_of(splits, questions)
    heard = Listener(means.client) if means.client else None
    values: list[QueryScore] = []
    table: list[Score] = []
    if heard is None:
        for rival in rivals_of(lambda _: np.zeros((0, 0)), {}):
            reason = f"{rival.name}: needs a language model for its roles and a judge"
            counts.add("skipped", 1, reason)
    else:
        done = _answered(memories, known, heard, means, resampling.seed)
        for one in done:
            counts.add("failed", len(one.failures), next(iter(one.failures), None))
            answered = sum(not attempt.failure for attempt in one.attempts)
            counts.add("ok", answered, f"{one.arm}: answered")
        counts.check("asking rivals", means.failed_share)
        values = values_of(done)
        groups = {
            query: [place for place in places if place[0] == "test"]
            for query, places in question_groups(questions, known).items()
        }
        study = provenance.study
        table = summarise(
            values, groups, track="memory", study=study, resampling=resampling
        )
        table += [
            Score("memory", study, one.arm, "test", "all", f"calls_{name}", None,
                  len(one.attempts), float(n), None, None)
            for one in done
            for name, n in (("answering", one.answering), ("learning", one.learning))
        ]  # fmt: skip
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "reflective_scores", counts.states)
        save_usage(db, used_tokens(heard.outcomes if heard else [], provenance.models))
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


def _answered(
    memories: Sequence[Path],
    splits: Declared,
    client: Listener,
    means: Means,
    seed: int,
) -> list[Answered]:
    """What all rivals answered."""
    tasks, sessions = read_tasks(memories)
    train, test = (
        [task for home in splits[name] for task in tasks.get(home, ())]
        for name in ("train", "test")
    )
    encode = load_encoder(means.encoder).encode
    return answered_by_all(
        rivals_of(encode, sessions),
        client,
        judged_by(client, means.judge),
        train,
        test,
        means.calls,
        lambda name: np.random.default_rng([seed, *name.encode()]),
    )


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        with asking(this, [*ROLES, params.judge] if params.asks else []) as chat:
            main(
                memories=[Path(path) for path in snakemake.input.memories],
                conversations_path=Path(snakemake.input.conversations),
                splits=params.splits,
                means=Means(
                    chat if params.asks else None,
                    params.judge,
                    params.calls,
                    EncoderSettings(**params.encoder),
                    this.failed_share,
                ),
                resampling=Resampling(params.bootstrap, params.level, params.seed),
                output=Path(snakemake.output.scores),
                provenance=this.provenance(
                    "scores",
                    models={role: said["model"] for role, said in params.asks.items()},
                ),
                counts=this.counts,
            )
