"""How sure the searches are of a question: what a router may see beside its words.

All searches have to be run for it, so a router that uses these saves no search.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import top_rows
from skillmill.memory.view import MemoryView
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import Floats, QueryContext, States

#: Searches that the features are taken from.
SEARCHES = ("dense_search", "lexical_search", "entity_search")
#: Atoms at the top of a search that are looked at.
DEPTH = 10
#: Numbers of each search, and of the question's dates.
OF_SEARCH, OF_DATES = 4, 2


def feature_names(searches: Sequence[str] = SEARCHES) -> list[str]:
    """What each column of `confidence` is."""
    kinds = ("best", "lead", "drop", "spread")
    names = [f"{search}:{kind}" for search in searches for kind in kinds]
    pairs = combinations(searches, 2)
    names += [f"overlap:{one}:{other}" for one, other in pairs]
    return [*names, "dated", "share of atoms in range"]


def confidence(
    queries: Sequence[QueryContext],
    view: MemoryView,
    searches: Sequence[str] = SEARCHES,
    primitives: Mapping[str, Primitive] = PRIMITIVES,
) -> npt.NDArray[np.float32]:
    """Numbers that tell how sure each search is, the same for every skill.

    Parameters
    ----------
    queries : sequence of q QueryContext
        All about the memory of the view.
    searches : sequence of str
        Primitives with a form for many queries, run with their default arguments.

    Returns
    -------
    (q, f) float32
        Columns as `feature_names` says. Of each search: the logarithm of 1 + its best
        score; how far the second lies below the best, how far the mean of the best ten
        does, and their standard deviation, all as shares of the best. Of each pair of
        searches: the share of their best ten that both have (Jaccard). Whether the
        question names a date, and the share of atoms of those days. All are 0 in a
        memory without atoms.
    """
    count = len(feature_names(searches))
    if not queries or not view.atoms:
        return np.zeros((len(queries), count), dtype=np.float32)
    shape = len(queries), len(view.atoms)
    nothing = States(np.zeros(shape), np.zeros(shape, dtype=bool))
    columns, tops = [], []
    for search in searches:
        primitive = primitives[search]
        if primitive.many is None:
            raise ValueError(f"{search} has no form for many queries")
        scores = primitive.many(queries, nothing, view, primitive.complete({})).scores
        columns.append(_of_search(scores))
        tops.append(top_rows(scores, view.place, DEPTH, scores > 0))
    for one, other in combinations(tops, 2):
        columns.append(_overlap(one, other)[:, None])
    columns.append(_of_dates(queries, view))
    found: npt.NDArray[np.float32] = np.concatenate(columns, axis=1).astype(np.float32)
    return found


def _of_search(scores: Floats) -> Floats:
    """Best score and the shape of the best ten, (q, 4)."""
    kept = np.maximum(scores, 0.0)
    depth = min(DEPTH, kept.shape[1])
    best = -np.sort(-kept, axis=1)[:, :depth]
    top = best[:, 0]
    second = best[:, 1] if depth > 1 else np.zeros_like(top)
    scale = np.where(top > 0, top, 1.0)
    lead = np.where(top > 0, (top - second) / scale, 0.0)
    drop = np.where(top > 0, (top - best.mean(axis=1)) / scale, 0.0)
    return np.stack([np.log1p(top), lead, drop, best.std(axis=1) / scale], axis=1)


def _overlap(one: npt.NDArray[np.intp], other: npt.NDArray[np.intp]) -> Floats:
    """Share of the atoms of either list that both have, (q,)."""
    found = []
    for mine, theirs in zip(one.tolist(), other.tolist(), strict=True):
        first, second = set(mine) - {-1}, set(theirs) - {-1}
        either = len(first | second)
        found.append(len(first & second) / either if either else 0.0)
    return np.array(found)


def _of_dates(queries: Sequence[QueryContext], view: MemoryView) -> Floats:
    """Whether a question names a date, and the share of atoms there, (q, 2)."""
    rows = np.zeros((len(queries), OF_DATES))
    for row, query in enumerate(queries):
        if query.time_range is not None:
            rows[row] = 1.0, view.within(*query.time_range).mean()
    return rows
