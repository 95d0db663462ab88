"""Approximate cosine neighbourhoods, where n^2 products would be too many."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import DECIMALS
from skillmill.compute.vectors import unit_rows
from skillmill.errors import ConfigError

#: Seed of the levels that HNSW draws; with one thread and rows added in order the graph
#: then depends on the vectors alone.
_SEED = 100

#: Rows whose exact neighbours are found, to measure the recall.
SAMPLE = 500


@dataclass(frozen=True, slots=True)
class HnswSettings:
    """Size of an HNSW index: `links` (M), `build` and `search` (candidates kept)."""

    links: int = 16
    build: int = 100
    search: int = 80


class Neighbourhoods(NamedTuple):
    """Edges as `compute.vectors.nearest` gives them, and the recall.

    `recall` is the share of the exact neighbours of a sample of rows that were found;
    1 where there is none to find.
    """

    source: npt.NDArray[np.intp]
    target: npt.NDArray[np.intp]
    cosine: npt.NDArray[np.float64]
    recall: float


def nearest_approximate(
    vectors: npt.ArrayLike, k: int, floor: float, settings: HnswSettings
) -> Neighbourhoods:
    """Find most of each row's `k` nearest other rows by cosine.

    Parameters
    ----------
    vectors : (n, d) floats
        Any scale; rows without direction are in no edge.
    k, floor : int, float
        As in `compute.vectors.nearest`.
    settings : HnswSettings

    Returns
    -------
    Neighbourhoods
        Cosines are exact, rounded to 6 decimals; ordered by source, then nearest first,
        of equals the lower row.

    Raises
    ------
    ConfigError
        If hnswlib is not installed, or the index is too sparse to be searched.
    ValueError
        If `k` is below 1.

    Notes
    -----
    Malkov and Yashunin 2016. One thread, rows added in their order, built anew each
    time: an index that is patched depends on what it held before.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    unit, lost = unit_rows(np.asarray(vectors, dtype=np.float32))
    kept = np.setdiff1d(np.arange(len(unit)), lost)
    if len(kept) < 2:
        nothing = np.empty(0, dtype=np.intp)
        return Neighbourhoods(nothing, nothing, np.empty(0), 1.0)
    found = kept[_search(unit[kept], min(k + 1, len(kept)), settings)]
    source = np.repeat(kept, found.shape[1])
    target = found.ravel()
    other = source != target
    source, target = source[other], target[other]
    cosine = _cosines(unit, source, target)
    order = np.lexsort((target, -cosine, source))
    source, target, cosine = source[order], target[order], cosine[order]
    place = np.arange(len(source)) - np.searchsorted(source, source)
    near = (place < k) & (cosine >= floor)
    source, target, cosine = source[near], target[near], cosine[near]
    recall = _recall(unit, kept, k, floor, source, cosine)
    return Neighbourhoods(source, target, cosine, recall)


def _search(
    unit: npt.NDArray[np.float32], k: int, settings: HnswSettings
) -> npt.NDArray[np.intp]:
    """Row numbers of the `k` nearest rows of each, itself mostly among them."""
    try:
        import hnswlib  # noqa: PLC0415 - only large libraries need it
    except ImportError as error:
        raise ConfigError(
            "similarity.hnsw_above is exceeded, but hnswlib is not installed; run `pip"
            " install 'skillmill[large]'` (needs a C++ compiler), or raise"
            " similarity.hnsw_above and wait for the exact search",
            record="similarity.hnsw_above",
        ) from error
    index = hnswlib.Index(space="ip", dim=unit.shape[1])
    index.init_index(
        max_elements=len(unit),
        ef_construction=settings.build,
        M=settings.links,
        random_seed=_SEED,
    )
    index.add_items(unit, np.arange(len(unit)), num_threads=1)
    index.set_ef(max(settings.search, k))
    try:
        labels, _ = index.knn_query(unit, k=k, num_threads=1)
    except RuntimeError as error:
        raise ConfigError(
            f"similarity: the HNSW index reached fewer than {k} of {len(unit)} vectors"
            " from one of them; raise similarity.hnsw_links and similarity.hnsw_search",
            record="similarity.hnsw_links",
        ) from error
    return np.asarray(labels).astype(np.intp)


def _cosines(
    unit: npt.NDArray[np.floating],
    source: npt.NDArray[np.intp],
    target: npt.NDArray[np.intp],
    block: int = 65_536,
) -> npt.NDArray[np.float64]:
    """Exact cosines of pairs, rounded; blocks bound the memory."""
    cosine = np.empty(len(source))
    for start in range(0, len(source), block):
        part = slice(start, start + block)
        first, second = unit[source[part]], unit[target[part]]
        exact = np.einsum("ij,ij->i", first, second, dtype=np.float64)
        cosine[part] = np.round(np.clip(exact, -1, 1), DECIMALS) + 0.0
    return cosine


def _recall(
    unit: npt.NDArray[np.floating],
    kept: npt.NDArray[np.intp],
    k: int,
    floor: float,
    source: npt.NDArray[np.intp],
    cosine: npt.NDArray[np.float64],
) -> float:
    """Share of the sampled rows' exact neighbours that were found, by their cosines."""
    rows = kept[:: max(1, len(kept) // SAMPLE)][:SAMPLE]
    exact = unit[rows] @ unit[kept].T
    exact[np.arange(len(rows)), np.searchsorted(kept, rows)] = -np.inf
    best = np.sort(np.partition(exact, -min(k, len(kept) - 1))[:, -k:])[:, ::-1]
    wanted = found = 0
    for row, values in zip(rows, best, strict=True):
        own = cosine[
            np.searchsorted(source, row) : np.searchsorted(source, row, "right")
        ]
        near = values[np.isfinite(values) & (values >= floor - 1e-5)]
        wanted += len(near)
        # An exact neighbour that ties with the last one found counts as found.
        found += int((near[: len(own)] <= own[: len(near)] + 1e-5).sum())
    return found / wanted if wanted else 1.0
