"""Rule `baselines`: one shard's memory and rollouts in, rankings of baselines out.

Tables: ranking (arm = baseline or ceiling, query = question, item = atom),
ranking_state; outcome names what was skipped and why.
"""

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.baselines import BASELINES, HYBRID, NEEDS_MODEL, Given
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.memories import open_memory
from skillmill.store import artifact, load, rankings
from skillmill.store.atoms import load_question_atoms
from skillmill.types import Ranking

NO_VECTORS = "the memory is built without vectors"

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    rollouts_path: Path,
    budget: int,
    seed: int,
    written: bool,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Rank the atoms for every question with every baseline.

    `written` tells that a model writes the memories of those that need one.
    """
    memory = open_memory(memory_path)
    with artifact.reading(memory_path, "memory") as db:
        evidence = load_question_atoms(db)
    returned: dict[str, list[Ranking]] = defaultdict(list)
    with artifact.reading(rollouts_path, "rankings") as db:
        for ranking in rankings.load_rankings(db):
            returned[ranking.query].append(ranking)
    embedded = "vectors" not in memory.lacking
    runs = {arm: one for arm, one in BASELINES.items() if embedded or arm != HYBRID}
    found = []
    for home, query in memory.questions:
        given = Given(
            query,
            memory.views[home],
            evidence.get(query.id, ()),
            returned[query.id],
            budget,
            seed,
        )
        found += [baseline(given) for baseline in runs.values()]
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    if not embedded:
        counts.add("skipped", len(memory.questions), f"{HYBRID}: {NO_VECTORS}")
    for name, reason in () if written else NEEDS_MODEL.items():
        counts.add("skipped", len(memory.questions), f"{name}: {reason}")
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "baselines", counts.states)
        rankings.save_rankings(db, found)


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            memory_path=Path(snakemake.input.memory),
            rollouts_path=Path(snakemake.input.rollouts),
            budget=snakemake.params.budget,
            seed=snakemake.params.seed,
            written=snakemake.params.written,
            output=Path(snakemake.output.baselines),
            provenance=this.provenance("rankings"),
            counts=this.counts,
        )
