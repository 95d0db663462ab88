"""Random graphs as pairs of rows: what a graph of the same size gives by chance."""

import numpy as np
import numpy.typing as npt


def random_pairs(
    n: int, count: int, taken: npt.ArrayLike, rng: np.random.Generator
) -> npt.NDArray[np.intp]:
    """Distinct random pairs of n rows that are not `taken`; fewer if there are none."""
    held = np.asarray(taken, dtype=np.intp).reshape(-1, 2)
    low, high = held.min(axis=1, initial=n), held.max(axis=1, initial=-1)
    used = np.unique(low * n + high)
    wanted = min(count, n * (n - 1) // 2 - len(used))
    codes = np.empty(0, dtype=np.intp)
    while len(codes) < wanted:
        one, other = rng.integers(n, size=(max(count, 16), 2)).T
        drawn = np.minimum(one, other) * n + np.maximum(one, other)
        drawn = drawn[one != other]
        new = drawn[~np.isin(drawn, used)] if len(used) else drawn
        codes = _without_repeats(np.concatenate([codes, new]))[:wanted]
    return np.stack([codes // max(n, 1), codes % max(n, 1)], axis=1)


def _without_repeats(codes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The same in order, each once; made for few repeats."""
    ordered = np.sort(codes)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(repeated):
        return codes
    places = np.flatnonzero(np.isin(codes, repeated))
    first = np.unique(codes[places], return_index=True)[1]
    return np.delete(codes, np.delete(places, first))
