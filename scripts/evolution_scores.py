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
from skillmill.evaluate.splitting import Declared, splits_of
from skillmill.evolve.budgeting import Spent, measured_budgets
from skillmill.evolve.measuring import (
    EXHAUSTIVE,
    Measured,
    Run,
    joined,
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
from skillmill.store.usage import save_usage
from skillmill.types import Score

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

#: A run: its variant, its number and its last state.
Last = tuple[str, int, Path]


@dataclass(frozen=True)
class Compared:
    """What is measured: last states of runs, what they started from, what is left out.

    `skipped` has the variants that cannot run here, and why.
    """

    last: Sequence[Last]
    sections: Mapping[str, EvolutionSettings]
    seed_files: Sequence[Path]
    skipped: Mapping[str, str]


def main(
    setting: Setting,
    conversations_path: Path,
    splits: Declared,
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
    splits = splits_of(splits, questions)
    held = [split for split in ("val", "test") if splits.get(split)]
    names = sorted(q for split in held for q in of_split(setting.asked, split))
    with RolloutRecords(setting.records, setting.executor) as recorded:
        arena = arena_of(setting, base, recorded)
        runs = [
            _run(one, setting, compared.sections, arena, counts)
            for one in compared.last
        ]
        done, spent = _measured(runs, compared, arena, names, resampling.seed)
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
    whole = joined([*done, rivals])
    values = whole.scores(base.reward, base.cutoff)
    values += paired(values, [run.name for run in runs])
    groups = _groups(question_groups(questions, splits), held)
    table = summarise(
        values, groups, track="memory", study=provenance.study, resampling=resampling
    )
    asked = {split: of_split(setting.asked, split) for split in held}
    table += _run_rows(whole, runs, asked, base, provenance.study)
    table += [
        _score(one.arm, split, "steps_share", None, len(mine), one.share(mine),
               provenance.study)
        for one in spent
        for split, mine in asked.items()
    ]  # fmt: skip
    counts.add("ok", len(values))
    for name, reason in compared.skipped.items():
        counts.add("skipped", 1, f"variant {name}: {reason}")
        logging.warning("variant %s is skipped: %s", name, reason)
    for arm, n in sorted(whole.rollouts.items()):
        logging.info("%s: %d rollouts", arm, n)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "evolution_scores", counts.states)
        save_usage(db, setting.asking.used if setting.asking else [])
        scores.save_scores(db, table)
        scores.save_query_scores(db, values)


def _measured(
    runs: Sequence[Run],
    compared: Compared,
    arena: Arena,
    names: Sequence[str],
    seed: int,
) -> tuple[list[Measured], list[Spent]]:
    """Arms of each run, those within a budget last, and what these cost."""
    done = [measured_run(run, arena, names, _stream(seed, run.name)) for run in runs]
    train = of_split(arena.asked, "train")
    spent: list[Spent] = []
    for run in runs:
        shares = compared.sections[run.name.rsplit("#", 1)[0]].router.budgets
        if shares:
            rng = _stream(seed, f"{run.name} budgets")
            one, costs = measured_budgets(run, arena, train, names, shares, rng)
            done.append(one)
            spent += costs
    return done, spent


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
    asked: Mapping[str, Sequence[str]],
    base: EvolutionSettings,
    study: str,
) -> list[Score]:
    """Means over runs, and what searching cost beside exhaustive search."""
    variants: dict[str, list[str]] = {}
    for run in runs:
        variants.setdefault(run.name.rsplit("#", 1)[0], []).append(run.name)
    rows = [
        (arm, split, f"{base.reward}_runs_{name}", base.cutoff, n, value)
        for split, mine in asked.items()
        for (arm, name), (n, value) in stability(whole, variants, mine).items()
    ]
    most = whole.rollouts[EXHAUSTIVE]
    rows += [
        (arm, "val", "rollouts_of_exhaustive", None, n, round(n / most, 6))
        for arm, n in whole.rollouts.items()
    ]
    rows.sort(key=lambda row: (row[0], row[1], row[2]))
    return [_score(*row, study) for row in rows]


def _score(
    arm: str, split: str, metric: str, k: int | None, n: int, value: float, study: str
) -> Score:
    """A figure that no interval is drawn for."""
    return Score("memory", study, arm, split, "all", metric, k, n, value, None, None)  # type: ignore[arg-type]


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
                    skipped=params.skipped,
                ),
                resampling=Resampling(params.bootstrap, params.level, params.seed),
                output=Path(snakemake.output.scores),
                provenance=this.provenance("scores", models=models_of(params.asks)),
                counts=this.counts,
            )
