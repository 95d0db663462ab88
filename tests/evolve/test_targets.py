"""What the router learns from, worked by hand."""

import numpy as np
import pytest

from skillmill.evolve.targets import cost_aware, soft_targets, utilities

NAN = np.nan


def test_targets_are_the_softmax_of_the_rewards_of_a_question():
    # Two skills, two questions. e^1 / (e^1 + e^0) = 0.731059; equal rewards: halves.
    rewards = np.array([[1.0, 0.4], [0.0, 0.4]])
    targets = soft_targets(rewards, temperature=1.0)
    assert targets == pytest.approx(
        np.array([[0.731059, 0.268941], [0.5, 0.5]]), abs=1e-6
    )


def test_a_low_temperature_sharpens_the_targets():
    # Rewards .9, .7, .7 at temperature .1: e^9 : e^7 : e^7 = 1 : e^-2 : e^-2.
    targets = soft_targets(np.array([[0.9], [0.7], [0.7]]), temperature=0.1)
    rest = np.exp(-2)
    assert targets[0] == pytest.approx(np.array([1, rest, rest]) / (1 + 2 * rest))


def test_a_skill_that_was_not_run_has_no_share_and_takes_none():
    targets = soft_targets(np.array([[1.0], [NAN], [0.0]]), temperature=1.0)
    assert targets[0] == pytest.approx([0.731059, 0.0, 0.268941], abs=1e-6)
    assert soft_targets(np.array([[NAN], [NAN]]), 1.0).tolist() == [[0.0, 0.0]]


def test_large_rewards_over_a_small_temperature_do_not_overflow():
    targets = soft_targets(np.array([[1.0], [0.0]]), temperature=1e-4)
    assert targets.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("temperature", [0.0, -1.0, NAN])
def test_a_temperature_that_is_not_above_zero_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be above 0"):
        soft_targets(np.ones((1, 1)), temperature)


def test_utilities_of_a_full_table_are_its_means():
    rewards = np.array([[1.0, 0.0, 0.5], [0.2, 0.2, 0.2]])
    assert utilities(rewards) == pytest.approx([0.5, 0.2])


def test_a_skill_that_met_easy_questions_alone_is_not_flattered():
    # Question 0 is easy (1), question 1 hard (0). Skill 0 met both, skill 1 the easy
    # one, skill 2 the hard one; on each question all do equally well. Over the four
    # known values the mean is 2 / 4 = 0.5, and so is the utility of each.
    rewards = np.array([[1.0, 0.0], [1.0, NAN], [NAN, 0.0]])
    assert utilities(rewards) == pytest.approx([0.5, 0.5, 0.5])


def test_a_skill_that_was_never_run_has_the_mean_of_all():
    assert utilities(np.array([[1.0, 0.0], [NAN, NAN]])) == pytest.approx([0.5, 0.5])
    assert utilities(np.array([[NAN, NAN]])).tolist() == [0.0]
    assert utilities(np.zeros((2, 0))).tolist() == [0.0, 0.0]


def test_a_price_turns_cost_into_reward():
    rewards, costs = np.array([[0.8], [0.6]]), np.array([[1.0], [0.25]])
    assert cost_aware(rewards, costs, 0.4) == pytest.approx(np.array([[0.4], [0.5]]))
    with pytest.raises(ValueError, match="price must be at least 0"):
        cost_aware(rewards, costs, -0.1)
