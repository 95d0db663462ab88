"""Frontiers of skills over rewards: what may be dropped without losing anything.

Rows are skills in the order in which they were added, columns are queries. The numbers
returned are row numbers, ascending.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = tuple[int, ...]

#: Mean rewards are rounded so before they are compared.
DECIMALS = 6


def frontier(rewards: npt.ArrayLike, *, keep_best: bool = False) -> Rows:
    """Rows that stay when what others cover is dropped (ERSkill, operator Phi).

    Skills are looked at from the lowest mean reward up, of equals the newest (the last
    row) first. A skill is dropped if on every query some other that is still there has
    at least its reward.

    Parameters
    ----------
    rewards : (s, q) floats
        In [0, 1].
    keep_best : bool
        Whether the skill with the highest mean reward, of equals the oldest, stays
        even if others together cover it.

    Returns
    -------
    tuple of int
        Without queries nothing tells skills apart, and the oldest stays.

    Raises
    ------
    ValueError
        If a reward is not in [0, 1].
    """
    values = _checked(rewards)
    means = utilities(values)
    order = weakest_first(means)
    safe = {order[-1]} if keep_best and order else set()
    active = np.ones(len(values), dtype=bool)
    for row in order:
        active[row] = False
        covered = active.any() and bool(
            (values[active].max(axis=0, initial=0.0) >= values[row]).all()
        )
        active[row] = not covered or row in safe
    return tuple(np.flatnonzero(active).tolist())


def utilities(rewards: Floats) -> Floats:
    """Mean reward of each row, rounded to six decimals; 0 without queries."""
    if not rewards.shape[1]:
        return np.zeros(len(rewards))
    means: Floats = np.round(rewards.mean(axis=1), DECIMALS)
    return means


def weakest_first(means: Floats) -> list[int]:
    """Rows by mean, ascending; of equals the last row first."""
    return sorted(range(len(means)), key=lambda row: (means[row], -row))


def accepts(
    gain: float, *, size: int, old_size: int, margin: float, tolerance: float
) -> bool:
    """Whether a candidate deploy frontier replaces the old one (Algorithm 1, line 20).

    `gain` is its routed performance minus the old one's. It is taken if the gain is at
    least `margin` (gamma), or if it is no larger than the old one and loses at most
    `tolerance` (xi).
    """
    gain = round(gain, DECIMALS)
    return gain >= margin or (gain >= -tolerance and size <= old_size)


def cannot_enter(known: Floats, candidate: Sequence[float | None]) -> bool:
    """Whether a candidate is dropped by `frontier` whatever its missing rewards are.

    Parameters
    ----------
    known : (s, q) floats
        Rewards of skills that are older than the candidate, complete.
    candidate : sequence of q floats or None
        Its rewards, None where it was not rolled out.

    Notes
    -----
    Let U be the candidate's mean with 1 for what is missing, and A the known skills
    whose mean is at least U. In `frontier` all of A is looked at after the candidate:
    their means are at least its own, and they are older. So when it is its turn, A is
    there; if A reaches its reward, or 1 where it is missing, on every query, it is
    dropped. Until then its presence changed nothing: whatever it covers, A covers, and
    A is there too. So leaving it out from the start gives the same frontier of the
    others. With `keep_best` nothing changes: A is not empty, so the candidate is not
    the best.
    """
    values = np.array([1.0 if one is None else one for one in candidate])
    if not len(values):
        return len(known) > 0
    bound = np.round(values.mean(), DECIMALS)
    strong = known[utilities(known) >= bound]
    if not len(strong):
        return False
    return bool((strong.max(axis=0) >= values).all())


def race_order(known: Floats) -> list[int]:
    """Queries in the order in which a candidate is rolled out when it races.

    First where the known skills leave most to be won, for there it may enter; then
    where they do worst on average, for there its bound falls fastest. Ties by number.
    """
    best = known.max(axis=0, initial=0.0).round(DECIMALS)
    mean = known.mean(axis=0).round(DECIMALS) if len(known) else best
    found: list[int] = np.lexsort((mean, best)).tolist()
    return found


def _checked(rewards: npt.ArrayLike) -> Floats:
    """Rewards as a matrix, rounded, or a refusal."""
    given: Floats = np.array(rewards, dtype=np.float64)
    values: Floats = given.round(DECIMALS)
    if values.ndim != 2 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"expected (s, q) rewards from 0 to 1, got {values.shape}")
    return values
