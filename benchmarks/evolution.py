r"""Evolution on LoCoMo, in one process: runs, rivals, ablations, batch sizes, folds.

Needs the memories of a study: `skillmill run --configfile configs/locomo.yaml -- \
results/locomo/memory/{0,1,2,3}/memory.sqlite`. Then

    python -m benchmarks.evolution results/locomo [--runs 5] [--only default,folds]

Prints tables; asserts nothing about time. All figures are percent.
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from skillmill.compute.statistics import paired_difference
from skillmill.evolve.batches import batch_of
from skillmill.evolve.budgeting import fixed_within, measured_budgets, within
from skillmill.evolve.controls import exhaustive_search
from skillmill.evolve.measuring import (
    EXHAUSTIVE,
    Measured,
    Run,
    measured_rivals,
    measured_run,
)
from skillmill.evolve.rollouts import Arena, Asked
from skillmill.evolve.state import State
from skillmill.evolve.step import advanced, started
from skillmill.interfaces.evolution_data import of_split, questions_of
from skillmill.interfaces.evolving import Setting, arena_of, ground_of, rules_of
from skillmill.interfaces.job import Counts
from skillmill.models.encoder import EncoderSettings
from skillmill.settings.evolution import Evolution
from skillmill.skills.skill import read_skills

SPLITS = {
    "train": ["conv-26", "conv-30"],
    "val": ["conv-42", "conv-43"],
    "test": ["conv-47", "conv-48", "conv-50"],
}
ALL = [name for names in SPLITS.values() for name in names]

#: What differs from the defaults.
VARIANTS = {
    "no racing": {"racing": False},
    "no re-weighting (identity: path)": {"identity": "path"},
    "paper's train filter": {"train_filter": "frontier"},
    "paper's Phi (keep_best: false)": {"keep_best": False},
    "paper's gate": {"gate": {"rule": "routed"}},
    "paper's settings, utility router": {
        "limit": 3, "identity": "path", "keep_best": False, "racing": False,
        "train_filter": "frontier", "supervision": "all", "gate": {"rule": "routed"},
    },
    "paper's settings, learned router": {
        "limit": 3, "identity": "path", "keep_best": False, "racing": False,
        "train_filter": "frontier", "supervision": "all", "gate": {"rule": "routed"},
        "router": {"kind": "learned", "temperature": 1.0, "prior": 0.0},
    },
    "random proposer": {"proposer": {"kind": "random", "longest": 4}},
    "without evolution": {"proposer": {"kind": "none"}},
    "without double frontier": {"frontiers": "none", "racing": False},
    "without trie": {"memory": "frontier"},
    "learned router": {
        "gate": {"rule": "routed"}, "router": {"kind": "learned", "prior": 0.0},
    },
    "utility prior": {"gate": {"rule": "routed"}, "router": {"kind": "learned"}},
    "confidence": {
        "gate": {"rule": "routed"}, "router": {"kind": "learned", "confidence": True},
    },
    "cost-aware utility": {
        "gate": {"rule": "routed"}, "router": {"kind": "learned", "step_price": 0.01},
    },
    "cost-aware routing": {
        "router": {"kind": "learned", "budgets": [0.4, 0.6, 0.8, 1.0]},
    },
    "batch 5": {"batch": 5},
    "batch 10": {"batch": 10},
    "batch 40": {"batch": 40},
    "batch 80": {"batch": 80},
}  # fmt: skip


@dataclass(frozen=True)
class Study:
    """What all runs share."""

    asked: Mapping[str, Asked]
    seeds: Sequence[Path]
    records: Path

    def split(self, splits: Mapping[str, Sequence[str]]) -> "Study":
        """The same questions in other splits."""
        home = {name: split for split, names in splits.items() for name in names}
        asked = {
            q: replace(one, split=home[one.view.conversation])
            for q, one in self.asked.items()
            if one.view.conversation in home
        }
        return Study(asked, self.seeds, self.records)


def evolve(
    study: Study, section: Evolution, run: int, arena: Arena | None = None
) -> tuple[Run, Arena, float]:
    """One run from the seeds to the last step; also the seconds it took."""
    setting = Setting(study.asked, 20, EncoderSettings(), study.records)
    begun = time.perf_counter()
    arena = arena or arena_of(setting, section, None)
    ground = ground_of(setting, section, arena, Counts())
    rules = rules_of(section)
    train = of_split(study.asked, "train")
    state = started(read_skills(study.seeds, arena.primitives), ground, rules)
    for step in range(section.steps):
        batch = batch_of(train, step, section.batch, [0, run, 0])
        rng = np.random.default_rng([0, run, 1, step])
        state = advanced(state, batch, ground, rules, rng)
    return Run(f"run#{run}", state, ground), arena, time.perf_counter() - begun


def mean(measured: Measured, arm: str, questions: Sequence[str]) -> float:
    """Mean reward of an arm, percent."""
    row = measured.rewards[arm]
    return 100 * float(np.mean([row[q] for q in questions]))


def spread(values: Sequence[float]) -> str:
    """Mean and standard deviation over runs."""
    sd = f" +- {np.std(values, ddof=1):.1f}" if len(values) > 1 else ""
    return f"{np.mean(values):.1f}{sd}"


def columns(state: State, measured: Measured, run: Run, study: Study) -> list[float]:
    """Figures of one run."""
    test, val = of_split(study.asked, "test"), of_split(study.asked, "val")
    name = run.name
    return [
        mean(measured, f"{name}:best", val),
        mean(measured, f"{name}:best", test),
        mean(measured, f"{name}:routed", test),
        mean(measured, f"ceiling:{name}:deploy-oracle", test),
        mean(measured, f"ceiling:{name}:jitter-oracle", test),
        mean(measured, f"ceiling:{name}:capability-oracle", val),
        mean(measured, f"ceiling:{name}:explored-oracle", val),
        mean(measured, f"ceiling:{name}:oracle-of-6", val),
        float(len(state.capability)),
        float(len(state.deploy)),
        float(len(state.trie.explored)),
        float(run.rollouts),
    ]


HEAD = (
    "| variant | best val | best test | routed test | oracle B test | jitter test |"
    " oracle C val | explored val | of 6 val | C | B | explored | rollouts | s |"
)


def runs_of(study: Study, section: Evolution, label: str, count: int) -> list[Measured]:
    """Print the row of a variant; what its runs measured."""
    rows, found, seconds = [], [], []
    names = [q for split in ("val", "test") for q in of_split(study.asked, split)]
    for number in range(count):
        run, arena, took = evolve(study, section, number)
        measured = measured_run(run, arena, names, np.random.default_rng([0, number]))
        rows.append(columns(run.state, measured, run, study))
        found.append(measured)
        seconds.append(took)
    cells = [spread([row[place] for row in rows]) for place in range(len(rows[0]))]
    print(f"| {label} | {' | '.join(cells)} | {np.mean(seconds):.1f} |", flush=True)
    return found


def rivals(study: Study, section: Evolution, found: Sequence[Measured]) -> None:
    """Print what the default is held against, with paired intervals on test."""
    setting = Setting(study.asked, 20, EncoderSettings(), study.records)
    arena = arena_of(setting, section, None)
    test, val = of_split(study.asked, "test"), of_split(study.asked, "val")
    budgets = {f"run#{n}": one.rollouts[f"run#{n}:best"] for n, one in enumerate(found)}
    begun = time.perf_counter()
    held = measured_rivals(
        read_skills(study.seeds, arena.primitives),
        arena,
        val,
        [*val, *test],
        section.rivals,
        budgets,
        lambda name: np.random.default_rng([1, *name.encode()]),
    )
    print(f"\nrivals took {time.perf_counter() - begun:.1f} s")
    print("| arm | val | test | rollouts | best - arm on test, run 0 |")
    print("| --- | --- | --- | --- | --- |")
    mine = found[0].rewards["run#0:best"]
    for arm in sorted(held.rewards):
        row = held.rewards[arm]
        apart = paired_difference(
            [100 * mine[q] for q in test],
            [100 * row[q] for q in test],
            np.random.default_rng(0),
        )
        told = (
            f"{apart.value:+.1f} [{apart.low:.1f}, {apart.high:.1f}]" if apart else ""
        )
        spent = held.rollouts.get(arm, "")
        print(
            f"| {arm} | {mean(held, arm, val):.1f} | {mean(held, arm, test):.1f} |"
            f" {spent} | {told} |"
        )
    for kind in ("random-search", "exhaustive-first"):
        values = [mean(held, f"run#{n}:{kind}", test) for n in range(len(found))]
        print(f"{kind} at equal rollouts, test: {spread(values)}")
    share = np.mean(list(budgets.values())) / held.rollouts[EXHAUSTIVE]
    print(f"rollouts of the runs: {100 * share:.1f} % of exhaustive search", flush=True)


def budgets(study: Study, section: Evolution, count: int) -> None:
    """Print each run's recall within shares of its best skill's steps, on test."""
    val, test = of_split(study.asked, "val"), of_split(study.asked, "test")
    train = of_split(study.asked, "train")
    print("\n| run | share | routed | at | best fixed | at | routed - fixed |")
    print("| --- " * 7 + "|")
    arena = None
    for number in range(count):
        run, arena, _ = evolve(study, section, number, arena)
        rng = np.random.default_rng([2, number])
        shares = section.router.budgets
        done, spent = measured_budgets(run, arena, train, [*val, *test], shares, rng)
        cost = {one.arm: one.share(test) for one in spent}
        for share in shares:
            arms = within(run.name, share), fixed_within(run.name, share)
            if arms[0] not in done.rewards:
                continue
            rows = [[100 * done.rewards[arm][q] for q in test] for arm in arms]
            apart = paired_difference(*rows, np.random.default_rng(0))
            told = f"{apart.value:+.1f} [{apart.low:.1f}, {apart.high:.1f}]"
            cells = [
                cell
                for arm, row in zip(arms, rows, strict=True)
                for cell in (f"{np.mean(row):.1f}", f"{cost[arm]:.0%}")
            ]
            print(f"| {number} | {share:.0%} | {' | '.join(cells)} | {told} |")


def folds(study: Study, section: Evolution) -> None:
    """Leave one conversation out: the next two are validation, the others training."""
    print("\n| test | seed chosen | best | routed | exhaustive | rollouts % |")
    print("| --- | --- | --- | --- | --- | --- |")
    total: list[tuple[float, ...]] = []
    sizes = []
    for place, held_out in enumerate(ALL):
        rest = ALL[place + 1 :] + ALL[:place]
        splits = {"test": [held_out], "val": rest[:2], "train": rest[2:]}
        fold = study.split(splits)
        run, arena, _ = evolve(fold, section, 0)
        test, val = of_split(fold.asked, "test"), of_split(fold.asked, "val")
        mine = measured_run(run, arena, test, np.random.default_rng(0))
        seeds = read_skills(fold.seeds, arena.primitives)
        first = max(seeds, key=lambda s: np.mean(arena.rewards(s, val)))
        whole = exhaustive_search(arena, section.rivals, val)
        row = (
            100 * float(np.mean(arena.rewards(first, test))),
            mean(mine, "run#0:best", test),
            mean(mine, "run#0:routed", test),
            100 * float(np.mean(arena.rewards(whole.skill, test))),
            100 * run.rollouts / whole.rollouts,
        )
        print(f"| {held_out} | {' | '.join(f'{x:.1f}' for x in row)} |", flush=True)
        total.append(row)
        sizes.append(len(test))
    pooled = np.average(np.array(total), axis=0, weights=sizes)
    print(f"| pooled | {' | '.join(f'{x:.1f}' for x in pooled)} |", flush=True)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="default,variants,folds")
    parser.add_argument("--variants", default="", help="names to run, by ';'")
    parser.add_argument("--late", action="store_true", help="late interaction seed")
    chosen = parser.parse_args()
    wanted = set(chosen.only.split(","))
    section = Evolution(variants=VARIANTS_SAFE)
    memories = sorted(chosen.study.glob("memory/*/memory.sqlite"))
    seeds = [Path(path) for path in section.seeds]
    tokens = [path.with_name("tokens.sqlite") for path in memories]
    if chosen.late:
        seeds[0] = Path("src/skillmill/skills/late/semantic-clue-late.md")
    study = Study(
        questions_of(memories, SPLITS, tokens if chosen.late else ()),
        seeds,
        Path("records"),
    )
    sizes = {name: len(of_split(study.asked, name)) for name in SPLITS}
    print(f"questions: {sizes}; seeds: {', '.join(p.stem for p in study.seeds)}")
    print(HEAD)
    print("| --- " * 14 + "|")
    if wanted & {"default", "rivals"}:
        found = runs_of(study, section.variant("default"), "default", chosen.runs)
    if "variants" in wanted:
        names = [n for n in chosen.variants.split(";") if n] or list(VARIANTS)
        for name in names:
            runs_of(study, section.variant(safe(name)), name, chosen.runs)
    if wanted & {"default", "rivals"}:
        rivals(study, section.variant("default"), found)
    if "budgets" in wanted:
        budgets(study, section.variant(safe("cost-aware routing")), chosen.runs)
    if "folds" in wanted:
        folds(study, section.variant("default"))


def safe(name: str) -> str:
    """A variant's name as settings allow it."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in name)
    return kept.strip("-")


VARIANTS_SAFE = {safe(name): changes for name, changes in VARIANTS.items()}

if __name__ == "__main__":
    sys.exit(main())
