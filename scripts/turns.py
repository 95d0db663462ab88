"""Rule `turns`: one shard's memory and rollouts in, rankings of single turns out.

Tables: ranking (arm = `<retrieval skill>@turns`, or `@dialogue` without token vectors;
query = question, item = turn), ranking_state.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.turns import turn_arms
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.memories import open_memory
from skillmill.store import artifact, load, rankings

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    tokens_path: Path | None,
    rollouts_path: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Order the turns of what every skill returned for every question."""
    memory = open_memory(memory_path, tokens_path)
    asked = {
        context.id: (context, memory.views[home]) for home, context in memory.questions
    }
    with artifact.reading(rollouts_path, "rankings") as db:
        found = turn_arms(rankings.load_rankings(db), asked)
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "turns", counts.states)
        rankings.save_rankings(db, found)


if __name__ == "__main__":
    with job(snakemake) as this:
        tokens = snakemake.input.get("tokens")
        main(
            memory_path=Path(snakemake.input.memory),
            tokens_path=Path(tokens) if tokens else None,
            rollouts_path=Path(snakemake.input.rollouts),
            output=Path(snakemake.output.turns),
            provenance=this.provenance("rankings"),
            counts=this.counts,
        )
