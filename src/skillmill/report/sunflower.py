"""Places of many dots in groups: a plane layout in linear time, without a force."""

from collections.abc import Sequence
from math import cos, pi, sin, sqrt

import numpy as np

#: Between two dots, in units of the layout.
SPACING = 10.0
#: The angle by which seeds of a sunflower follow each other, in radians.
GOLDEN = pi * (3.0 - sqrt(5.0))


def sunflower(
    sizes: Sequence[int],
) -> tuple[list[tuple[float, float, float]], list[list[tuple[float, float]]]]:
    """Return (x, y, radius) of each group and the places of its dots, in order.

    The dots of a group fill a disc from its middle, each a golden angle after the
    one before, at equal density; discs do not overlap, the first in the middle and
    each next one where a spiral is free, farther out than the one before.
    Numbers are rounded to 0.1.

    Raises
    ------
    ValueError
        If a size is not positive.
    """
    if any(size < 1 for size in sizes):
        raise ValueError(f"expected positive group sizes, got {list(sizes)}")
    radii = [SPACING * (0.6 * sqrt(size) + 1.0) for size in sizes]
    centres = _discs(radii)
    spots = [
        [_seed(number, centre) for number in range(size)]
        for size, centre in zip(sizes, centres, strict=True)
    ]
    placed = zip(centres, radii, strict=True)
    return [(round(x, 1), round(y, 1), round(r, 1)) for (x, y), r in placed], spots


def _seed(number: int, centre: tuple[float, float]) -> tuple[float, float]:
    reach, angle = 0.6 * SPACING * sqrt(number), number * GOLDEN
    x, y = centre
    return round(x + reach * cos(angle), 1), round(y + reach * sin(angle), 1)


def _discs(radii: Sequence[float]) -> list[tuple[float, float]]:
    """Centres of discs that keep a gap between them."""
    taken = np.zeros((len(radii), 3))
    centres: list[tuple[float, float]] = []
    step, x, y = 0, 0.0, 0.0
    for place, radius in enumerate(radii):
        while place and _overlaps(taken[:place], x, y, radius):
            step += 1
            reach = 0.5 * SPACING * sqrt(step)
            x, y = reach * cos(step * GOLDEN), reach * sin(step * GOLDEN)
        taken[place] = x, y, radius
        centres.append((x, y))
    return centres


def _overlaps(taken: np.ndarray, x: float, y: float, radius: float) -> bool:
    gap = np.hypot(taken[:, 0] - x, taken[:, 1] - y) - taken[:, 2] - radius
    return bool((gap < SPACING).any())
