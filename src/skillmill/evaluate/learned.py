"""What learning from tasks adds to the hybrid ranker, on tasks it has not seen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from skillmill.compute.fusion import DECIMALS
from skillmill.compute.scoring import hit, recall
from skillmill.evaluate.differences import differences
from skillmill.types import QueryScore, Ranking

Array = npt.NDArray[np.float64]
#: Item -> name -> value: what a ranking's scores are made of.
Parts = Mapping[str, Mapping[str, float]]

#: Arm that is learned on, and the arms that are learned, each with its features. The
#: first three features sum up to the score of the arm itself.
BASE = "hybrid"
LEARNED: Mapping[str, tuple[str, ...]] = {
    f"{BASE}+weights": ("keyword", "semantic", "name"),
    f"{BASE}+rerank": ("keyword", "semantic", "name", "bm25", "cosine", "sentence"),
}

_METRICS = {"hit": hit, "recall": recall}


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """`folds` over queries are drawn `repeats` times with `seed`.

    `penalty` holds weights to the start.
    """

    folds: int = 5
    repeats: int = 20
    penalty: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Listed:
    """The items of one query with their features (m, f), and which are relevant."""

    query: str
    items: tuple[str, ...]
    features: Array
    wanted: npt.NDArray[np.bool_]
    relevant: tuple[str, ...]


def fit_weights(
    lists: Sequence[tuple[Array, npt.NDArray[np.bool_]]],
    start: Array,
    penalty: float,
) -> Array:
    """Weights of a linear scorer under which relevant items lead their lists.

    Parameters
    ----------
    lists : sequence of ((m, f) floats, m bools)
        Features of each list's items, and which are relevant; lists without a relevant
        item, or with nothing else, say nothing.
    start : f floats
        Weights that the penalty draws back to.
    penalty : float
        Times half the squared distance from `start`.

    Returns
    -------
    f floats
        `start` itself if no list says anything.

    Notes
    -----
    ListNet with the top-one model (Cao et al. 2007), summed over lists; convex, solved
    by L-BFGS.
    """
    useful = [(rows, good) for rows, good in lists if good.any() and not good.all()]
    if not useful:
        return start

    def loss(weights: Array) -> tuple[float, Array]:
        away = weights - start
        value, slope = penalty / 2 * float(away @ away), penalty * away
        for rows, good in useful:
            scores = rows @ weights
            top = scores.max()
            chances = np.exp(scores - top)
            total = chances.sum()
            value += float(np.log(total) + top - scores[good].mean())
            slope = slope + (chances / total) @ rows - rows[good].mean(axis=0)
        return value, slope

    found: Array = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found


def cross_validated(
    rankings: Sequence[Ranking],
    parts: Mapping[str, Parts],
    relevant: Mapping[str, Collection[str]],
    cutoffs: Sequence[int],
    settings: LearningSettings,
) -> list[QueryScore]:
    """Scores of the hybrid ranker and of what is learned from its parts.

    Parameters
    ----------
    rankings : sequence of Ranking
        Of `BASE`; an item that it does not return is not found by what is learned.
    parts : mapping
        Query -> item -> part -> value.
    relevant : mapping
        Query -> its skills; queries without any are left out.
    cutoffs : sequence of int
    settings : LearningSettings

    Returns
    -------
    list of QueryScore
        Hit and recall of `hybrid` and of each arm of `LEARNED`, each query scored by
        weights of the folds that do not hold it, mean over the repeats; and the
        differences from `hybrid`. Empty with fewer queries than folds.
    """
    known = [ranking for ranking in rankings if relevant.get(ranking.query)]
    if len(known) < settings.folds:
        return []
    values = []
    for arm, names in {BASE: (), **LEARNED}.items():
        lists = [
            _listed(ranking, parts.get(ranking.query, {}), names, relevant)
            for ranking in known
        ]
        totals = np.zeros((len(lists), len(_METRICS), len(cutoffs)))
        for repeat in range(settings.repeats if names else 1):
            rng = np.random.default_rng([settings.seed, repeat])
            totals += _held_out(lists, rng, cutoffs, settings)
        totals /= settings.repeats if names else 1
        values += [
            QueryScore(arm, one.query, metric, k, round(float(totals[row, m, c]), 6))
            for row, one in enumerate(lists)
            for m, metric in enumerate(_METRICS)
            for c, k in enumerate(cutoffs)
        ]
    figures = [(metric, k) for metric in _METRICS for k in cutoffs]
    return [*values, *differences(values, [(a, BASE) for a in LEARNED], figures)]


def _listed(
    ranking: Ranking,
    parts: Parts,
    names: Sequence[str],
    relevant: Mapping[str, Collection[str]],
) -> _Listed:
    wanted = tuple(relevant[ranking.query])
    rows = [[parts[i].get(name, 0.0) for name in names] for i in ranking.items]
    features = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    good = np.array([item in wanted for item in ranking.items], dtype=bool)
    return _Listed(ranking.query, ranking.items, features, good, wanted)


def _held_out(
    lists: Sequence[_Listed],
    rng: np.random.Generator,
    cutoffs: Sequence[int],
    settings: LearningSettings,
) -> Array:
    """(q, metrics, cutoffs): each list scored by the weights of the other folds."""
    order = rng.permutation(len(lists))
    found = np.zeros((len(lists), len(_METRICS), len(cutoffs)))
    for fold in range(settings.folds):
        tested = order[fold :: settings.folds]
        rest = [lists[row] for row in np.setdiff1d(order, tested)]
        start = np.zeros(lists[0].features.shape[1])
        start[:3] = 1.0
        learned = [(one.features, one.wanted) for one in rest]
        weights = fit_weights(learned, start, settings.penalty) if len(start) else start
        for row in tested:
            ranked = _reranked(lists[row], weights)
            for m, measure in enumerate(_METRICS.values()):
                for c, k in enumerate(cutoffs):
                    found[row, m, c] = measure(ranked, lists[row].relevant, k)
    return found


def _reranked(one: _Listed, weights: Array) -> list[str]:
    """The items by their new score, ties by id; as they are without weights."""
    if not len(weights):
        return [*one.items]
    scores = np.round(one.features @ weights, DECIMALS).tolist()
    order = sorted(range(len(scores)), key=lambda row: (-scores[row], one.items[row]))
    return [one.items[row] for row in order]
