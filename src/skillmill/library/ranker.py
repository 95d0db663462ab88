"""Rankers over a skill library: by words, by meaning, and both fused."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from skillmill.compute import fusion
from skillmill.compute.lexical import Bm25, words
from skillmill.compute.vectors import unit_rows
from skillmill.types import Ranking

Arm = Literal["keyword", "semantic", "hybrid"]
Fusion = Literal["weighted", "rrf"]
Array = npt.NDArray[np.float64]

EMPTY_LIBRARY = "the library holds no skill"
NO_WORDS = "the query holds no word but stop words"
NO_MATCH = "no skill shares a word with the query"
NO_DIRECTION = "the query's vector has no direction in common with any skill's"


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """Knobs of the rankers.

    `fusion` of the hybrid arm: `weighted`, both scores stretched to [0, 1] over the
    library and summed, cosine with `dense_weight` and BM25 with the rest; or `rrf`,
    reciprocal ranks of both lists with `rrf_k`. `depth` is the most skills returned,
    and the length of the lists that RRF fuses. `k1`, `b` and `k3` are BM25's; a task
    text repeats words, and with a high `k3` the one it repeats most would decide how
    all other matches are stretched.
    """

    fusion: Fusion = "weighted"
    dense_weight: float = 0.5
    rrf_k: float = 60
    depth: int = 50
    k1: float = 1.2
    b: float = 0.75
    k3: float = 2.0

    def __post_init__(self) -> None:
        """Refuse values that no ranking can be made with."""
        if self.fusion not in get_args(Fusion):
            raise ValueError(f"fusion is one of {get_args(Fusion)}, not {self.fusion}")
        if not 0 <= self.dense_weight <= 1 or self.rrf_k < 0 or self.depth < 1:
            raise ValueError(
                "expected dense_weight in [0, 1], rrf_k >= 0 and depth >= 1, got "
                f"{self.dense_weight}, {self.rrf_k} and {self.depth}"
            )


DEFAULTS = RankerSettings()


class _Scored(NamedTuple):
    """One query against the library.

    `parts` holds (n,) arrays: those named `keyword` and `semantic` sum up to the
    score, of which only values above `floor` count; `reason` is why none may.
    """

    parts: dict[str, Array]
    floor: float | None
    reason: str


class Ranker:
    """A library made ready for ranking.

    Parameters
    ----------
    ids : n strings
        Distinct; they break ties.
    texts : n strings
        What the words are taken from (name and description), stemmed, without stop
        words.
    vectors : (n, d) floats or None
        One row a skill, of any length; None if only `keyword` is asked for.
    settings : RankerSettings

    Attributes
    ----------
    without_direction : tuple of str
        Skills whose vector is zero or not finite; their cosine counts as 0.

    Raises
    ------
    ValueError
        If ids repeat or lengths differ.

    Notes
    -----
    Queries are ranked one by one: memory is a few (n,) arrays beside the index, and
    a result does not depend on which other queries are asked.
    """

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        vectors: npt.ArrayLike | None,
        settings: RankerSettings = DEFAULTS,
    ) -> None:
        self.ids = tuple(ids)
        self.settings = settings
        self._row = {item: row for row, item in enumerate(self.ids)}
        if len(self._row) != len(self.ids) or len(texts) != len(self.ids):
            raise ValueError(
                f"expected a text for each distinct id, got {len(texts)} texts and "
                f"{len(self._row)} distinct of {len(self.ids)} ids"
            )
        self._bm25 = Bm25(
            [words(text, stem=True, stop=True) for text in texts],
            settings.k1,
            settings.b,
            k3=settings.k3,
        )
        self.without_direction: tuple[str, ...] = ()
        self._unit: npt.NDArray[np.floating] | None = None
        if vectors is not None:
            self._index_vectors(vectors)

    def _index_vectors(self, vectors: npt.ArrayLike) -> None:
        """Keep each direction once: equal vectors then score equal to the last bit."""
        unit, lost = unit_rows(vectors)
        if len(unit) != len(self.ids):
            raise ValueError(f"{len(unit)} vectors for {len(self.ids)} skills")
        self.without_direction = tuple(self.ids[row] for row in lost)
        place: dict[bytes, int] = {}
        group = [place.setdefault(row.tobytes(), len(place)) for row in unit]
        self._group = np.array(group, dtype=np.intp)
        _, first = np.unique(self._group, return_index=True)
        self._unit = unit[first]

    def rank(
        self,
        arm: Arm,
        query_ids: Sequence[str],
        texts: Sequence[str],
        vectors: npt.ArrayLike | None = None,
    ) -> list[Ranking]:
        """Rank the library for each query.

        Parameters
        ----------
        arm : str
            `keyword`: BM25, only skills that share a word; `semantic`: cosine;
            `hybrid`: both, fused as the settings say.
        query_ids, texts : q strings
        vectors : (q, d) floats, optional
            Not needed for `keyword`.

        Returns
        -------
        list of Ranking
            In the order of the queries, at most `depth` skills each, by the score
            rounded to 6 decimals, then by id. State `empty` with a reason if nothing
            fits.

        Raises
        ------
        ValueError
            If the arm is unknown or lacks vectors, or lengths differ.
        """
        rows = [None] * len(texts) if vectors is None else list(np.asarray(vectors))
        return [
            self._ranking(arm, query, self._scored(arm, text, vector))
            for query, text, vector in zip(query_ids, texts, rows, strict=True)
        ]

    def explain(
        self,
        arm: Arm,
        items: Sequence[str],
        text: str,
        vector: npt.ArrayLike | None = None,
    ) -> dict[str, dict[str, float]]:
        """Show what the scores of one query are made of.

        Returns
        -------
        dict of dict
            For each of `items`: `keyword` and `semantic`, the parts of the arm's
            score after normalisation and weighting, which sum up to it; `bm25` and
            `cosine`, the raw values behind them. An arm has only the parts it uses.

        Raises
        ------
        ValueError
            As in `rank`.
        KeyError
            If an item is not in the library.
        """
        parts = self._scored(arm, text, vector).parts
        return {
            item: {
                name: float(values[self._row[item]]) for name, values in parts.items()
            }
            for item in items
        }

    def _ranking(self, arm: Arm, query: str, scored: _Scored) -> Ranking:
        """Cut the scores of one query to a ranking."""
        total = np.zeros(len(self.ids))
        for name in ("keyword", "semantic"):
            total += scored.parts.get(name, 0.0)
        order = fusion.top(total, self.ids, self.settings.depth, scored.floor)
        return Ranking(
            arm=arm,
            query=query,
            items=tuple(self.ids[row] for row in order),
            scores=tuple(np.round(total[order], fusion.DECIMALS).tolist()),
            state="ok" if len(order) else "empty",
            reason=None if len(order) else scored.reason,
        )

    def _scored(self, arm: Arm, text: str, vector: npt.ArrayLike | None) -> _Scored:
        """Score the whole library for one query."""
        if arm not in get_args(Arm):
            raise ValueError(f"arm is one of {get_args(Arm)}, not {arm!r}")
        if arm == "keyword":
            scored = self._by_words(text)
        elif arm == "semantic":
            scored = self._by_meaning(vector)
        else:
            scored = self._fused(self._by_words(text), self._by_meaning(vector))
        return scored if self.ids else scored._replace(reason=EMPTY_LIBRARY)

    def _by_words(self, text: str) -> _Scored:
        """Score by BM25."""
        terms = words(text, stem=True, stop=True)
        bm25 = self._bm25.scores(terms)
        reason = NO_MATCH if terms else NO_WORDS
        return _Scored({"keyword": bm25, "bm25": bm25}, 0.0, reason)

    def _by_meaning(self, vector: npt.ArrayLike | None) -> _Scored:
        """Score by cosine."""
        if self._unit is None or vector is None:
            raise ValueError("only the keyword arm ranks without vectors")
        direction, _ = unit_rows(np.asarray(vector, dtype=self._unit.dtype)[None, :])
        cosine = (self._unit @ direction[0]).astype(np.float64)[self._group]
        cosine = np.clip(cosine, -1, 1)
        floor = None if cosine.any() else 0.0
        return _Scored({"semantic": cosine, "cosine": cosine}, floor, NO_DIRECTION)

    def _fused(self, matches: _Scored, meaning: _Scored) -> _Scored:
        """Fuse both as the settings say."""
        bm25, cosine = matches.parts["bm25"], meaning.parts["cosine"]
        if self.settings.fusion == "rrf":
            keyword = self._reciprocal(bm25, matches.floor)
            semantic = self._reciprocal(cosine, meaning.floor)
            floor: float | None = 0.0
        else:
            weight = self.settings.dense_weight
            keyword = (1 - weight) * fusion.minmax(bm25)
            semantic = weight * fusion.minmax(cosine)
            floor = meaning.floor
        return _Scored(
            {"keyword": keyword, "semantic": semantic, "bm25": bm25, "cosine": cosine},
            floor,
            f"{matches.reason}, and {meaning.reason}",
        )

    def _reciprocal(self, scores: Array, floor: float | None) -> Array:
        """Reciprocal ranks of the `depth` best, 0 for the rest."""
        order = fusion.top(scores, self.ids, self.settings.depth, floor)
        ranks = fusion.reciprocal_rank([order.tolist()], self.settings.rrf_k)
        part = np.zeros(len(self.ids))
        part[order] = list(ranks.values())
        return part
