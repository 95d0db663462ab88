"""Personalised PageRank: how much of a walk that restarts at seeds is spent where."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse


@dataclass(frozen=True, eq=False)
class PagerankResult:
    """Scores of walks and whether they had settled.

    Attributes
    ----------
    scores : floats of the shape of the seeds
        Each column with a seed sums to 1.
    steps : int
        The largest number that any column took.
    residuals : (q,) floats
        L1 change of each column in its last step.
    settled : (q,) bools
        Whether it was below the tolerance before the steps ran out.
    """

    scores: npt.NDArray[np.float64]
    steps: int
    residuals: npt.NDArray[np.float64]
    settled: npt.NDArray[np.bool_]

    @property
    def converged(self) -> bool:
        """Whether every column had settled."""
        return bool(self.settled.all())

    @property
    def residual(self) -> float:
        """The largest change of a column in its last step."""
        return float(self.residuals.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Transition:
    """How a walk moves in one step: made once per graph by `transition`.

    Attributes
    ----------
    step : (n, n) sparse
        Share of the mass of each column that goes to each row.
    dangling : (m,) ints
        Rows without edges.
    symmetric : bool
        Whether every edge goes both ways with one weight: such walks settle faster.
    """

    step: sparse.csr_array
    dangling: npt.NDArray[np.intp]
    symmetric: bool


def transition(adjacency: sparse.csr_array) -> Transition:
    """Prepare a graph for walks.

    Parameters
    ----------
    adjacency : (n, n) sparse
        Weight of the edge from row to column, at least 0; rows need not sum to 1.

    Raises
    ------
    ValueError
        If it is not square, or a weight is negative or not finite.
    """
    weights = sparse.csr_array(adjacency).astype(np.float64)
    if weights.shape[0] != weights.shape[1]:
        raise ValueError(f"expected a square matrix of edges, got {weights.shape}")
    _check_numbers("edge weight", weights.data)
    out = np.asarray(weights.sum(axis=1)).ravel()
    share = sparse.diags_array(1 / np.where(out > 0, out, 1))
    step = sparse.csr_array((share @ weights).T)
    symmetric = abs(weights - weights.T).max() == 0 if weights.nnz else True
    return Transition(step, np.flatnonzero(out == 0), symmetric)


def pagerank(
    graph: sparse.csr_array | Transition,
    seeds: npt.ArrayLike,
    restart: float,
    tolerance: float = 1e-6,
    max_steps: int = 50,
) -> PagerankResult:
    """Walk from seeds along weighted edges, jumping back with chance `restart`.

    Parameters
    ----------
    graph : (n, n) sparse or Transition
        Edges as for `transition`, or what it made of them.
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
    not change a score. Where every edge goes both ways the walk's eigenvalues are
    real, and Chebyshev's semi-iteration (Golub and Varga 1961) needs less than half
    of the steps.
    """
    prepared = graph if isinstance(graph, Transition) else transition(graph)
    start = np.asarray(seeds, dtype=np.float64)
    _check(prepared, start, restart, max_steps)
    columns = start if start.ndim == 2 else start[:, None]
    columns = _scaled(columns)
    fast = prepared.symmetric and restart > 0
    scores, residuals, steps = _walked(
        prepared, columns, restart, tolerance, max_steps, fast
    )
    # Fast walks lose the mass that comes to rows without edges. To return it to the
    # seeds is to scale all of them, for the walk is linear in its seeds.
    scores = _scaled(np.maximum(scores, 0)) if fast else scores
    return PagerankResult(
        scores=scores.reshape(start.shape),
        steps=steps,
        residuals=residuals,
        settled=residuals < tolerance,
    )


def _walked(
    prepared: Transition,
    columns: npt.NDArray[np.float64],
    restart: float,
    tolerance: float,
    max_steps: int,
    fast: bool,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], int]:
    """Step until every column has settled: scores, last changes, steps."""
    scores, before, earlier = columns.copy(), columns, columns
    part = np.empty_like(columns)
    change = np.full(columns.shape[1], np.inf)
    moving = np.arange(columns.shape[1])
    stay = 1 - restart
    steps, pull = 0, 1.0
    while moving.size and steps < max_steps:
        after = prepared.step @ before
        after *= stay
        lost = 0.0 if fast else stay * before[prepared.dangling].sum(axis=0)
        after += np.multiply(columns, restart + lost, out=part)
        np.abs(np.subtract(after, before, out=part), out=part)
        change[moving] = part.sum(axis=0)
        steps += 1
        going = change[moving] >= tolerance
        if not going.all() or steps == max_steps:
            scores[:, moving] = after
            moving, columns, part = moving[going], columns[:, going], part[:, going]
            earlier, before, after = (
                earlier[:, going],
                before[:, going],
                after[:, going],
            )
        if fast and steps > 1:
            pull = 1 / (1 - stay**2 * pull / (2 if steps == 2 else 4))
            after -= earlier
            after *= pull
            after += earlier
        earlier, before = before, after
    return scores, change, steps


def _scaled(columns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale each column to sum to 1; one of zeros stays."""
    total = columns.sum(axis=0)
    scaled: npt.NDArray[np.float64] = columns / np.where(total > 0, total, 1)
    return scaled


def _check(
    prepared: Transition,
    seeds: npt.NDArray[np.float64],
    restart: float,
    max_steps: int,
) -> None:
    """Refuse what a walk cannot be made of."""
    if seeds.ndim not in (1, 2) or len(seeds) != prepared.step.shape[0]:
        edges = prepared.step.shape
        raise ValueError(f"seeds {seeds.shape} do not fit edges {edges}")
    _check_numbers("seed", seeds)
    if not 0 <= restart <= 1 or max_steps < 1:
        raise ValueError(
            f"expected a restart in [0, 1] and at least one step, "
            f"got {restart} and {max_steps}"
        )


def _check_numbers(name: str, values: npt.NDArray[np.float64]) -> None:
    """Refuse numbers that are negative or not finite."""
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"each {name} must be finite and at least 0")
