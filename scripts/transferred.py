"""Rule `transferred`: what another study evolved, run on one shard without training.

Tables: ranking and ranking_state as of rule `rollouts`. Arms: `transferred:routed`,
`transferred:best` (the skill that was best on the other study's validation questions)
and `transferred:<retrieval skill>` for each deployed one.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.evolve.confidence import confidence
from skillmill.interfaces.deployed import (
    BEST,
    ROUTED,
    TRANSFERRED,
    Deployed,
    read_deployed,
)
from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.memories import Memory, open_memory
from skillmill.skills.batch import Known, execute_batch, parts
from skillmill.skills.plugins import installed_primitives
from skillmill.store import artifact, load, rankings
from skillmill.types import Ranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    memory_path: Path,
    tokens_path: Path | None,
    state_path: Path,
    budget: int,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Run every deployed skill, and send each question to one of them."""
    deployed = read_deployed(state_path)
    deployed.require_encoder(memory_path)
    found = transferred(deployed, open_memory(memory_path, tokens_path), budget)
    for ranking in found:
        counts.add(ranking.state, 1, ranking.reason)
    counts.check("running deployed skills", failed_share)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "transferred", counts.states)
        rankings.save_rankings(db, found)


def transferred(deployed: Deployed, memory: Memory, budget: int) -> list[Ranking]:
    """Rankings of all arms, one memory at a time."""
    primitives = installed_primitives()
    found: list[Ranking] = []
    asked = sorted(memory.questions, key=lambda pair: pair[0])
    for conversation, pairs in groupby(asked, key=lambda pair: pair[0]):
        view = memory.views[conversation]
        contexts = tuple(context for _, context in pairs)
        for part in parts(contexts, view):
            known = Known(view, contexts[part])
            done = {
                skill.name: execute_batch(
                    skill, known.queries, view, budget, primitives, known
                ).rankings()
                for skill in deployed.skills
            }
            vectors = np.array([query.vector for query in known.queries])
            texts = [query.text for query in known.queries]
            sure = confidence(known.queries, view) if deployed.sure else None
            chosen = [skill.name for skill in deployed.route(vectors, texts, sure)]
            found += _arms(done, chosen, deployed.skills[deployed.best].name)
    return found


def _arms(
    done: dict[str, list[Ranking]], chosen: Sequence[str], best: str
) -> list[Ranking]:
    """Rankings under the names of the arms."""
    found = [
        replace(ranking, arm=f"{TRANSFERRED}{name}")
        for name, own in done.items()
        for ranking in own
    ]
    found += [
        replace(done[name][number], arm=ROUTED) for number, name in enumerate(chosen)
    ]
    return found + [replace(ranking, arm=BEST) for ranking in done[best]]


if __name__ == "__main__":
    with job(snakemake) as this:
        tokens = snakemake.input.get("tokens")
        main(
            memory_path=Path(snakemake.input.memory),
            tokens_path=Path(tokens) if tokens else None,
            state_path=Path(snakemake.input.state),
            budget=snakemake.params.budget,
            failed_share=this.failed_share,
            output=Path(snakemake.output.transferred),
            provenance=this.provenance("rankings"),
            counts=this.counts,
        )
