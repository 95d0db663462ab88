"""The deploy frontier: which skills the router may choose from (ERSkill, 2.4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.compute.frontier import accepts
from skillmill.evolve.filtering import on_frontier
from skillmill.evolve.prior_router import Router, picks
from skillmill.evolve.proposals import Choice
from skillmill.evolve.state import Ground, Rules, State
from skillmill.evolve.table import DECIMALS, RewardTable


@dataclass(frozen=True, slots=True)
class Deployment:
    """What became of the deploy frontier in a step.

    `gain` is the routed gain of the candidate set, None where none was tried; `tried`
    is that set.
    """

    deploy: tuple[str, ...]
    tried: tuple[str, ...] = ()
    accepted: bool = False
    gain: float | None = None
    reason: str = ""


def route(
    ground: Ground,
    state: State,
    router: Router,
    skills: Sequence[str],
    questions: Sequence[str],
) -> list[Choice]:
    """Which of some skills each question goes to."""
    vectors = ground.skill_vectors(state.skills(skills))
    asked = np.array([ground.question_vectors[q] for q in questions], dtype=np.float32)
    if not questions:
        return []
    shares = router.probabilities(asked, vectors)
    chosen = picks(router, asked, vectors)
    return [
        Choice(question, skills[pick], round(float(shares[n, pick]), DECIMALS))
        for n, (question, pick) in enumerate(zip(questions, chosen, strict=True))
    ]


def routed_mean(choices: Sequence[Choice], table: RewardTable) -> float:
    """Mean reward of the choices, looked up in a table (appendix D.3); 0 without."""
    if not choices:
        return 0.0
    column = {question: n for n, question in enumerate(table.queries)}
    row = {skill: n for n, skill in enumerate(table.skills)}
    found = [table.rewards[row[one.skill], column[one.query]] for one in choices]
    return round(float(np.mean(found)), DECIMALS)


def updated(
    ground: Ground, state: State, router: Router, entered: Sequence[str], rules: Rules
) -> Deployment:
    """Try the deploy frontier with the skills that entered the capability frontier.

    `state` has the validation table and trie of this step, and the old deploy set.
    Algorithm 1, lines 16 to 27.
    """

    def routed(skills: Sequence[str]) -> float:
        choices = route(ground, state, router, skills, state.validation.queries)
        return routed_mean(choices, state.validation)

    pool = state.validation.only([*state.deploy, *entered])
    candidate = on_frontier(pool, keep_best=rules.keep_best)
    before = routed(state.deploy)
    if rules.gate == "best-single":
        candidate = _trusted(candidate, state.validation, routed)
    gain = round(routed(candidate) - before, DECIMALS)
    taken = accepts(
        gain,
        size=len(candidate),
        old_size=len(state.deploy),
        margin=rules.margin,
        tolerance=rules.tolerance,
    )
    told = f"routed {before:.4f} {gain:+.4f}, {len(state.deploy)} to {len(candidate)}"
    kept = candidate if taken else state.deploy
    return Deployment(kept, candidate, taken, gain, told)


def _trusted(
    candidate: tuple[str, ...],
    validation: RewardTable,
    routed: Callable[[Sequence[str]], float],
) -> tuple[str, ...]:
    """The largest set, weakest skills left out one by one, that routes no worse.

    No worse than its best skill does alone; a set of one skill always is.
    """
    means = validation.utilities()
    left = list(candidate)
    while len(left) > 1 and routed(left) < max(means[skill] for skill in left):
        # Of equals the newest goes, as in Phi.
        left.remove(min(reversed(left), key=lambda skill: means[skill]))
    return tuple(left)
