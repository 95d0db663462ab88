"""Rule `rollouts`: one shard's memory and retrieval skills in, rankings out.

Tables: ranking (arm = name of the retrieval skill, query = question, item = atom),
ranking_state (ok, empty or failed, with the reason).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.memories import open_memory
from skillmill.skills.executor import execute
from skillmill.skills.skill import read_skills
from skillmill.store import artifact, load, rankings

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    skill_files: Sequence[Path],
    budget: int,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Run every retrieval skill on every question of the shard."""
    skills = read_skills(skill_files)
    memory = open_memory(memory_path)
    found = [
        execute(skill, context, memory.views[conversation], budget).ranking
        for conversation, context in memory.questions
        for skill in skills
    ]
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    counts.check("running retrieval skills", failed_share)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "rollouts", counts.states)
        rankings.save_rankings(db, found)


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            memory_path=Path(snakemake.input.memory),
            skill_files=[Path(path) for path in snakemake.input.skills],
            budget=snakemake.params.budget,
            failed_share=snakemake.params.failed_share,
            output=Path(snakemake.output.rollouts),
            provenance=this.provenance("rankings"),
            counts=this.counts,
        )
