"""Routing within a budget, worked by hand."""

import numpy as np
import pytest

from skillmill.evolve.pricing import Plan, cheapest_fixed, plan_within

#: Option 0 is cheap, option 1 dear and better for questions 0 and 1.
COSTS = np.array([1.0, 4.0])
SCORES = np.array([[0.0, 9.0], [0.0, 6.0], [0.0, 3.0], [0.0, 0.0]])
REWARDS = np.array([[0.2, 0.4, 0.5, 0.7], [1.0, 1.0, 0.6, 0.7]])


def test_with_money_enough_each_question_gets_its_best_option():
    plan = plan_within(SCORES, REWARDS, COSTS, budget=4)
    assert plan == Plan(0.0)
    # The last question has equal scores and takes the cheaper option.
    assert plan.choose(SCORES, COSTS).tolist() == [1, 1, 1, 0]


def test_a_budget_is_spent_where_it_brings_most():
    # Mean cost 2.5 buys the dear option twice: (4 + 4 + 1 + 1) / 4. A price above
    # 3 / 3 turns question 2 away, one below 6 / 3 keeps question 1.
    plan = plan_within(SCORES, REWARDS, COSTS, budget=2.5)
    assert plan.price == pytest.approx(1.0)
    assert plan.choose(SCORES, COSTS).tolist() == [1, 1, 0, 0]


def test_one_option_for_all_is_taken_where_routing_does_worse():
    misled = SCORES[::-1]
    # Routing would spend on questions 2 and 3: (.2 + .4 + .6 + .7) / 4 = .475, where
    # the cheap option has .45 and, costing the same, an option of 2.5 has .8.
    costs = np.array([1.0, 4.0, 2.5])
    scores = np.column_stack([misled, np.full(4, -9.0)])
    rewards = np.vstack([REWARDS, np.full(4, 0.8)])
    plan = plan_within(scores, rewards, costs, budget=2.5)
    assert plan == Plan(0.0, fixed=2)
    assert plan.choose(scores, costs).tolist() == [2, 2, 2, 2]


def test_a_budget_below_every_option_has_no_plan():
    assert plan_within(SCORES, REWARDS, COSTS, budget=0.5) is None
    assert cheapest_fixed(REWARDS, COSTS, 0.5) is None


def test_the_cheapest_fixed_option_is_the_best_that_fits():
    assert cheapest_fixed(REWARDS, COSTS, 1.0) == 0
    assert cheapest_fixed(REWARDS, COSTS, 4.0) == 1
    same = np.array([[0.5], [0.5], [0.5]])
    assert cheapest_fixed(same, np.array([2.0, 1.0, 1.0]), 2.0) == 1


def test_options_of_one_price_are_free_to_choose():
    plan = plan_within(SCORES, REWARDS, np.array([2.0, 2.0]), budget=2)
    assert plan == Plan(0.0)


def test_with_caution_routing_must_be_ahead_by_so_many_standard_errors():
    """Routing gives question 1 the dear option; the others stay with the cheap one."""
    costs = np.array([1.0, 5.0])
    scores = np.array([[0.0, -9.0], [0.0, 6.0], [0.0, -9.0], [0.0, -9.0]])
    rewards = np.array([[0.5, 0.2, 0.5, 0.5], [0.0, 1.0, 0.0, 0.0]])
    # Gains 0, .8, 0, 0: mean .2, and the standard error is .4 / 2 = .2.
    assert plan_within(scores, rewards, costs, 2.0, caution=0.99).fixed is None
    assert plan_within(scores, rewards, costs, 2.0, caution=1.0).fixed == 0
    assert plan_within(scores, rewards, costs, 2.0).fixed is None
