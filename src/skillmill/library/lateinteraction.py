"""Late interaction from the skill's side: how much of a skill a task covers."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def coverage(
    task: npt.NDArray[np.floating], skills: Sequence[npt.NDArray[np.floating]]
) -> npt.NDArray[np.float64]:
    """Mean over a skill's tokens of the best cosine with any token of the task.

    The usual direction, over the task's tokens, is no measure for a long task: most
    of its words have nothing to do with the skill that it needs.

    Parameters
    ----------
    task : (q, d) unit rows
        Token vectors of the whole task and of its sentences.
    skills : sequence of (t, d) unit rows
        Token vectors of each skill's name and description.

    Returns
    -------
    (n,) floats in [-1, 1]
        0 for a skill without tokens, and everywhere if the task has none.

    Notes
    -----
    MaxSim of Khattab and Zaharia, SIGIR 2020, with both sides exchanged. Costs
    q * t * d multiplications a skill.
    """
    scores = np.zeros(len(skills))
    held = [n for n, tokens in enumerate(skills) if len(tokens)]
    if not len(task) or not held:
        return scores
    # In float64: sums in float32 differ in the sixth digit from one number of threads
    # to another, and stored scores must not.
    joined = np.concatenate([skills[n] for n in held]).astype(np.float64)
    best = (joined @ task.astype(np.float64).T).max(axis=1)
    starts = np.cumsum([0, *(len(skills[n]) for n in held[:-1])])
    sizes = np.array([len(skills[n]) for n in held])
    scores[held] = np.clip(np.add.reduceat(best, starts) / sizes, -1, 1)
    return scores
