"""What a router learns from: targets, utilities and costs of a table of rewards.

Tables are (skills, questions); nan tells that the skill was not run on the question.
They may hold many steps: a question of a step is a column, with values for the skills
of that step alone (the window of rollout instances of ERSkill).
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def soft_targets(rewards: Floats, temperature: float) -> Floats:
    """The distribution over skills that a router should give for each question.

    Parameters
    ----------
    rewards : (s, q) floats
        In [0, 1]; nan where a skill was not run.
    temperature : float
        Above 0. At 1, the paper's, rewards in [0, 1] differ by a factor e at most.

    Returns
    -------
    (q, s) floats
        Rows add up to 1, with 0 for skills that were not run; rows without any reward
        are 0 throughout.

    Notes
    -----
    ERSkill, section 2.4, router update: softmax of the rewards over the skills of that
    rollout.
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    scaled = np.asarray(rewards, dtype=np.float64).T / temperature
    return masked_softmax(scaled, ~np.isnan(scaled))


def masked_softmax(logits: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Softmax of each row over the places that count, 0 elsewhere."""
    kept = np.where(known, logits, -np.inf)
    top = np.max(kept, axis=1, keepdims=True, initial=-np.inf)
    powers = np.exp(kept - np.where(np.isfinite(top), top, 0.0))
    total = powers.sum(axis=1, keepdims=True)
    spread: Floats = np.divide(
        powers, total, out=np.zeros_like(powers), where=total > 0
    )
    return spread


def utilities(rewards: Floats) -> Floats:
    """Mean reward of each skill, made fair to those that were run on hard questions.

    Parameters
    ----------
    rewards : (s, q) floats
        nan where a skill was not run.

    Returns
    -------
    (s,) floats
        Least squares of reward = question + skill over the known values, anchored so
        that the mean over known values is kept. For a full table these are the means;
        for a skill that was never run it is the mean of all.

    Notes
    -----
    A plain mean over a window compares a skill of easy batches with one of hard ones.
    """
    table = np.asarray(rewards, dtype=np.float64)
    known = ~np.isnan(table)
    if not known.any():
        return np.zeros(len(table))
    values = np.where(known, table, 0.0)
    asked = known.sum(axis=0)
    used = asked > 0
    values, known, asked = values[:, used], known[:, used].astype(float), asked[used]
    # Questions are eliminated from the normal equations; what is left is a Laplacian.
    left = np.diag(known.sum(axis=1)) - (known / asked) @ known.T
    right = values.sum(axis=1) - (known / asked) @ values.sum(axis=0)
    effect = np.linalg.pinv(left, hermitian=True) @ right
    run = known.sum(axis=1)
    overall = values.sum() / known.sum()
    found: Floats = overall + np.where(run > 0, effect - effect @ run / run.sum(), 0.0)
    return found


def cost_aware(rewards: Floats, costs: Floats, price: float) -> Floats:
    """Rewards less what they cost: reward - price * cost.

    Parameters
    ----------
    rewards, costs : (s, q) floats
        Costs in any unit, such as the share of the dearest skill's.
    price : float
        What one unit of cost counts in reward, at least 0.
    """
    if price < 0:
        raise ValueError(f"price must be at least 0, got {price}")
    found: Floats = np.asarray(rewards) - price * np.asarray(costs)
    return found
