"""Words of a library made ready for matching: BM25, and names that a text holds."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from skillmill.compute.lexical import Bm25, Posting, counted, words
from skillmill.library.meaning import Array, Rows
from skillmill.library.settings import RankerSettings


def terms_of(text: str) -> list[str]:
    """Words as skills and queries are compared by: stemmed, without stop words."""
    return words(text, stem=True, stop=True)


class WordIndex:
    """BM25 over n texts; words of a name count `name_weight` times.

    A text is expected to hold its name once. Without names neither the weight nor
    `named` has an effect.
    """

    def __init__(
        self, texts: Sequence[str], names: Sequence[str], settings: RankerSettings
    ) -> None:
        own = [terms_of(name) for name in names]
        documents = [terms_of(text) for text in texts]
        for document, name in zip(documents, own, strict=False):
            document.extend(name * max(0, settings.name_weight - 1))
        self._bm25 = Bm25(documents, settings.k1, settings.b, k3=settings.k3)
        self._numbers: dict[str, int] = {}
        numbered = [
            self._numbers.setdefault(word, len(self._numbers))
            for name in own
            for word in name
        ]
        self._words: Rows = np.array(numbered, dtype=np.intp)
        self._sizes: Rows = np.array([len(name) for name in own], dtype=np.intp)
        self._ends: Rows = np.cumsum(self._sizes)

    @property
    def has_names(self) -> bool:
        """Whether names are known."""
        return bool(len(self._sizes))

    def scores(self, terms: Sequence[str]) -> Array:
        """BM25 of each skill, (n,)."""
        return self._bm25.scores(terms)

    def postings(self) -> Iterator[Posting]:
        """Each word with the places of the skills that hold it and its weights."""
        return self._bm25.postings()

    def named(self, terms: Sequence[str], rows: Rows) -> Array:
        """1 for each of some skills whose name words are all among the terms, or 0."""
        held = np.zeros(len(self._numbers), dtype=bool)
        held[[self._numbers[term] for term in set(terms) if term in self._numbers]] = 1
        sizes = self._sizes[rows]
        owner = np.repeat(np.arange(len(rows)), sizes)
        before = np.cumsum(sizes) - sizes
        place = (
            np.arange(len(owner)) - before[owner] + (self._ends[rows] - sizes)[owner]
        )
        found = np.bincount(owner, held[self._words[place]], minlength=len(rows))
        whole: Array = ((found == sizes) & (sizes > 0)).astype(np.float64)
        return whole


class StoredWords:
    """The same from postings that lie in a file: nothing has to be counted anew.

    `posting` gives places and weights of a word, as `WordIndex.postings` listed them.
    Without `names`, `named` has no effect.
    """

    def __init__(
        self,
        size: int,
        posting: Callable[[str], tuple[Rows, Array]],
        settings: RankerSettings,
        names: Sequence[str] = (),
    ) -> None:
        self._size = size
        self._posting = posting
        self._k3 = settings.k3
        self._names = names
        self._words: dict[int, frozenset[str]] = {}

    @property
    def has_names(self) -> bool:
        """Whether names are known."""
        return bool(len(self._names))

    def scores(self, terms: Sequence[str]) -> Array:
        """BM25 of each skill, (n,)."""
        total = np.zeros(self._size)
        for term, count in counted(terms, self._k3):
            rows, weights = self._posting(term)
            total[rows] += count * weights
        return total

    def named(self, terms: Sequence[str], rows: Rows) -> Array:
        """1 for each of some skills whose name words are all among the terms, or 0."""
        held = frozenset(terms)
        whole = ((own := self._own(row)) and own <= held for row in rows.tolist())
        return np.fromiter(map(bool, whole), dtype=np.float64, count=len(rows))

    def _own(self, row: int) -> frozenset[str]:
        """Words of one name; few names are ever near enough to be asked for."""
        if row not in self._words:
            self._words[row] = frozenset(terms_of(self._names[row]))
        return self._words[row]
