"""How near atoms are to a query by their vectors, of which one may have several."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from skillmill.compute.vectors import unit_rows

Floats = npt.NDArray[np.float64]


def best_cosines(
    unit: Floats, queries: npt.NDArray[np.floating], parts: Sequence[int] | None
) -> Floats:
    """Cosine of each atom's nearest vector with each query.

    Parameters
    ----------
    unit : (p, d) floats
        Vectors of length one, or zero, those of an atom together.
    queries : (q, d) floats
        Of any scale.
    parts : n ints, optional
        How many vectors each atom has, at least one; None: one each.

    Returns
    -------
    (q, n) floats
        In [-1, 1]; 0 where either side lacks direction.
    """
    directions = unit_rows(queries)[0].astype(np.float64)
    cosines: Floats = np.clip(directions @ unit.T, -1, 1)
    if parts is None:
        return cosines
    starts = np.cumsum([0, *parts[:-1]])
    best: Floats = np.maximum.reduceat(cosines, starts, axis=1)
    return best


def undirected(unit: Floats, parts: Sequence[int] | None) -> list[int]:
    """Atoms, by their place, none of whose vectors has a direction."""
    ends = np.cumsum(parts) if parts else np.arange(1, len(unit) + 1)
    own = np.split(unit.any(axis=1), ends[:-1]) if len(unit) else []
    return [row for row, found in enumerate(own) if not found.any()]


def one_each(
    vectors: Mapping[str, npt.NDArray[np.float32]],
) -> dict[str, npt.NDArray[np.float32]]:
    """One (d,) vector for the (p, d) of each record: its own, or their mean direction.

    Where a text is compared as a whole: questions, entities, the graph of likeness.
    """
    return {
        name: own[0] if len(own) == 1 else _mean(own) for name, own in vectors.items()
    }


def _mean(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Mean direction of (p, d) vectors, of length one."""
    mean = unit_rows(vectors)[0].mean(axis=0, dtype=np.float64)
    direction: npt.NDArray[np.float32] = unit_rows(mean[None])[0][0].astype(np.float32)
    return direction
