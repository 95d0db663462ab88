"""Late interaction: a query and a text compared token by token."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

#: Products of a query token with a text token that are held at once (4 bytes each).
CELLS = 2**18


def maxsim(
    queries: Sequence[npt.NDArray[np.floating]],
    tokens: npt.NDArray[np.floating],
    offsets: npt.NDArray[np.integer],
    cells: int = CELLS,
) -> npt.NDArray[np.float64]:
    """Mean over a query's tokens of the best cosine with any token of a text.

    Parameters
    ----------
    queries : q arrays of (k, d) floats
        Token vectors of length one; k may differ, 0 is a query without a word.
    tokens : (m, d) floats
        Token vectors of all texts, text after text, of length one; float16 is
        multiplied as float32.
    offsets : (t + 1,) ints
        Text i holds `tokens[offsets[i]:offsets[i + 1]]`; from 0 to m, never falling.
    cells : int
        Bounds the memory: a block of tokens has `cells` / d rows, or those of one
        text if it is longer. Changes the last bits of a score at most.

    Returns
    -------
    (q, t) floats
        In [-1, 1]; 0 for a query or a text without tokens. A query's scores do not
        depend on the others asked with it.

    Raises
    ------
    ValueError
        If the offsets do not fit the tokens, a dimension differs or `cells` is
        below 1.

    Notes
    -----
    Khattab and Zaharia, SIGIR 2020, eq. 3, divided by the number of query tokens.
    """
    _check(queries, tokens, offsets, cells)
    scores = np.zeros((len(queries), len(offsets) - 1))
    asked = [(i, query.astype(np.float32)) for i, query in enumerate(queries)]
    for texts in _blocks(offsets, max(1, cells // max(1, tokens.shape[1]))):
        first, last = offsets[texts.start], offsets[texts.stop]
        block = tokens[first:last].astype(np.float32, copy=False)
        starts = offsets[texts] - first
        held = np.flatnonzero(np.diff(offsets[texts.start : texts.stop + 1]))
        if not len(held):
            continue
        for i, query in asked:
            if len(query):
                best = np.maximum.reduceat(query @ block.T, starts[held], axis=1)
                scores[i, texts.start + held] = best.mean(axis=0, dtype=np.float64)
    return np.clip(scores, -1, 1)


def _blocks(offsets: npt.NDArray[np.integer], size: int) -> Iterator[slice]:
    """Cut the texts into runs of at most `size` tokens, at least one text each."""
    start, texts = 0, len(offsets) - 1
    while start < texts:
        stop = int(np.searchsorted(offsets, offsets[start] + size, side="right")) - 1
        stop = min(max(stop, start + 1), texts)
        yield slice(start, stop)
        start = stop


def _check(
    queries: Sequence[npt.NDArray[np.floating]],
    tokens: npt.NDArray[np.floating],
    offsets: npt.NDArray[np.integer],
    cells: int,
) -> None:
    """Refuse arrays that do not fit each other."""
    if cells < 1:
        raise ValueError(f"cells must be at least 1, got {cells}")
    fits = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(tokens)
    if tokens.ndim != 2 or not fits or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets do not cut {tokens.shape} tokens into texts")
    for query in queries:
        if query.ndim != 2 or (len(query) and query.shape[1] != tokens.shape[1]):
            raise ValueError(
                f"query tokens {query.shape} against tokens of length {tokens.shape[1]}"
            )
