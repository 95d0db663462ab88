"""Rule `memory_scores`: questions and rollouts of every shard in, scores out.

Tables: score (one figure with its interval), query_score (one value per retrieval
skill, question and metric).
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.aggregate import Resampling, summarise
from skillmill.evaluate.groups import absent_from_data, question_groups
from skillmill.evaluate.ranked import memory_metrics, score_rankings
from skillmill.evaluate.sessions import Place, session_scores, skipped, wanted_by
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, conversations, load, rankings, scores
from skillmill.store.atoms import load_atom_turns, load_question_atoms
from skillmill.types import Question, Ranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    shards: Sequence[tuple[Path, Sequence[Path]]],
    cutoffs: Sequence[int],
    splits: Declared,
    resampling: Resampling,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Score every retrieval skill on every question, with intervals over questions.

    `shards` holds the atoms of each shard, its rollouts, and what was transferred.
    """
    with artifact.reading(conversations_path, "conversations") as db:
        questions = conversations.load_questions(db)
        places = conversations.load_turn_places(db)
    splits = splits_of(splits, questions)
    evidence, sources = _evidence([atoms for atoms, _ in shards], questions, places)
    found: list[Ranking] = []
    for path in (path for _, paths in shards for path in paths):
        with artifact.reading(path, "rankings") as db:
            found.extend(rankings.load_rankings(db))
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    counts.check("running retrieval skills", failed_share)
    for name in absent_from_data(questions, splits):
        counts.add("skipped", 1, f"memory.splits names {name}, which the data lacks")
        logging.warning("memory.splits names %s, which the data lacks", name)
    arms = {ranking.arm for ranking in found}
    values = score_rankings(found, evidence, memory_metrics(cutoffs), arms)
    if any(question.evidence_sessions for question in questions):
        wanted = wanted_by(questions, places)
        by_session = session_scores(found, wanted, sources, cutoffs, arms)
        for reason, n in skipped(wanted, by_session).items():
            counts.add("skipped", n, reason)
        values += by_session
    table = summarise(
        values,
        question_groups(questions, splits),
        track="memory",
        study=provenance.study,
        resampling=resampling,
    )
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "memory_scores", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


def _evidence(
    stores: Sequence[Path],
    questions: Sequence[Question],
    places: Mapping[tuple[str, str], Place],
) -> tuple[dict[str, tuple[str, ...]], dict[str, list[Place]]]:
    """Question -> its evidence atoms, and atom -> the places of its turns."""
    evidence: dict[str, tuple[str, ...]] = {question.id: () for question in questions}
    sources: dict[str, list[Place]] = {}
    for path in stores:
        with artifact.reading(path, "atoms") as db:
            evidence.update(load_question_atoms(db))
            for atom, turns in load_atom_turns(db).items():
                sources[atom] = [places[turn] for turn in turns]
    # What the history lacks cannot be retrieved: its evidence leads astray.
    evidence.update({q.id: () for q in questions if q.abstention})
    return evidence, sources


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        transferred = list(snakemake.input.get("transferred", []))
        main(
            conversations_path=Path(snakemake.input.conversations),
            shards=[
                (Path(atoms), [Path(path) for path in found])
                for atoms, *found in zip(
                    snakemake.input.atoms,
                    snakemake.input.rollouts,
                    *([transferred] if transferred else []),
                    strict=True,
                )
            ],
            cutoffs=params.cutoffs,
            splits=params.splits,
            resampling=Resampling(params.bootstrap, params.level, params.seed),
            failed_share=this.failed_share,
            output=Path(snakemake.output.scores),
            provenance=this.provenance("scores"),
            counts=this.counts,
        )
