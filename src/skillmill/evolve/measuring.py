"""Every figure of evolution, question by question, beside those of its rivals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.evaluate.arms import CEILING
from skillmill.evaluate.differences import differences
from skillmill.evolve.controls import (
    best_of,
    exhaustive_search,
    greedy_cover,
    jittered_oracle,
    random_search,
    seed_fusion,
)
from skillmill.evolve.deploying import route
from skillmill.evolve.rollouts import Arena
from skillmill.evolve.state import Ground, State
from skillmill.evolve.table import RewardTable
from skillmill.types import QueryScore, RetrievalSkill

BEST_SEED, FUSION = "best-seed", "seed-fusion"
EXHAUSTIVE = "exhaustive"
#: Skills of the largest set whose oracle is compared with that of all explored ones.
SMALL_SET = 6


@dataclass(frozen=True, eq=False)
class Measured:
    """Rewards by arm and question, and rollouts that finding an arm took."""

    rewards: Mapping[str, Mapping[str, float]]
    rollouts: Mapping[str, int]

    def scores(self, metric: str, k: int | None) -> list[QueryScore]:
        """As rows of a score store."""
        return [
            QueryScore(arm, query, metric, k, value)
            for arm, values in sorted(self.rewards.items())
            for query, value in sorted(values.items())
        ]


def joined(parts: Sequence[Measured]) -> Measured:
    """All arms of several."""
    return Measured(
        {arm: row for one in parts for arm, row in one.rewards.items()},
        {arm: n for one in parts for arm, n in one.rollouts.items()},
    )


@dataclass(frozen=True, eq=False)
class Run:
    """The last state of one run of a variant, and what it ran on."""

    name: str
    state: State
    ground: Ground

    @property
    def rollouts(self) -> int:
        """Pairs of skill and question of training and validation."""
        return sum(row.rollouts for row in self.state.history)


def measured_run(
    run: Run, arena: Arena, questions: Sequence[str], rng: np.random.Generator
) -> Measured:
    """Arms of one run: `<run>:best` and `:routed`, its random pick and its oracles.

    The best deployed skill is chosen on validation. `arena` knows all questions.
    """
    state, name = run.state, run.name
    deployed = state.skills(state.deploy)
    rows = {s.content_hash: arena.rewards(s, questions) for s in deployed}
    table = RewardTable.of_rows(rows, questions)
    best = state.validation.only(state.deploy).best_single()
    found = {
        f"{name}:best": table.row(best),
        f"{name}:random-pick": table.rewards.mean(axis=0),
        f"{CEILING}{name}:deploy-oracle": table.profile(),
    }
    rewards = {
        arm: dict(zip(questions, values.tolist(), strict=True))
        for arm, values in found.items()
    }
    router = run.ground.loaded(state)
    if router is not None:
        column = {query: n for n, query in enumerate(questions)}
        choices = route(run.ground, state, router, state.deploy, questions)
        rewards[f"{name}:routed"] = {
            one.query: float(table.row(one.skill)[column[one.query]]) for one in choices
        }
    skill = state.trie[best].skill
    copies = len(state.deploy)
    jitter = jittered_oracle(arena, skill, questions, copies, rng)
    rewards[f"{CEILING}{name}:jitter-oracle"] = jitter
    for arm, row in _validated(state).items():
        rewards[f"{CEILING}{name}:{arm}"] = row
    return Measured(rewards, {f"{name}:best": run.rollouts})


def _validated(state: State) -> dict[str, dict[str, float]]:
    """Oracles that validation alone can tell: of all explored, and of a small set."""
    whole = state.validation
    able = whole.only(state.capability)
    few = whole.only(greedy_cover(able, SMALL_SET))
    return {
        arm: dict(zip(whole.queries, table.profile().tolist(), strict=True))
        for arm, table in (
            ("explored-oracle", whole),
            ("capability-oracle", able),
            (f"oracle-of-{SMALL_SET}", few),
        )
    }


def measured_rivals(
    seeds: Sequence[RetrievalSkill],
    arena: Arena,
    validation: Sequence[str],
    questions: Sequence[str],
    longest: int,
    budgets: Mapping[str, int],
    rng: Callable[[str], np.random.Generator],
) -> Measured:
    """Seeds, their fusion, all legal paths, and both searches at equal rollouts.

    `budgets` holds the rollouts of each run that rivals may spend, by its name.
    """
    chosen = {f"seed:{seed.name}": seed for seed in seeds}
    chosen[BEST_SEED] = best_of(arena, seeds, validation)
    chosen[FUSION] = seed_fusion(seeds)
    whole = exhaustive_search(arena, longest, validation)
    chosen[EXHAUSTIVE] = whole.skill
    rollouts = {EXHAUSTIVE: whole.rollouts}
    for name, budget in budgets.items():
        first = exhaustive_search(arena, longest, validation, budget)
        drawn = random_search(arena, longest, validation, budget, rng(name))
        for arm, found in (("exhaustive-first", first), ("random-search", drawn)):
            chosen[f"{name}:{arm}"] = found.skill
            rollouts[f"{name}:{arm}"] = found.rollouts
    rewards = {
        arm: dict(zip(questions, arena.rewards(skill, questions), strict=True))
        for arm, skill in chosen.items()
    }
    return Measured(rewards, rollouts)


def paired(values: Sequence[QueryScore], runs: Sequence[str]) -> list[QueryScore]:
    """Each run against its rivals, question by question."""
    figures = {(value.metric, value.k) for value in values}
    budgets: dict[str, set[str]] = {}
    for arm in {value.arm for value in values}:
        name, _, rest = arm.rpartition(":")
        if rest.startswith("within-"):
            budgets.setdefault(name, set()).add(rest)
    pairs = []
    for name in runs:
        best, routed = f"{name}:best", f"{name}:routed"
        rivals = (f"{name}:exhaustive-first", f"{name}:random-search")
        pairs += [(best, rival) for rival in (BEST_SEED, FUSION, EXHAUSTIVE, *rivals)]
        pairs += [(routed, rival) for rival in (best, BEST_SEED, EXHAUSTIVE)]
        pairs += [
            (f"{name}:{arm}", f"{name}:fixed-{arm}")
            for arm in sorted(budgets.get(name, ()))
        ]
    return differences(values, pairs, figures)


def stability(
    measured: Measured, variants: Mapping[str, Sequence[str]], questions: Sequence[str]
) -> dict[tuple[str, str], tuple[int, float]]:
    """Mean, standard deviation and its share of the mean, over runs (ERSkill, table 2).

    Parameters
    ----------
    variants : mapping
        Variant -> names of its runs; one with a single run has a mean alone.

    Returns
    -------
    dict
        (`<variant>:best` or `:routed`, `mean`, `sd` or `cv`) -> (runs, value); the
        standard deviation is that of a sample.
    """
    found = {}
    for variant, runs in variants.items():
        for arm in ("best", "routed"):
            rows = [measured.rewards.get(f"{run}:{arm}") for run in runs]
            means = [np.mean([row[q] for q in questions]) for row in rows if row]
            if not means or not questions:
                continue
            mean = float(np.mean(means))
            values = {"mean": mean}
            if len(means) > 1:
                values["sd"] = float(np.std(means, ddof=1))
                values["cv"] = values["sd"] / mean if mean else 0.0
            for name, value in values.items():
                found[f"{variant}:{arm}", name] = len(means), round(value, 6)
    return found
