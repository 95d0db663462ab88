"""Personalised PageRank: how much of a walk that restarts at seeds is spent where."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse


@dataclass(frozen=True, slots=True)
class PagerankResult:
    """Scores of a walk and whether they had settled.

    `scores` has the shape of the seeds; each column with a seed sums to 1. `steps`
    is the largest number that any column took, `residual` the largest L1 change of
    a column in its last step; `converged` is False if one was still above the
    tolerance when the steps ran out.
    """

    scores: npt.NDArray[np.float64]
    steps: int
    converged: bool
    residual: float


def pagerank(
    adjacency: sparse.csr_array,
    seeds: npt.ArrayLike,
    restart: float,
    tolerance: float = 1e-6,
    max_steps: int = 50,
) -> PagerankResult:
    """Walk from seeds along weighted edges, jumping back with chance `restart`.

    Parameters
    ----------
    adjacency : (n, n) sparse
        Weight of the edge from row to column, at least 0; rows need not sum to 1.
    seeds : (n,) or (n, q) floats
        Where the walk starts and restarts, at least 0; q walks at once. Scaled to
        sum to 1. A column of zeros has nowhere to start: its scores are 0.
    restart : float
        Chance in [0, 1] to jump back to the seeds at each step: 1 - alpha of
        networkx. 1 gives the seeds themselves; 0 never jumps back and may not
        settle (a walk between two nodes swings for ever).
    tolerance : float
        A column stops when the L1 change of a step is below it. What is left of the
        error is then at most (1 - restart) / restart times as much.
    max_steps : int
        At least 1.

    Returns
    -------
    PagerankResult

    Raises
    ------
    ValueError
        If a shape does not fit, a number is negative or not finite, or `restart` or
        `max_steps` is out of range.

    Notes
    -----
    Page et al. 1999; Haveliwala 2002. A row without edges returns its mass to the
    seeds. Columns stop one by one, so what others are asked in the same call does
    not change a score.
    """
    start = np.asarray(seeds, dtype=np.float64)
    _check(adjacency, start, restart, max_steps)
    columns = start if start.ndim == 2 else start[:, None]
    total = columns.sum(axis=0)
    columns = columns / np.where(total > 0, total, 1)
    step, dangling = _transition(adjacency)
    scores = columns.copy()
    change = np.full(columns.shape[1], np.inf)
    moving = np.arange(columns.shape[1])
    steps = 0
    while moving.size and steps < max_steps:
        before = scores[:, moving]
        back = restart + (1 - restart) * before[dangling].sum(axis=0)
        after = (1 - restart) * (step @ before) + back * columns[:, moving]
        scores[:, moving] = after
        change[moving] = np.abs(after - before).sum(axis=0)
        moving = moving[change[moving] >= tolerance]
        steps += 1
    return PagerankResult(
        scores=scores.reshape(start.shape),
        steps=steps,
        converged=not moving.size,
        residual=float(change.max(initial=0.0)),
    )


def _transition(
    adjacency: sparse.csr_array,
) -> tuple[sparse.csr_array, npt.NDArray[np.intp]]:
    """Matrix that moves mass one step (targets by sources), and rows without edges."""
    weights = sparse.csr_array(adjacency).astype(np.float64)
    out = np.asarray(weights.sum(axis=1)).ravel()
    share = sparse.diags_array(1 / np.where(out > 0, out, 1))
    return sparse.csr_array((share @ weights).T), np.flatnonzero(out == 0)


def _check(
    adjacency: sparse.csr_array,
    seeds: npt.NDArray[np.float64],
    restart: float,
    max_steps: int,
) -> None:
    """Refuse what a walk cannot be made of."""
    if seeds.ndim not in (1, 2) or adjacency.shape != (len(seeds), len(seeds)):
        raise ValueError(f"seeds {seeds.shape} do not fit edges {adjacency.shape}")
    for name, values in (("seed", seeds), ("edge weight", adjacency.data)):
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError(f"each {name} must be finite and at least 0")
    if not 0 <= restart <= 1 or max_steps < 1:
        raise ValueError(
            f"expected a restart in [0, 1] and at least one step, "
            f"got {restart} and {max_steps}"
        )
