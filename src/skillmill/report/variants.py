"""Variants of evolution side by side: what each is worth, how steady, at what cost."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skillmill.report.evolution import Evolved
from skillmill.types import Score

_FIGURE = re.compile(r"_runs_(mean|sd|cv)$")


@dataclass(frozen=True, slots=True)
class Steady:
    """Mean over runs, standard deviation and its share of the mean.

    The last two are None for a single run.
    """

    mean: float
    sd: float | None = None
    cv: float | None = None


@dataclass(frozen=True, slots=True)
class VariantRow:
    """One variant on one split.

    Attributes
    ----------
    name : str
    runs : int
    best, routed : Steady or None
        Of the best deployed skill, chosen on validation, and of the router.
    batch : int
        Questions of a step; 0 where the page has no run of it.
    rollouts : float or None
        Mean over runs, as a share of exhaustive search's.
    same : bool
        Whether it differs from the default by its batch alone, or is the default.
    """

    name: str
    runs: int
    best: Steady | None
    routed: Steady | None
    batch: int = 0
    rollouts: float | None = None
    same: bool = False


def variant_rows(
    scores: Iterable[Score], evolved: Sequence[Evolved], split: str
) -> list[VariantRow]:
    """Every variant that has figures on a split, the default first, then by name."""
    figures: dict[str, dict[str, float]] = {}
    runs: dict[str, int] = {}
    rollouts: dict[str, list[float]] = {}
    for row in scores:
        found = _FIGURE.search(row.metric)
        if found and row.split == split and row.value is not None:
            figures.setdefault(row.arm, {})[found[1]] = row.value
            runs[row.arm.rpartition(":")[0]] = row.n
        run, _, kind = row.arm.rpartition(":")
        shares = row.metric == "rollouts_of_exhaustive" and kind == "best"
        if shares and row.value is not None:
            rollouts.setdefault(run.rpartition("#")[0], []).append(row.value)
    first = {one.name.rpartition(" ")[0]: one for one in reversed(evolved)}
    usual = first.get("default")
    names = sorted(runs, key=lambda name: (name != "default", name))
    return [
        VariantRow(
            name=name,
            runs=runs[name],
            best=_steady(figures.get(f"{name}:best")),
            routed=_steady(figures.get(f"{name}:routed")),
            batch=first[name].batch if name in first else 0,
            rollouts=_mean(rollouts.get(name)),
            same=name in first and usual is not None and first[name].like(usual),
        )
        for name in names
    ]


def shown_variants(
    scores: Sequence[Score], evolved: Sequence[Evolved]
) -> list[tuple[str, list[VariantRow]]]:
    """The same for each split that has figures: the test first."""
    found = [(split, variant_rows(scores, evolved, split)) for split in ("test", "val")]
    return [(split, rows) for split, rows in found if rows]


def _steady(values: dict[str, float] | None) -> Steady | None:
    if not values or "mean" not in values:
        return None
    return Steady(values["mean"], values.get("sd"), values.get("cv"))


def _mean(values: Sequence[float] | None) -> float | None:
    return sum(values) / len(values) if values else None
