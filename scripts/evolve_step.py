"""Rule `evolve_step`: evolution after step t - 1 in, after step t out (Algorithm 1).

All of its tables are written anew: explored, explored_event, explored_tally,
frontier_member, evolution_query, reward, router, choice, refusal, curve, usage (tokens
of proposals and routes).
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.evolve.batches import batch_of
from skillmill.evolve.step import advanced
from skillmill.evolve.storing import rows_of, state_of
from skillmill.interfaces.evolution_data import of_split, questions_of
from skillmill.interfaces.evolving import (
    EvolutionSettings,
    Setting,
    arena_of,
    asking_of,
    ground_of,
    models_of,
    rules_of,
    section_of,
)
from skillmill.interfaces.job import Counts, job
from skillmill.models.encoder import EncoderSettings
from skillmill.store import artifact, evolution, load
from skillmill.store.rollout_records import RolloutRecords
from skillmill.store.usage import save_usage

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    setting: Setting,
    before_path: Path,
    section: EvolutionSettings,
    seed: Sequence[int],
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Advance by one step; `seed` is that of the study and the number of the run."""
    with artifact.reading(before_path, "evolution") as db:
        rows = evolution.load_evolution(db)
    with RolloutRecords(setting.records, setting.executor) as recorded:
        arena = arena_of(setting, section, recorded)
        ground = ground_of(setting, section, arena, counts)
        state = state_of(rows, section.identity, arena.primitives)
        train = of_split(setting.asked, "train")
        # Streams of their own, so that neither depends on how much the other draws.
        batch = batch_of(train, state.step, section.batch, [*seed, 0])
        rng = np.random.default_rng([*seed, 1, state.step])
        state = advanced(state, batch, ground, rules_of(section), rng)
    counts.computed, counts.reused = arena.computed, arena.reused
    counts.add("ok", state.history[-1].rollouts - arena.failed)
    counts.add("failed", arena.failed, arena.first_failure)
    counts.check("rolling out candidates", failed_share)
    logging.info("%s", state.history[-1])
    texts = {row.skill: row.markdown for row in rows.explored}
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "evolve_step", counts.states)
        save_usage(db, setting.asking.used if setting.asking else [])
        evolution.save_evolution(db, rows_of(state, texts))


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        memories = [Path(path) for path in snakemake.input.memories]
        tokens = [Path(path) for path in snakemake.input.get("tokens") or []]
        with asking_of(this, params.asks, memories) as asking:
            main(
                setting=Setting(
                    questions_of(memories, params.splits, tokens),
                    params.budget,
                    EncoderSettings(**params.encoder),
                    this.records,
                    asking,
                ),
                before_path=Path(snakemake.input.before),
                section=section_of(params.section),
                seed=[params.seed, int(snakemake.wildcards.run)],
                failed_share=this.failed_share,
                output=Path(snakemake.output.state),
                provenance=this.provenance("evolution", models=models_of(params.asks)),
                counts=this.counts,
            )
