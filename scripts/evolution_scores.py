"""Rule `evolution_scores`: memories and last states of all runs in, figures out.

Tables: score (arms of each run and their rivals, paired differences, means and standard
deviations over runs, shares of the rollouts of exhaustive search), query_score.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.evaluate.aggregate import Groups, Resampling, summarise
from skillmill.evaluate.groups import question_groups
from skillmill.evolve.measuring import (
    EXHAUSTIVE,
    Measured,
    Run,
    measured_rivals,
    measured_run,
    paired,
    stability,
)
from skillmill.evolve.rollouts import Arena
from skillmill.evolve.storing import state_of
from skillmill.interfaces.evolution_data import of_split, questions_of
from skillmill.interfaces.evolving import (
    EvolutionSettings,
    Setting,
    arena_of,
    asking_of,
    ground_of,
    models_of,
    section_of,
)
from skillmill.interfaces.job import Counts, job
from skillmill.models.encoder import EncoderSettings
from skillmill.skills.skill import read_skills
from skillmill.store import artifact, conversations, evolution, load, scores
from skillmill.store.rollout_records import RolloutRecords
from skillmill.types import Score

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

#: A run: its variant, its number and its last state.
Last = tuple[str, int, Path]


@dataclass(frozen=True)
class Compared:
    """What is measured: the last states of runs, and what they started from."""

    last: Sequence[Last]
    sections: Mapping[str, EvolutionSettings]
    seed_files: Sequence[Path]


def main(
    setting: Setting,
    conversations_path: Path,
    splits: Mapping[str, Sequence[str]],
    compared: Compared,
    resampling: Resampling,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Measure every run and its rivals on the questions of validation and test."""
    base = compared.sections["default"]
    with artifact.reading(conversations_path, "conversations") as db:
        questions = conversations.load_questions(db)
    held = [split for split in ("val", "test") if splits.get(split)]
    names = sorted(q for split in held for q in of_split(setting.asked, split))
    with RolloutRecords(setting.records, setting.executor) as recorded:
        arena = arena_of(setting, base, recorded)
        runs = [
            _run(one, setting, compared.sections, arena, counts)
            for one in compared.last
        ]
        done = [
            measured_run(run, arena, names, _stream(resampling.seed, run.name))
            for run in runs
        ]
    counts.computed, counts.reused = arena.computed, arena.reused
    # Rivals by the thousand are not worth recording.
    rivals = measured_rivals(
        read_skills(compared.seed_files, arena.primitives),
        arena_of(setting, base, None),
        of_split(setting.asked, "val"),
        names,
        base.rivals,
        {run.name: run.rollouts for run in runs},
        lambda name: _stream(resampling.seed, f"{name} rivals"),
    )
    whole = Measured(
        {arm: row for one in (*done, rivals) for arm, row in one.rewards.items()},
        {arm: n for one in (*done, rivals) for arm, n in one.rollouts.items()},
    )
    values = whole.scores(base.reward, base.cutoff)
    values += paired(values, [run.name for run in runs])
    groups = _groups(question_groups(questions, splits), held)
    table = summarise(
        values, groups, track="memory", study=provenance.study, resampling=resampling
    )
    table += _run_rows(whole, runs, setting, base, held, provenance.study)
    counts.add("ok", len(values))
    for arm, spent in sorted(whole.rollouts.items()):
        logging.info("%s: %d rollouts", arm, spent)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "evolution_scores", counts.states)
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


def _run(
    last: Last,
    setting: Setting,
    sections: Mapping[str, EvolutionSettings],
    arena: Arena,
    counts: Counts,
) -> Run:
    """The last state of a run with what it ran on."""
    variant, number, path = last
    section = sections[variant]
    with artifact.reading(path, "evolution") as db:
        rows = evolution.load_evolution(db)
    state = state_of(rows, section.identity, arena.primitives)
    ground = ground_of(setting, section, arena, counts)
    return Run(f"{variant}#{number}", state, ground)


def _stream(seed: int, name: str) -> np.random.Generator:
    """Randomness of one run, whatever other runs there are."""
    return np.random.default_rng([seed, *name.encode()])


def _groups(groups: Groups, held: Sequence[str]) -> dict[str, list]:
    """Rows of the measured splits alone: what was chosen on one is no mean of both."""
    return {
        query: [(split, category) for split, category in places if split in held]
        for query, places in groups.items()
    }


def _run_rows(
    whole: Measured,
    runs: Sequence[Run],
    setting: Setting,
    base: EvolutionSettings,
    held: Sequence[str],
    study: str,
) -> list[Score]:
    """Means over runs, and what searching cost beside exhaustive search."""
    variants: dict[str, list[str]] = {}
    for run in runs:
        variants.setdefault(run.name.rsplit("#", 1)[0], []).append(run.name)
    rows = [
        (arm, split, f"{base.reward}_runs_{name}", base.cutoff, n, value)
        for split in held
        for (arm, name), (n, value) in stability(
            whole, variants, of_split(setting.asked, split)
        ).items()
    ]
    most = whole.rollouts[EXHAUSTIVE]
    rows += [
        (arm, "val", "rollouts_of_exhaustive", None, n, round(n / most, 6))
        for arm, n in whole.rollouts.items()
    ]
    return [
        Score("memory", study, arm, split, "all", metric, k, n, value, None, None)  # type: ignore[arg-type]
        for arm, split, metric, k, n, value in sorted(
            rows, key=lambda row: (row[0], row[1], row[2])
        )
    ]


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
                conversations_path=Path(snakemake.input.conversations),
                splits=params.splits,
                compared=Compared(
                    last=[
                        (variant, run, Path(path))
                        for (variant, run), path in zip(
                            params.runs, snakemake.input.states, strict=True
                        )
                    ],
                    sections={
                        name: section_of(v) for name, v in params.sections.items()
                    },
                    seed_files=[Path(path) for path in snakemake.input.seeds],
                ),
                resampling=Resampling(params.bootstrap, params.level, params.seed),
                output=Path(snakemake.output.scores),
                provenance=this.provenance("scores", models=models_of(params.asks)),
                counts=this.counts,
            )
