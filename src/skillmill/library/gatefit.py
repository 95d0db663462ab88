"""Thresholds of the off-topic gate for a library and its encoder."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skillmill.library.gate import PASSES, REFERENCE, SMALLEST, rare_word
from skillmill.library.meaning import Floats, MeaningIndex
from skillmill.library.settings import RankerSettings
from skillmill.library.study import Skills
from skillmill.library.wordindex import WordIndex, terms_of

#: Growths that are tried: what the gate rises by with the logarithm of the size.
GROWTHS = np.arange(0, 0.081, 0.005)


@dataclass(frozen=True, slots=True)
class FittedGate:
    """A gate, and the shares that it refuses at the largest size.

    `held_out` are the shares refused of halves that did not choose, a mean over draws:
    of queries that have a skill, and of those that have none.
    """

    gate: float
    growth: float
    sizes: tuple[int, ...]
    refused: tuple[float, float]
    held_out: tuple[float, float]


def sizes_of(n: int) -> list[int]:
    """Sizes that a gate is fitted at: all skills, a quarter, ..., least first."""
    found = [n]
    while found[-1] // 4 >= SMALLEST:
        found.append(found[-1] // 4)
    return found[::-1]


def signals(
    skills: Skills,
    texts: Sequence[str],
    vectors: Floats,
    settings: RankerSettings,
    rng: np.random.Generator,
) -> npt.NDArray[np.float64]:
    """What the gate compares, (sizes, q): cosine and weighted share of rare words.

    Smaller libraries are drawn from the whole. A query that passes by its words alone
    is at infinity.
    """
    order = rng.permutation(len(skills.ids))
    rows = []
    for size in sizes_of(len(skills.ids)):
        part = skills.only({skills.ids[row] for row in order[:size].tolist()})
        words = WordIndex(part.texts, part.names, settings)
        meaning = MeaningIndex(part.vectors)
        unit = rare_word(size)
        row = []
        for text, vector in zip(texts, vectors, strict=True):
            share = float(words.scores(terms_of(text)).max(initial=0)) / unit
            near = meaning.cosines(meaning.direction(vector)[0])
            own = float(near.max(initial=-1)) + settings.gate_share * share
            row.append(math.inf if share >= PASSES else own)
        rows.append(row)
    return np.array(rows).reshape(-1, len(texts))


def fit(
    on: npt.NDArray[np.float64],
    off: npt.NDArray[np.float64],
    logs: npt.NDArray[np.float64],
    rate: float,
) -> tuple[float, float]:
    """Growth and gate that refuse most off-topic queries with `rate` of the others.

    `on` and `off` are signals, (sizes, q); `logs` those of size / 1,000, (sizes,).
    """
    best = (-1.0, 0.0, 0.0)
    for growth in GROWTHS.tolist():
        shifted = on - growth * logs[:, None]
        place = math.floor(rate * on.shape[1])
        threshold = min(float(np.sort(row)[place]) for row in shifted)
        share = float(np.mean(off - growth * logs[:, None] < threshold))
        best = max(best, (share, growth, threshold))
    return best[1], best[2]


def fit_gate(
    on: npt.NDArray[np.float64],
    off: npt.NDArray[np.float64],
    n: int,
    rate: float,
    rng: np.random.Generator,
    draws: int = 100,
) -> FittedGate:
    """Fit a gate for a library of n skills, and measure it on halves held out.

    Raises
    ------
    ValueError
        If either side has fewer than two queries.
    """
    if min(on.shape[1], off.shape[1]) < 2:
        raise ValueError(f"too few queries: {on.shape[1]} on, {off.shape[1]} off topic")
    sizes = sizes_of(n)
    logs = np.log(np.array(sizes) / REFERENCE)
    shares = []
    for _ in range(draws):
        some, other = (rng.permutation(part.shape[1]) for part in (on, off))
        growth, gate = fit(on[:, some[::2]], off[:, other[::2]], logs, rate)
        line = gate + growth * logs[-1]
        halves = on[-1, some[1::2]], off[-1, other[1::2]]
        shares.append([float(np.mean(half < line)) for half in halves])
    growth, gate = fit(on, off, logs, rate)
    line = gate + growth * logs[-1]
    of_on, of_off = np.mean(shares, axis=0).round(3).tolist()
    return FittedGate(
        round(gate, 4),
        round(growth, 4),
        tuple(sizes),
        (
            round(float(np.mean(on[-1] < line)), 3),
            round(float(np.mean(off[-1] < line)), 3),
        ),
        (of_on, of_off),
    )
