"""Rule `evolve_start`: memories and seeds in, evolution before its first step out.

Tables: explored (the seeds), reward (their rollouts on validation questions),
frontier_member (both frontiers are the seeds), curve (a row of step -1), usage (empty).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evolve.step import started
from skillmill.evolve.storing import rows_of
from skillmill.interfaces.evolution_data import questions_of
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
from skillmill.skills.skill import read_texts
from skillmill.store import artifact, evolution, load
from skillmill.store.rollout_records import RolloutRecords
from skillmill.store.usage import save_usage

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    setting: Setting,
    seed_files: Sequence[Path],
    section: EvolutionSettings,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Roll out the seeds on the validation questions."""
    seeds = read_texts(seed_files, setting.primitives)
    with RolloutRecords(setting.records, setting.executor) as recorded:
        arena = arena_of(setting, section, recorded)
        ground = ground_of(setting, section, arena, counts)
        state = started([skill for skill, _ in seeds], ground, rules_of(section))
    counts.computed, counts.reused = arena.computed, arena.reused
    counts.add("ok", state.history[-1].rollouts - arena.failed)
    counts.add("failed", arena.failed, arena.first_failure)
    counts.check("rolling out the seeds", failed_share)
    texts = {skill.content_hash: text for skill, text in seeds}
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "evolve_start", counts.states)
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
                seed_files=[Path(path) for path in snakemake.input.seeds],
                section=section_of(params.section),
                failed_share=this.failed_share,
                output=Path(snakemake.output.state),
                provenance=this.provenance("evolution", models=models_of(params.asks)),
                counts=this.counts,
            )
