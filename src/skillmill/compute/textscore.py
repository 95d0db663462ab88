"""Overlap of an answer's words with the gold answer's: F1 by three names, and BLEU-1.

Papers that say "F1" mean different formulas, so here each has a name of its own and a
table must print which it used. All give 0 to an empty prediction against a gold answer
with words, and 1 where both have none.
"""

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache

#: What LoCoMo's evaluation drops before it compares, "and" included.
ARTICLES = frozenset({"a", "an", "the", "and"})

_PUNCTUATION = str.maketrans("", "", string.punctuation + "‘’“”–—…")
_SENTENCE_MARKS = str.maketrans(dict.fromkeys(".,!?", " "))
_MULTI_HOP, _OPEN_DOMAIN = 1, 3


def f1_bag(prediction: str, gold: str) -> float:
    """F1 of two bags of words: stemmed, without articles, "and" and punctuation.

    Parameters
    ----------
    prediction, gold : str
        In any form of Unicode; case does not matter.

    Returns
    -------
    float in [0, 1]
        A word counts as often as both hold it.

    Notes
    -----
    Single-answer F1 of LoCoMo's evaluation (Maharana et al., 2024) and of SQuAD, with
    Porter's stemmer as in LoCoMo.
    """
    return _f1(Counter(_stems(prediction)), Counter(_stems(gold)))


def f1_set(prediction: str, gold: str) -> float:
    """F1 of two sets of words: lower case, `.,!?` made blanks, nothing else dropped.

    Returns
    -------
    float in [0, 1]
        Repeats count once, articles like other words (MemoryOS' evaluation).
    """
    first, second = (
        set(_composed(text).translate(_SENTENCE_MARKS).split())
        for text in (prediction, gold)
    )
    return _f1(Counter(first), Counter(second))


def f1_locomo(prediction: str, gold: str, category: int) -> float:
    """F1 as LoCoMo's evaluation computes it for a question's category.

    Parameters
    ----------
    prediction, gold : str
    category : int
        1, multi-hop: both are split at commas, each gold part takes its best predicted
        part, and the parts' `f1_bag` are averaged. 3, open-domain: of the gold answer
        only what stands before the first semicolon. Others: `f1_bag`.

    Raises
    ------
    ValueError
        For category 5 (adversarial), which is scored by refusal and has no F1, and for
        a number out of 1 to 5.
    """
    if category not in {1, 2, 3, 4}:
        raise ValueError(f"F1 is defined for categories 1 to 4, got {category}")
    if category == _MULTI_HOP:
        parts = prediction.split(",")
        best = [max(f1_bag(p, part) for p in parts) for part in gold.split(",")]
        return sum(best) / len(best)
    if category == _OPEN_DOMAIN:
        gold = gold.split(";", maxsplit=1)[0].strip()
    return f1_bag(prediction, gold)


def bleu1(prediction: str, gold: str) -> float:
    """BLEU-1: clipped precision of single words times the brevity penalty.

    Returns
    -------
    float in [0, 1]
        Words are lower case without punctuation, neither stemmed nor dropped; no
        smoothing, so no common word gives 0.

    Notes
    -----
    Papineni et al., 2002, with one reference and weight 1 on single words.
    """
    said, wanted = (_plain(text) for text in (prediction, gold))
    if not said or not wanted:
        return float(said == wanted)
    shared = _shared(Counter(said), Counter(wanted))
    penalty = min(1.0, math.exp(1 - len(wanted) / len(said)))
    return penalty * shared / len(said)


def _f1(said: Counter[str], wanted: Counter[str]) -> float:
    """Harmonic mean of precision and recall of counted words."""
    if not said or not wanted:
        return float(said == wanted)
    return 2 * _shared(said, wanted) / (said.total() + wanted.total())


def _shared(first: Counter[str], second: Counter[str]) -> int:
    """Words in both, each as often as in the one that has it less often."""
    return (first & second).total()


def _stems(text: str) -> Sequence[str]:
    """Stem the words of a text, articles left out."""
    return _stemmer()(_plain(text, without=ARTICLES))


def _plain(text: str, without: Collection[str] = ()) -> list[str]:
    """Split a text into lower-case words, punctuation deleted (LoCoMo's way)."""
    bare = re.sub(r"\s+", " ", _composed(text).translate(_PUNCTUATION))
    return [word for word in bare.split() if word not in without]


def _composed(text: str) -> str:
    """Lower case in composed form, so that both spellings of `é` are one."""
    return unicodedata.normalize("NFC", text).lower()


@cache
def _stemmer() -> Callable[[list[str]], list[str]]:
    """Stem a list of words by Porter's first stemmer; imported on first use."""
    from Stemmer import Stemmer  # noqa: PLC0415 - only answers that are scored need it

    stem: Callable[[list[str]], list[str]] = Stemmer("porter").stemWords
    return stem
