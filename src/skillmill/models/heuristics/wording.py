"""Words of English text, reduced so that forms of one word are equal."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

#: Words that say how a sentence is built, not what it is about.
FUNCTION_WORDS = frozenset(
    """
    a about after again all also am an and any are aren as at be because been before
    being both but by can could couldn d did didn do does doesn doing don down during
    each either ever few for from further had hadn has hasn have haven having he her
    here hers herself him himself his how i if in into is isn it its itself just kind
    ll may me might more most must my myself no nor not now of off on once only or
    other our ours ourselves out over own re s same shall she should shouldn so some
    sort such t than that the their theirs them themselves then there these they this
    those through to too type under until up us ve very was wasn we were weren what
    when where which while who whom whose why will with won would wouldn you your
    yours yourself yourselves
    """.split()  # noqa: SIM905 - a quoted list of these is harder to read
)

#: Irregular forms that a stemmer leaves apart: form, then the base form.
_IRREGULAR = dict(
    pair.split("/")
    for pair in """
    ate/eat became/become began/begin begun/begin bought/buy broke/break
    brought/bring built/build came/come caught/catch children/child chose/choose
    chosen/choose drew/draw drove/drive feet/foot fell/fall felt/feel flew/fly
    found/find gave/give given/give gone/go got/get grew/grow heard/hear held/hold
    kept/keep kids/child kid/child knew/know led/lead left/leave lost/lose made/make
    men/man met/meet paid/pay people/person ran/run rode/ride sang/sing saw/see
    seen/see sent/send slept/sleep sold/sell spent/spend spoke/speak swam/swim
    taken/take taught/teach thought/think threw/throw told/tell took/take went/go
    wives/wife women/woman won/win wore/wear written/write wrote/write
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def normal(text: str) -> str:
    """Compose (NFC), make quotes straight and white space single blanks."""
    straight = unicodedata.normalize("NFC", text).translate(
        str.maketrans("‘’“”–—", "''\"\"--")
    )
    return " ".join(straight.split())


def words(text: str) -> list[str]:
    """Lower-case words in order, repeats kept, without a possessive `'s`."""
    found = _WORD.findall(unicodedata.normalize("NFC", text).lower().replace("’", "'"))
    return [word.removesuffix("'s") for word in found]


def stem(word: str) -> str:
    """Reduce one lower-case word: irregular forms first, then Snowball's stem."""
    return _stemmer()(_IRREGULAR.get(word, word))


def stems(text: str) -> list[str]:
    """Stems of the words that say what a text is about, in order, repeats kept.

    Left out are `FUNCTION_WORDS`, what stands after an apostrophe and single letters.
    """
    pieces = (piece for word in words(text) for piece in word.split("'")[:1])
    return [
        stem(piece)
        for piece in pieces
        if piece not in FUNCTION_WORDS and (len(piece) > 1 or piece.isdigit())
    ]


@cache
def _stemmer() -> Callable[[str], str]:
    """Stem one word; imported on first use."""
    from Stemmer import Stemmer  # noqa: PLC0415 - only stand-ins need it

    stem_word: Callable[[str], str] = Stemmer("english").stemWord
    return stem_word
