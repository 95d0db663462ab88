"""Routing within shares of the best skill's steps, on evolution's own states."""

from dataclasses import replace

import numpy as np
import pytest

from skillmill.evolve import router as learned
from skillmill.evolve.budgeting import (
    Spent,
    fixed_within,
    measured_budgets,
    options_of,
    within,
)
from skillmill.evolve.measuring import Measured, Run, paired
from tests.evolve.ground import ground, questions
from tests.evolve.test_step import OURS, evolved

SHARES = (0.01, 0.5, 1.0)


@pytest.fixture(scope="module")
def run():
    """A run whose router is learned from random vectors of the questions."""
    where = ground()
    rng = np.random.default_rng(1)
    vectors = {q: rng.normal(size=4).astype(np.float32) for q in where.arena.asked}
    settings = learned.RouterSettings(width=4, hidden=4, epochs=3, prior=1.0)
    where = replace(
        where, routing=learned, question_vectors=vectors, router_settings=settings
    )
    return Run("v#0", evolved(OURS, where)[-1], where)


def test_options_are_the_best_of_each_length_up_to_the_best_of_all(run):
    options = options_of(run.state)
    lengths = [len(one.program) for one in options]
    means = run.state.validation.utilities()
    for option in options:
        same = [
            means[name]
            for name in run.state.validation.skills
            if len(run.state.trie[name].skill.program) == len(option.program)
        ]
        assert means[option.content_hash] == max(same)
    assert lengths == sorted(set(lengths))
    assert options[-1].content_hash == run.state.validation.best_single()


def test_no_more_is_spent_on_validation_than_each_share_allows(run):
    arena, val = run.ground.arena, run.ground.validation
    train = questions(arena, "train")
    rng = np.random.default_rng(0)
    done, spent = measured_budgets(run, arena, train, val, SHARES, rng)
    # A hundredth of the steps pays for no program.
    assert set(done.rewards) == {
        f"v#0:{kind}within-{share}%" for kind in ("", "fixed-") for share in (50, 100)
    }
    steps = {one.arm: one.share(val) for one in spent}
    for share in SHARES[1:]:
        assert steps[within("v#0", share)] <= share
        assert steps[fixed_within("v#0", share)] <= share
        mine, fixed = (
            np.mean(list(done.rewards[arm].values()))
            for arm in (within("v#0", share), fixed_within("v#0", share))
        )
        # Where routing does worse on validation, the fixed skill is taken.
        assert mine >= fixed - 1e-9
    best = run.state.validation.utilities()[run.state.validation.best_single()]
    whole = done.rewards[fixed_within("v#0", 1.0)]
    assert np.mean(list(whole.values())) == pytest.approx(best)
    assert done.rollouts[within("v#0", 1.0)] == run.rollouts + 9 * len(
        options_of(run.state)
    )
    pairs = {value.arm for value in paired(done.scores("recall", 3), ["v#0"])}
    assert pairs == {
        f"v#0:within-{share}% - v#0:fixed-within-{share}%" for share in (50, 100)
    }


def test_a_router_without_scores_has_no_budgets(run):
    plain = replace(run, ground=ground(run.ground.arena))
    with pytest.raises(TypeError, match="learned router"):
        measured_budgets(
            plain, run.ground.arena, run.ground.validation, run.ground.validation,
            (1.0,), np.random.default_rng(0),
        )  # fmt: skip


def test_spent_is_the_mean_over_the_questions_asked_for():
    spent = Spent("a", ("q", "r", "s"), (0.5, 1.0, 0.25))
    assert spent.share(["q", "r"]) == 0.75
    assert spent.share(["s"]) == 0.25


def test_arms_without_a_budget_have_no_pair():
    values = Measured({"v#0:best": {"q": 1.0}}, {}).scores("recall", 3)
    assert paired(values, ["v#0"]) == []
