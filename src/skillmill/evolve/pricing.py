"""Routing within a budget: what a question is worth spending on.

An option is a skill, or a skill cut to so many atoms. Each has a score for a question,
such as the router's, and a cost in any unit (steps run, atoms or tokens read). The
option with the highest score - price * cost is taken; the price is set on validation
questions so that the mean cost stays within the budget.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Choices = npt.NDArray[np.intp]

#: Halvings of the range of prices.
STEPS = 60


@dataclass(frozen=True, slots=True)
class Plan:
    """How questions are routed within a budget.

    Attributes
    ----------
    price : float
        Score that one unit of cost must bring.
    fixed : int or None
        The option that every question gets; None: they are routed.
    """

    price: float
    fixed: int | None = None

    def choose(self, scores: Floats, costs: Floats) -> Choices:
        """Option of each question, (q,); of equals the cheaper, then the first.

        Parameters
        ----------
        scores : (q, o) floats
        costs : (o,) floats
            What an option costs on average.
        """
        if self.fixed is not None:
            return np.full(len(scores), self.fixed, dtype=np.intp)
        return _best(scores, costs, self.price)


def cheapest_fixed(rewards: Floats, costs: Floats, budget: float) -> int | None:
    """The option with the highest mean reward that costs at most the budget.

    Parameters
    ----------
    rewards : (o, q) floats
    costs : (o,) floats

    Returns
    -------
    int or None
        Of equal means the cheapest, then the first; None if all cost more.
    """
    means = np.round(np.asarray(rewards).mean(axis=1), 6)
    within = np.flatnonzero(costs <= budget + 1e-9)
    if not len(within):
        return None
    return int(min(within, key=lambda option: (-means[option], costs[option], option)))


def plan_within(
    scores: Floats,
    rewards: Floats,
    costs: Floats,
    budget: float,
    caution: float = 0.0,
) -> Plan | None:
    """The plan for a budget, set on validation questions.

    Parameters
    ----------
    scores : (q, o) floats
    rewards : (o, q) floats
        Of the same questions; they decide between routing and one option for all.
    costs : (o,) floats
        At least 0.
    budget : float
        The most that a question may cost in the mean.
    caution : float
        Standard errors of the paired difference that routing must be ahead by, and
        more; at 0 it may also be even.

    Returns
    -------
    Plan or None
        The lowest price at which routing stays within the budget, or the best single
        option within it where routing is not ahead of that. None if every option costs
        more.
    """
    fixed = cheapest_fixed(rewards, costs, budget)
    if fixed is None:
        return None
    routed = Plan(_price(scores, costs, budget))
    choices = routed.choose(scores, costs)
    apart = rewards[choices, np.arange(len(choices))] - rewards[fixed]
    error = float(apart.std(ddof=1)) / len(apart) ** 0.5 if len(apart) > 1 else 0.0
    ahead = round(float(apart.mean()) - caution * error, 6)
    if ahead < 0 or (caution and ahead == 0):
        return Plan(0.0, fixed)
    return routed


def _price(scores: Floats, costs: Floats, budget: float) -> float:
    """The lowest price at which the mean cost is within the budget.

    The mean cost falls as the price rises, so the range is halved.
    """

    def within(price: float) -> bool:
        return float(costs[_best(scores, costs, price)].mean()) <= budget + 1e-9

    if within(0.0):
        return 0.0
    distinct = np.unique(costs)
    least = float(np.diff(distinct).min())
    low, high = 0.0, float(np.ptp(scores)) / least + 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if within(middle) else (middle, high)
    return high


def _best(scores: Floats, costs: Floats, price: float) -> Choices:
    """The best option of each question at a price."""
    order = np.lexsort((np.arange(len(costs)), costs))
    net = np.round(scores - price * costs, 9)[:, order]
    found: Choices = order[np.argmax(net, axis=1)]
    return found
