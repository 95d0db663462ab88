"""Rule `answers`: one shard's memory and rankings in, answers out.

Tables: answer (arm `<retrieval skill>` or `ceiling:oracle`, one row a question, failed
and skipped ones too), usage (tokens of a model's replies). The reader is the model of
the role `answer`, or else the labelled stand-in; what was read before comes from the
record stores.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.answering import answered, questions_of_shard
from skillmill.evaluate.baselines import ORACLE
from skillmill.evaluate.model_reader import ROLE
from skillmill.interfaces.asked import used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.reading import ModelReader, Reader, StandInReader
from skillmill.store import answers, artifact, conversations, load, rankings
from skillmill.store.atoms import load_atoms
from skillmill.store.usage import save_usage

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    ranked: tuple[Path, Path],
    skills: Sequence[str],
    k: int,
    reader: Reader,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Answer every question from what the first known skill found, and from gold.

    `ranked` are the stores of the rollouts and of the baselines.
    """
    rollouts_path, baselines_path = ranked
    with artifact.reading(memory_path, "memory") as db:
        questions = {q.id: q for q in conversations.load_questions(db)}
        atoms = {atom.id: atom for atom in load_atoms(db)}
    with artifact.reading(rollouts_path, "rankings") as db:
        found = rankings.load_rankings(db)
    with artifact.reading(baselines_path, "rankings") as db:
        gold = rankings.load_rankings(db, ORACLE)
    asked, best = questions_of_shard(
        (found, gold), questions, atoms, skills, k, reader.label
    )
    waiting = [one for one in asked if one.given is None]
    done = answered(asked, reader.read(waiting, counts), reader.label)
    for answer in done:
        counts.add(answer.state, 1, answer.reason)
    if best is None and questions:
        reason = f"the study runs none of {', '.join(skills)}"
        counts.add("skipped", len(questions), reason)
    counts.check("answering", failed_share)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "answers", counts.states)
        save_usage(db, used_tokens(reader.outcomes, provenance.models))
        answers.save_answers(db, done)


if __name__ == "__main__":
    with job(snakemake) as this:
        asks = snakemake.params.asks
        with asking(this, [ROLE] if asks else []) as chat:
            main(
                memory_path=Path(snakemake.input.memory),
                ranked=(
                    Path(snakemake.input.rollouts),
                    Path(snakemake.input.baselines),
                ),
                skills=snakemake.params.skills,
                k=snakemake.params.atoms,
                reader=(
                    ModelReader(chat, asks["model"])
                    if asks
                    else StandInReader(this.records)
                ),
                failed_share=this.failed_share,
                output=Path(snakemake.output.answers),
                provenance=this.provenance(
                    "answers", models={ROLE: asks["model"]} if asks else {}
                ),
                counts=this.counts,
            )
