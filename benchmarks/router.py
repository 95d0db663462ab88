"""Routers against their cheapest rivals on LoCoMo; prints tables, asserts nothing.

    skillmill run --configfile configs/locomo.yaml memory
    OMP_NUM_THREADS=1 python benchmarks/router.py --study locomo

Reward: recall at 10 atoms. Routers and utilities learn from the training conversations;
what is chosen is chosen on the validation ones; all else is test. No figure of it was
used to set a default.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from router_study import K, Table, read_table

from skillmill.compute.frontier import frontier
from skillmill.compute.statistics import paired_difference
from skillmill.evolve.pricing import cheapest_fixed, plan_within
from skillmill.evolve.prior_router import picks
from skillmill.evolve.router import Router, RouterSettings, train

SPLITS = {
    "train": ("conv-26", "conv-30"),
    "val": ("conv-42", "conv-43"),
    "test": ("conv-47", "conv-48", "conv-50"),
}
VARIANTS: Mapping[str, tuple[RouterSettings, bool]] = {
    "paper (temperature 1)": (RouterSettings(), False),
    "temperature .1": (RouterSettings(temperature=0.1), False),
    "confidence": (RouterSettings(), True),
    "prior 1": (RouterSettings(prior=1.0), False),
    "prior 3": (RouterSettings(prior=3.0), False),
    "temperature .1, prior 3": (RouterSettings(temperature=0.1, prior=3.0), False),
    "prior 3, confidence": (RouterSettings(prior=3.0), True),
}
SHARES = (0.4, 0.6, 0.8, 1.0)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--study", default="locomo")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--records", type=Path, default=Path("records"))
    parser.add_argument("--longest", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    folder = asked.results / asked.study / "memory"
    table = read_table(folder, asked.records, asked.longest)
    split = {name: np.isin(table.homes, homes) for name, homes in SPLITS.items()}
    sizes = {name: int(mask.sum()) for name, mask in split.items()}
    print(f"{len(table.programs)} programs, questions {sizes}")
    for name, rows in skill_sets(table, split).items():
        print_routers(name, rows, table, split, asked.seeds)
    print_left_out(table)
    print_budgets(table, split, asked.seeds)


def skill_sets(table: Table, split: Mapping[str, np.ndarray]) -> dict[str, list[int]]:
    """The seeds, and what Phi keeps of all programs on validation."""
    seeds = [table.programs.index(letter) for letter in "DLE"]
    val = table.rewards[:, split["val"]]
    return {
        "seeds": seeds,
        "Phi of all programs": list(frontier(val)),
        "Phi that keeps the best": list(frontier(val, keep_best=True)),
    }


def asked_vectors(table: Table, *, sure: bool) -> np.ndarray:
    """What a router reads of each question."""
    parts = [table.questions, table.sure] if sure else [table.questions]
    return np.concatenate(parts, axis=1).astype(np.float32)


def trained(
    table: Table,
    rows: Sequence[int],
    columns: np.ndarray,
    variant: tuple[RouterSettings, bool],
    seed: int,
) -> Router:
    """A router of some programs, trained on some questions."""
    settings, sure = variant
    questions = asked_vectors(table, sure=sure)[columns]
    rewards = table.rewards[rows][:, columns]
    rng = np.random.default_rng(seed)
    return train(questions, table.skills[rows], rewards, settings, rng)


def print_routers(
    name: str,
    rows: list[int],
    table: Table,
    split: Mapping[str, np.ndarray],
    seeds: int,
) -> None:
    """One skill set: rivals, then every router with its differences."""
    val, test = table.rewards[rows][:, split["val"]], table.rewards[:, split["test"]]
    mine = test[rows]
    best = int(val.mean(axis=1).round(6).argmax())
    three = [table.programs.index(letter) for letter in "DLE"]
    seed = three[int(table.rewards[three][:, split["val"]].mean(axis=1).argmax())]
    print(f"\n{name}: {len(rows)} skills, {', '.join(table.programs[r] for r in rows)}")
    rivals = {
        f"best seed ({table.programs[seed]})": test[seed],
        f"best in the set ({table.programs[rows[best]]})": mine[best],
        "uniform fusion of the seeds": table.fusion[split["test"]],
        "random": mine.mean(axis=0),
        "oracle": mine.max(axis=0),
    }
    for arm, values in rivals.items():
        print(f"  {arm:40s} {100 * values.mean():5.1f}")
    columns = np.arange(mine.shape[1])
    for arm, variant in VARIANTS.items():
        asked = asked_vectors(table, sure=variant[1])[split["test"]]
        routed = []
        for number in range(seeds):
            router = trained(table, rows, split["train"], variant, number)
            chosen = picks(router, asked, table.skills[rows])
            routed.append(mine[chosen, columns])
        means = [100 * values.mean() for values in routed]
        pooled = np.mean(routed, axis=0)
        told = "; ".join(
            f"minus {rival} {_difference(pooled, values)}"
            for rival, values in (("set", mine[best]), ("seed", test[seed]))
        )
        print(f"  {arm:40s} {np.mean(means):5.1f} (sd {np.std(means):.1f})  {told}")


def print_left_out(table: Table) -> None:
    """Each conversation routed by what the others taught, the skill set included."""
    print(
        "\nEach conversation left out in turn; the set is Phi of all others, keep best"
    )
    homes = np.unique(table.homes)
    names = ("paper (temperature 1)", "prior 3", "prior 3, confidence")
    found: dict[str, list[np.ndarray]] = {name: [] for name in names}
    best, seed = [], []
    for home in homes:
        out = table.homes == home
        rest = table.rewards[:, ~out]
        rows = list(frontier(rest, keep_best=True))
        three = [table.programs.index(letter) for letter in "DLE"]
        means = rest.mean(axis=1).round(6)
        mine = table.rewards[rows][:, out]
        best.append(mine[int(means[rows].argmax())])
        seed.append(table.rewards[three][int(means[three].argmax()), out])
        for name in names:
            router = trained(table, rows, ~out, VARIANTS[name], 0)
            asked = asked_vectors(table, sure=VARIANTS[name][1])[out]
            chosen = picks(router, asked, table.skills[rows])
            found[name].append(mine[chosen, np.arange(mine.shape[1])])
    single, first = np.concatenate(best), np.concatenate(seed)
    print(f"  {'best in the set':40s} {100 * single.mean():5.1f} (n = {len(single)})")
    for name in names:
        pooled = np.concatenate(found[name])
        print(
            f"  {name:40s} {100 * pooled.mean():5.1f}  minus set"
            f" {_difference(pooled, single)}; minus seed {_difference(pooled, first)}"
        )


def _difference(one: np.ndarray, other: np.ndarray) -> str:
    """A paired difference in points with its interval."""
    found = paired_difference(one, other, np.random.default_rng(0))
    mean, low, high = (100 * value for value in found)
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]"


def print_budgets(table: Table, split: Mapping[str, np.ndarray], seeds: int) -> None:
    """Recall at shares of the best skill's cost, routed and by one fixed option."""
    lengths = np.array([len(name) for name in table.programs], dtype=float)
    val = table.rewards[:, split["val"]]
    print("\nCost in steps run; options: the best program of each length on validation")
    means = val.mean(axis=1).round(6)
    options = [
        int(np.flatnonzero(lengths == length)[means[lengths == length].argmax()])
        for length in np.unique(lengths)
    ]
    rewards = table.rewards[options]
    _budgets(table, options, rewards, lengths[options], split, seeds)
    print("\nCost in atoms read; options: the best program cut to 1 .. 10 atoms")
    best = int(val.mean(axis=1).round(6).argmax())
    atoms = np.arange(1, K + 1, dtype=float)
    _budgets(table, [best] * K, table.recalls[best], atoms, split, seeds)


def _budgets(
    table: Table,
    options: Sequence[int],
    rewards: np.ndarray,
    costs: np.ndarray,
    split: Mapping[str, np.ndarray],
    seeds: int,
) -> None:
    """One table: for each share of the cost, routed against one option for all."""
    settings = RouterSettings(temperature=0.1, prior=3.0)
    vectors = np.concatenate(
        [table.skills[options], costs[:, None] / costs.max()], axis=1
    ).astype(np.float32)
    val, test = rewards[:, split["val"]], rewards[:, split["test"]]
    best = int(val.mean(axis=1).round(6).argmax())
    columns = np.arange(test.shape[1])
    for share in SHARES:
        budget = share * costs[best]
        fixed = cheapest_fixed(val, costs, budget)
        if fixed is None:
            print(f"  {share:.0%}: no option costs so little")
            continue
        found, spent, kinds = [], [], []
        for number in range(seeds):
            router = train(
                table.questions[split["train"]],
                vectors,
                rewards[:, split["train"]],
                settings,
                np.random.default_rng(number),
            )
            scores = router.scores(table.questions[split["val"]], vectors)
            plan = plan_within(scores, val, costs, budget)
            kinds.append("fixed" if plan.fixed is not None else "routed")
            scores = router.scores(table.questions[split["test"]], vectors)
            chosen = plan.choose(scores, costs)
            found.append(test[chosen, columns])
            spent.append(costs[chosen].mean() / costs[best])
        pooled = np.mean(found, axis=0)
        print(
            f"  {share:.0%}: routed {100 * pooled.mean():.1f} at {np.mean(spent):.0%}"
            f" ({'/'.join(kinds)}), fixed {table.programs[options[fixed]]}"
            f" ({costs[fixed]:g}) {100 * test[fixed].mean():.1f},"
            f" difference {_difference(pooled, test[fixed])}"
        )


if __name__ == "__main__":
    main()
