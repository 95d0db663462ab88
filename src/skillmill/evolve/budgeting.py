"""Routing within shares of the best skill's cost, beside the best fixed skills."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.evolve.measuring import Measured, Run
from skillmill.evolve.pricing import cheapest_fixed, plan_within
from skillmill.evolve.prior_router import Vectors
from skillmill.evolve.rollouts import Arena
from skillmill.evolve.router import Router
from skillmill.evolve.state import State
from skillmill.evolve.table import Floats
from skillmill.types import RetrievalSkill

#: Standard errors by which routing must be ahead on validation, or one skill is taken.
CAUTION = 2.0


@dataclass(frozen=True)
class Spent:
    """Mean steps of an arm on some questions, as a share of the best skill's."""

    arm: str
    questions: tuple[str, ...]
    steps: tuple[float, ...]

    def share(self, questions: Sequence[str]) -> float:
        """Mean over some of the questions."""
        known = dict(zip(self.questions, self.steps, strict=True))
        return round(float(np.mean([known[q] for q in questions])), 6)


def options_of(state: State) -> tuple[RetrievalSkill, ...]:
    """Of each number of steps the explored skill that is best on validation.

    Shorter ones first; of equals the oldest. Longer programs than the best of all are
    left out: they cost more and find less.
    """
    means = state.validation.utilities()
    best: dict[int, str] = {}
    for name in state.validation.skills:
        length = len(state.trie[name].skill.program)
        if length not in best or means[name] > means[best[length]]:
            best[length] = name
    most = len(state.trie[state.validation.best_single()].skill.program)
    return state.skills([best[n] for n in sorted(best) if n <= most])


def measured_budgets(
    run: Run,
    arena: Arena,
    train: Sequence[str],
    questions: Sequence[str],
    shares: Sequence[float],
    rng: np.random.Generator,
) -> tuple[Measured, list[Spent]]:
    """Arms `<run>:within-<share>%` and `<run>:fixed-within-<share>%`.

    A router of the run's settings learns which option (`options_of`) is for which
    training question; each option's cost is behind the vector of its markdown. Prices,
    and whether to route at all, are set on validation (`pricing.plan_within`). A share
    that pays for no option has no arms.

    Parameters
    ----------
    arena : Arena
        It knows the questions of training, validation and `questions`.
    shares : sequence of floats
        Of the steps of the option that is best on validation.
    """
    skills = options_of(run.state)
    costs = np.array([len(skill.program) for skill in skills], dtype=float)
    val = run.ground.validation
    held = np.array([arena.rewards(skill, val) for skill in skills])
    gained = np.array([arena.rewards(skill, questions) for skill in skills])
    score = _scorer(run, arena, skills, costs, train, rng)
    scores, asked = score(val), score(questions)
    top = costs[int(held.mean(axis=1).round(6).argmax())]
    rewards: dict[str, dict[str, float]] = {}
    spent = []
    for share in shares:
        fixed = cheapest_fixed(held, costs, share * top)
        plan = plan_within(scores, held, costs, share * top, CAUTION)
        if fixed is None or plan is None:
            continue
        for arm, chosen in (
            (within(run.name, share), plan.choose(asked, costs)),
            (fixed_within(run.name, share), np.full(len(questions), fixed)),
        ):
            values = gained[chosen, np.arange(len(questions))]
            rewards[arm] = dict(zip(questions, values.tolist(), strict=True))
            told = tuple((costs[chosen] / top).tolist())
            spent.append(Spent(arm, tuple(questions), told))
    more = len(skills) * len(train)
    return Measured(rewards, dict.fromkeys(rewards, run.rollouts + more)), spent


def within(run: str, share: float) -> str:
    """The arm that is routed within a share of the cost."""
    return f"{run}:within-{100 * share:g}%"


def fixed_within(run: str, share: float) -> str:
    """The best skill that costs no more, for every question."""
    return f"{run}:fixed-within-{100 * share:g}%"


def _scorer(
    run: Run,
    arena: Arena,
    skills: Sequence[RetrievalSkill],
    costs: Floats,
    train: Sequence[str],
    rng: np.random.Generator,
) -> Callable[[Sequence[str]], Floats]:
    """Scores of every option for questions, by a router trained on training ones."""
    vectors = run.ground.skill_vectors(skills)
    offered = np.concatenate([vectors, costs[:, None] / costs.max()], axis=1)
    offered = offered.astype(np.float32)

    def asked(questions: Sequence[str]) -> Vectors:
        rows = [run.ground.question_vectors[q] for q in questions]
        return np.array(rows, dtype=np.float32)

    rewards = np.array([arena.rewards(skill, train) for skill in skills])
    settings = run.ground.router_settings
    router = run.ground.routing.train(asked(train), offered, rewards, settings, rng)
    if not isinstance(router, Router):
        raise TypeError("only a learned router scores options for a budget")
    return lambda questions: router.scores(asked(questions), offered)
