"""The off-topic gate: when no skill is near enough to be an answer."""

import math

from skillmill.library.settings import RankerSettings

#: Smaller libraries have no gate: how rare a word is among a few skills says nothing.
SMALLEST = 100

#: Size of the library that the thresholds of the settings are meant for.
REFERENCE = 1000

#: A share that passes by itself: about two words that one skill alone holds.
PASSES = 0.65


def rare_word(size: int) -> float:
    """BM25's idf of a word that one of `size` skills holds: the unit of the gates."""
    return math.log1p((size - 0.5) / 1.5)


def is_off_topic(
    best: float,
    size: int,
    cosine: float | None,
    settings: RankerSettings,
    smallest: int = SMALLEST,
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
    smallest : int
        Libraries with fewer skills have no gate.

    Returns
    -------
    bool
        With `share`, `best` in units of `rare_word`: True where `cosine` + `gate_share`
        * share is below `gate`; by words alone, where share is below `gate_words`. Both
        thresholds rise by `gate_growth`, or `gate_words_growth`, with the natural
        logarithm of size / `REFERENCE`: among more skills the best of them is nearer to
        any query. A share of `PASSES` always passes: names and codes may be all that a
        query says, and have no meaning to be near to.
    """
    share = best / rare_word(max(size, 1))
    if size < smallest or share >= PASSES:
        return False
    growth = math.log(size / REFERENCE)
    if cosine is None:
        threshold = settings.gate_words + settings.gate_words_growth * growth
        return settings.gate_words > 0 and share < threshold
    threshold = settings.gate + settings.gate_growth * growth
    return settings.gate > 0 and cosine + settings.gate_share * share < threshold
