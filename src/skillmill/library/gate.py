"""The off-topic gate: when no skill is near enough to be an answer."""

import math

from skillmill.library.settings import RankerSettings

#: Smaller libraries have no gate: how rare a word is among a few skills says nothing.
SMALLEST = 100


def rare_word(size: int) -> float:
    """BM25's idf of a word that one of `size` skills holds: the unit of the gates."""
    return math.log1p((size - 0.5) / 1.5)


def is_off_topic(
    best: float, size: int, cosine: float | None, settings: RankerSettings
) -> bool:
    """Whether nothing in a library fits a query.

    Parameters
    ----------
    best : float
        Highest BM25 score of a skill.
    size : int
        Skills in the library.
    cosine : float or None
        Highest cosine of a skill with the whole query; None if only words are known.
    settings : RankerSettings

    Returns
    -------
    bool
        True where `best` is below `gate` and `cosine` below `gate_cosine`; by words
        alone, below `gate_words`. Gates are shares of `rare_word`, so that one value
        serves libraries of all sizes.
    """
    if size < SMALLEST:
        return False
    share = best / rare_word(size)
    if cosine is None:
        return share < settings.gate_words
    return share < settings.gate and cosine < settings.gate_cosine
