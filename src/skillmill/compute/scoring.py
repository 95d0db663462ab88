"""Measures of one ranking against the items that are known to be relevant.

All take `ranked` (best first; an item that is named twice counts at its first
place), `relevant` (order does not matter) and mostly `k`, the cut-off, at least 1.
All return a fraction in [0, 1], or None where nothing is known to be relevant: that
cannot be computed and must not be averaged as 0. A ranking may be shorter than `k`;
what it lacks is missed, not forgiven.
"""

import math
from collections.abc import Collection, Mapping, Sequence


def hit(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """1 if any relevant item is in the top `k` (success@k), else 0."""
    found = _gains(ranked, relevant, k)
    return float(any(found)) if relevant else None


def recall(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """Share of the relevant items that are in the top `k`."""
    found = _gains(ranked, relevant, k)
    return sum(found) / len(set(relevant)) if relevant else None


def precision(ranked: Sequence[str], relevant: Collection[str], k: int) -> float | None:
    """Share of `k` places that hold a relevant item, empty places included."""
    found = _gains(ranked, relevant, k)
    return sum(found) / k if relevant else None


def full_coverage(
    ranked: Sequence[str], relevant: Collection[str], k: int
) -> float | None:
    """1 if all relevant items are in the top `k`, else 0."""
    found = _gains(ranked, relevant, k)
    return float(sum(found) == len(set(relevant))) if relevant else None


#: LongMemEval's names: any evidence retrieved, all evidence retrieved.
recall_any = hit
recall_all = full_coverage


def reciprocal_rank(
    ranked: Sequence[str], relevant: Collection[str], k: int | None = None
) -> float | None:
    """1 / rank of the first relevant item (its mean is MRR), 0 if there is none.

    Without `k` the whole ranking counts.
    """
    if not relevant:
        return None
    found = _gains(ranked, relevant, max(len(ranked), 1) if k is None else k)
    return 1 / (found.index(1) + 1) if any(found) else 0.0


def ndcg_standard(
    ranked: Sequence[str], relevant: Collection[str], k: int
) -> float | None:
    """Normalised discounted cumulative gain with gains of 0 and 1.

    Rank r counts 1 / log2(r + 1); the ideal has all relevant items first, cut at
    `k`. Järvelin and Kekäläinen 2002 as in trec_eval and scikit-learn.
    """
    return _ndcg(ranked, relevant, [1 / math.log2(rank + 1) for rank in _ranks(k)])


def ndcg_graded(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain with the grades as gains.

    Discounts as in `ndcg_standard`; the ideal has the best grades first, cut at `k`.
    An item without a grade gains 0, and so does all where no grade is above 0.

    Raises
    ------
    ValueError
        If a grade is negative or not finite, or `k` is below 1.
    """
    if not all(0 <= grade < math.inf for grade in grades.values()):
        raise ValueError("expected grades of at least 0 and finite")
    discounts = [1 / math.log2(rank + 1) for rank in _ranks(k)]
    # An item that is named twice counts at its first place, but keeps both places.
    seen: set[str] = set()
    gains = []
    for item in ranked[:k]:
        gains.append(0.0 if item in seen else grades.get(item, 0.0))
        seen.add(item)
    best = sorted(grades.values(), reverse=True)
    ideal = math.fsum(d * g for d, g in zip(discounts, best, strict=False))
    gained = math.fsum(d * g for d, g in zip(discounts, gains, strict=False))
    return gained / ideal if ideal > 0 else 0.0


def ndcg_longmemeval(
    ranked: Sequence[str], relevant: Collection[str], k: int
) -> float | None:
    """Give NDCG as LongMemEval's published code computes it.

    Ranks 1 and 2 both count 1, rank r from there 1 / log2(r): never below
    `ndcg_standard`, and not comparable with it.
    """
    return _ndcg(ranked, relevant, [1 / math.log2(max(rank, 2)) for rank in _ranks(k)])


def _ndcg(
    ranked: Sequence[str], relevant: Collection[str], discounts: Sequence[float]
) -> float | None:
    """Discounted gain of a ranking over that of the best possible one."""
    if not relevant:
        return None
    found = _gains(ranked, relevant, len(discounts))
    gained = sum(
        discount for discount, gain in zip(discounts, found, strict=False) if gain
    )
    return gained / sum(discounts[: len(set(relevant))])


def _gains(ranked: Sequence[str], relevant: Collection[str], k: int) -> list[int]:
    """1 for each of the top `k` places that holds a new relevant item, else 0."""
    wanted = set(relevant)
    gains = []
    for item in ranked[: len(_ranks(k))]:
        gains.append(int(item in wanted))
        wanted.discard(item)
    return gains


def _ranks(k: int) -> range:
    """Ranks 1 to `k`."""
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return range(1, k + 1)
