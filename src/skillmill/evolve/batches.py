"""Which training questions each step sees."""

from collections.abc import Sequence

import numpy as np


def batch_of(
    questions: Sequence[str], step: int, size: int, seed: Sequence[int]
) -> list[str]:
    """The questions of one step, sorted.

    Questions are dealt in an order drawn from the seed. One pass over them takes as
    many steps as it needs, the last with what is left; then another order is drawn.

    Raises
    ------
    ValueError
        If there are no questions.
    """
    if not questions:
        raise ValueError("a batch needs at least one training question")
    a_pass = -(-len(questions) // size)
    epoch, place = divmod(step, a_pass)
    order = np.random.default_rng([*seed, epoch]).permutation(len(questions))
    known = sorted(questions)
    mine = order[place * size : (place + 1) * size]
    return sorted(known[number] for number in mine)
