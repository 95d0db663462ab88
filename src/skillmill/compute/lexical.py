"""Words of a text and BM25 over them."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy import sparse

#: English function words: they say how a sentence is built, not what it is about,
#: so two texts that share only these do not match. The pieces that the tokeniser
#: leaves of contractions (`ll` of "we'll") are in; words that are also a subject
#: (`may` the month, `us` the country, `don` the person, `won` the prize) are not.
STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are aren as at be because
    been before being below between both but by can cannot could couldn d did didn
    do does doesn doing down during each few for from further had hadn has hasn
    have haven having he her here hers herself him himself his how i if in into is
    isn it its itself just ll m me might more most must my myself no nor not now
    of off on once only or other our ours ourselves out over own re s same shall
    she should shouldn so some such t than that the their theirs them themselves
    then there these they this those through to too under until up ve very was
    wasn we were weren what when where which while who whom whose why will with
    would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 - a list of 150 quoted words is harder to read
)

#: Scripts written without spaces between words (and Hangul, whose words carry their
#: particles): a word there is found by its characters and pairs of characters.
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
#: Thai, Lao, Burmese and Khmer: no blanks either, but letters that say little alone,
#: so a word there is found by its pairs of letters.
_INDOCHINESE = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
_RUN = re.compile(f"([{_CJK}\U00020000-\U0003ffff]+|[{_INDOCHINESE}]+)")

#: rank_bm25 replaces each negative idf by this share of the mean idf.
_OKAPI_EPSILON = 0.25


#: A word, the documents that hold it (ascending) and its weight in each.
Posting = tuple[str, npt.NDArray[np.integer], npt.NDArray[np.float64]]


def words(text: str, *, stem: bool, stop: bool) -> list[str]:
    """Split a text into case-folded words, in the order of the text.

    Parameters
    ----------
    text : str
        Any text; composed (NFC) first, so that both forms of `é` are one word.
        Chinese, Japanese and Korean runs give each character and each pair of
        neighbouring characters; Thai, Lao, Burmese and Khmer ones each pair of
        neighbouring letters with their signs.
    stem : bool
        Reduce words to their stem (Snowball, English).
    stop : bool
        Leave out `STOP_WORDS`.

    Returns
    -------
    list of str
        Letters and digits only (an underscore or a hyphen parts words), with
        repeats. Without `stem` and `stop`: the literal form of the baselines.
    """
    if text.isascii():
        found = re.findall(r"[a-z0-9]+", text.lower())
    else:
        found = _unicode_words(text)
    if stop:
        found = [word for word in found if word not in STOP_WORDS]
    return _stemmer()(found) if stem else found


def _unicode_words(text: str) -> list[str]:
    """Split a text that is not all ASCII."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    found: list[str] = []
    for word in _word_pattern().findall(folded.replace("_", " ")):
        for position, piece in enumerate(_RUN.split(word)):
            if not position % 2:
                found += [piece] if piece else []
            elif re.match(f"[{_INDOCHINESE}]", piece):
                letters = _letter_pattern().findall(piece)
                found += map("".join, pairwise(letters)) if letters[1:] else letters
            else:
                found += piece
                found += map("".join, pairwise(piece))
    return found


@cache
def _word_pattern() -> re.Pattern[str]:
    r"""Pattern of a word: `\w` alone would cut Hindi and Thai at their vowel signs."""
    return re.compile(rf"\w[\w{_marks()}]*")


@cache
def _letter_pattern() -> re.Pattern[str]:
    """Pattern of a letter with the signs above, below and after it."""
    return re.compile(f".[{_marks()}]*")


@cache
def _marks() -> str:
    return "".join(
        chr(code)
        for code in range(0x300, 0x20000)
        if unicodedata.category(chr(code)).startswith("M")
    )


@cache
def _stemmer() -> Callable[[list[str]], list[str]]:
    """Stem a list of words; imported on first use."""
    from Stemmer import Stemmer  # noqa: PLC0415 - only texts that are stemmed need it

    stem: Callable[[list[str]], list[str]] = Stemmer("english").stemWords
    return stem


def counted(query_terms: Iterable[str], k3: float) -> Iterator[tuple[str, float]]:
    """Distinct words of a query, sorted, and how often each counts; see `Bm25`."""
    for term, count in sorted(Counter(query_terms).items()):
        if math.isinf(k3):
            yield term, float(count)
        else:
            yield term, count * (k3 + 1) / (k3 + count)


class Bm25:
    """BM25 scores of a fixed set of documents.

    Parameters
    ----------
    documents : n sequences of str
        The words of each document, with repeats; may be empty.
    k1, b : float
        Saturation of repeats, at least 0; weight of the document's length, in
        [0, 1].
    k3 : float
        Saturation of a word that the query repeats c times: it counts
        c (k3 + 1) / (k3 + c) times, so once with 0, and c times with infinity, as in
        rank_bm25 and bm25s.
    literal : bool
        False: Lucene's form, idf ln(1 + (n - df + .5) / (df + .5)), which is never
        negative, times tf / (tf + k1 (1 - b + b length / mean length)); equals
        bm25s' method `lucene`. True: what rank_bm25's `BM25Okapi` computes, kept as
        the baseline's literal form: in small sets a match may score 0 or less.

    Raises
    ------
    ValueError
        If `k1`, `b` or `k3` is out of range.

    Notes
    -----
    Robertson and Zaragoza 2009; k3: Robertson et al., TREC-3, 1994; Kamphuis et al.,
    ECIR 2020, name the variants.
    Holds one float and one int for each distinct word of each document.
    """

    def __init__(
        self,
        documents: Sequence[Sequence[str]],
        k1: float = 1.5,
        b: float = 0.75,
        *,
        k3: float = math.inf,
        literal: bool = False,
    ) -> None:
        if not (k1 >= 0 and 0 <= b <= 1 and k3 >= 0):
            raise ValueError(
                f"expected k1 >= 0, b in [0, 1] and k3 >= 0, got {k1}, {b} and {k3}"
            )
        self.size = len(documents)
        self._k3 = k3
        self._vocabulary: dict[str, int] = {}
        counts = self._count(documents)
        lengths = np.array([len(document) for document in documents], dtype=np.float64)
        relative = lengths / (lengths.mean() if lengths.any() else 1.0)
        frequency = counts.data
        damped = frequency + k1 * (1 - b + b * relative[counts.indices])
        present = np.diff(counts.indptr)
        idf = _okapi_idf if literal else _lucene_idf
        gain = k1 + 1 if literal else 1.0
        self._rows = counts.indices
        self._starts = counts.indptr
        self._weights = (
            np.repeat(idf(present, self.size), present) * gain * frequency / damped
        )

    def _count(self, documents: Sequence[Sequence[str]]) -> "sparse.csc_array":
        """Count words by document, filling the vocabulary in order of appearance."""
        # Not needed, and half of a short search's time, where postings were stored.
        from scipy import sparse  # noqa: PLC0415

        vocabulary = self._vocabulary
        columns = np.fromiter(
            (
                vocabulary.setdefault(word, len(vocabulary))
                for document in documents
                for word in document
            ),
            dtype=np.int64,
        )
        ends = np.cumsum([0, *map(len, documents)])
        counts = sparse.csr_array(
            (np.ones(len(columns)), columns, ends), shape=(self.size, len(vocabulary))
        )
        counts.sum_duplicates()
        return counts.tocsc()

    def scores(self, query_terms: Iterable[str]) -> npt.NDArray[np.float64]:
        """Score all documents for a query.

        The order of the words does not matter; words that no document holds count
        nothing.

        Returns
        -------
        (n,) floats
            Without `literal` at least 0, and above 0 exactly where a word matches.
        """
        total = np.zeros(self.size)
        for term, count in counted(query_terms, self._k3):
            rows, weights = self._column(term)
            total[rows] += count * weights
        return total

    def postings(self) -> Iterator[Posting]:
        """Each word, in order, with the documents that hold it and its weights."""
        for term in sorted(self._vocabulary):
            yield term, *self._column(term)

    def explain(self, query_terms: Iterable[str], document: int) -> dict[str, float]:
        """Share of each matching word in one document's score, largest first.

        `document` is its position; of equal shares the lower word comes first. The
        values sum up to the score.
        """
        shares: dict[str, float] = {}
        for term, count in counted(query_terms, self._k3):
            rows, weights = self._column(term)
            place = int(np.searchsorted(rows, document))
            if place < len(rows) and rows[place] == document:
                shares[term] = float(count * weights[place])
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def _column(
        self, term: str
    ) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.float64]]:
        """Documents that hold a word, ascending, and its weight in each."""
        column = self._vocabulary.get(term)
        if column is None:
            return self._rows[:0], self._weights[:0]
        held = slice(self._starts[column], self._starts[column + 1])
        return self._rows[held], self._weights[held]


def _lucene_idf(present: npt.NDArray[np.integer], n: int) -> npt.NDArray[np.float64]:
    """Idf of words that `present` of `n` documents hold; the 1 keeps it positive."""
    return np.log1p((n - present + 0.5) / (present + 0.5))


def _okapi_idf(present: npt.NDArray[np.integer], n: int) -> npt.NDArray[np.float64]:
    """Idf as in rank_bm25, with its floor for words in over half of the documents."""
    idf = np.log(n - present + 0.5) - np.log(present + 0.5)
    return np.where(idf < 0, _OKAPI_EPSILON * idf.mean() if len(idf) else 0.0, idf)
