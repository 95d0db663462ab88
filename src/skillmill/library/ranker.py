"""Rankers over a skill library: by words, by meaning, both fused, and reranked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

import numpy as np
import numpy.typing as npt

from skillmill.compute import fusion
from skillmill.library.gate import is_off_topic, rare_word
from skillmill.library.lateinteraction import coverage
from skillmill.library.meaning import Array, Floats, MeaningIndex, Rows
from skillmill.library.query import Bodies, Query
from skillmill.library.scored import Scored
from skillmill.library.settings import DEFAULTS, Arm, Fusion, RankerSettings
from skillmill.library.wordindex import StoredWords, WordIndex, terms_of
from skillmill.types import Ranking

__all__ = ["Arm", "Bodies", "Fusion", "Query", "Ranker", "RankerSettings"]

EMPTY_LIBRARY = "the library holds no skill"
NO_WORDS = "the query holds no word but stop words"
NO_LETTERS = "the query holds no letter and no digit"
NO_MATCH = "no skill shares a word with the query"
NO_DIRECTION = "the query's vector has no direction in common with any skill's"
OFF_TOPIC = "nothing fits: no skill is near enough to the query"


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
    names : n strings, optional
        For `name_weight` and `name_bonus`; without them neither counts.
    bodies : Bodies, optional
        Parts of bodies; a skill then scores as the best of its passages.
    tokens : mapping of str to (t, d) unit rows, optional
        Token vectors of skills by id, for `hybrid+late`; may be set later.
    words : StoredWords, optional
        Scores by words that were stored; `texts` may then be empty.

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
        *,
        names: Sequence[str] | None = None,
        bodies: Bodies | None = None,
        tokens: Mapping[str, Floats] | None = None,
        words: StoredWords | None = None,
    ) -> None:
        self.ids = tuple(ids)
        self._id_array = np.array(self.ids, dtype=object)
        self.settings = settings
        self._row = {item: row for row, item in enumerate(self.ids)}
        known = texts if words is None else self.ids
        if not len(self._row) == len(self.ids) == len(known) == len(names or known):
            raise ValueError(
                f"expected a text for each distinct id, got {len(texts)} texts and "
                f"{len(self._row)} distinct of {len(self.ids)} ids"
            )
        self._words = words or WordIndex(texts, names or (), settings)
        self.tokens = tokens
        self._meaning = None if vectors is None else self._index(vectors, bodies)
        lost = () if self._meaning is None else self._meaning.lost
        self.without_direction = tuple(self.ids[row] for row in lost)

    def _index(self, vectors: npt.ArrayLike, bodies: Bodies | None) -> MeaningIndex:
        if len(np.asarray(vectors)) != len(self.ids):
            raise ValueError(f"other than {len(self.ids)} vectors for the skills")
        if bodies is None:
            return MeaningIndex(vectors)
        rows = [self._row[item] for item in bodies.ids]
        weight = self.settings.body_weight
        return MeaningIndex(vectors, rows, bodies.vectors, weight)

    def rank(
        self,
        arm: Arm,
        query_ids: Sequence[str],
        texts: Sequence[str],
        vectors: Iterable[npt.ArrayLike] | None = None,
    ) -> list[Ranking]:
        """Rank the library for each query.

        Parameters
        ----------
        arm : str
            `keyword`: BM25, only skills that share a word; `semantic`: cosine, the
            mean of the whole text's and the best sentence's; `hybrid`: both, fused as
            the settings say; `hybrid+late`: its best reranked by late interaction.
        query_ids, texts : q strings
        vectors : q arrays, each (d,) or (m, d), optional
            See `Query`; not needed for `keyword`.

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
        rows = [None] * len(texts) if vectors is None else list(vectors)
        return [
            self.answer(arm, Query(query, text, vector))[0]
            for query, text, vector in zip(query_ids, texts, rows, strict=True)
        ]

    def answer(
        self, arm: Arm, query: Query, depth: int | None = None
    ) -> tuple[Ranking, dict[str, dict[str, float]]]:
        """Rank for one query, to `depth` if given, and show what scores are made of.

        Returns
        -------
        ranking : Ranking
            As `rank` gives it.
        parts : dict of dict
            For each of its items: `keyword`, `semantic`, `name` and `late`, which sum
            up to the score; `bm25`, `cosine` (whole text), `sentence` (best sentence)
            and `coverage`, the values behind them. An arm has only the parts it uses.

        Raises
        ------
        ValueError
            If the arm is unknown or lacks the vectors or tokens that it needs.
        """
        scored = self._scored(arm, query)
        total = scored.total
        ids = self._ids_of(scored.rows)
        order = fusion.top(total, ids, depth or self.settings.depth, scored.floor)
        ranking = Ranking(
            arm=arm,
            query=query.id,
            items=tuple(ids[place] for place in order),
            scores=tuple(np.round(total[order], fusion.DECIMALS).tolist()),
            state="ok" if len(order) else "empty",
            reason=None if len(order) else scored.reason,
        )
        values = scored.parts | scored.raw
        parts = {
            ids[place]: {name: float(array[place]) for name, array in values.items()}
            for place in order
        }
        return ranking, parts

    def _ids_of(self, rows: Rows) -> Sequence[str]:
        """Ids of some rows, ascending; of as many as there are skills, all."""
        if len(rows) == len(self.ids):
            return self.ids
        found: list[str] = self._id_array[rows].tolist()
        return found

    def _scored(self, arm: Arm, query: Query) -> Scored:
        """Score for one query, or say why nothing is."""
        if arm not in get_args(Arm):
            raise ValueError(f"arm is one of {get_args(Arm)}, not {arm!r}")
        ways = {"keyword": self._by_words, "semantic": self._by_meaning}
        scored = ways.get(arm, self._fused)(query)
        if arm == "hybrid+late":
            scored = self._reranked(scored, query)
        if not any(map(str.isalnum, query.text)):
            # A cosine with marks alone is as large as with words, and says nothing.
            scored = scored._replace(floor=np.inf, reason=NO_LETTERS)
        return scored if self.ids else scored._replace(reason=EMPTY_LIBRARY)

    def _by_words(self, query: Query) -> Scored:
        """Score by BM25."""
        terms = terms_of(query.text)
        bm25 = self._words.scores(terms)
        rows = np.arange(len(self.ids))
        floor, reason = 0.0, NO_MATCH if terms else NO_WORDS
        best = float(bm25.max(initial=0))
        if best and is_off_topic(best, len(rows), None, self.settings):
            floor, reason = np.inf, OFF_TOPIC
        parts, raw = {"keyword": bm25}, {"bm25": bm25}
        return Scored(rows, parts, raw, floor, reason, terms)

    def _by_meaning(self, query: Query) -> Scored:
        """Score by cosine: whole text over all, sentences over the candidates."""
        meaning, directions = self._directions(query)
        cosine = meaning.cosines(directions[0])
        rows = self._candidates(cosine)
        return self._with_sentences(cosine, rows, directions)

    def _directions(self, query: Query) -> tuple[MeaningIndex, Floats]:
        if self._meaning is None or query.vectors is None:
            raise ValueError("only the keyword arm ranks without vectors")
        return self._meaning, self._meaning.direction(query.vectors)

    def _candidates(self, scores: Array) -> Rows:
        """Rows worth a second look, ascending; all that tie with the last are in."""
        spare = len(scores) - self.settings.candidates
        if spare <= 0:
            return np.arange(len(scores))
        rounded = np.round(scores, fusion.DECIMALS)
        return np.flatnonzero(rounded >= np.partition(rounded, spare)[spare])

    def _with_sentences(self, cosine: Array, rows: Rows, directions: Floats) -> Scored:
        """Mean of the whole text's cosine and the best sentence's, for some rows."""
        raw = {"cosine": cosine[rows]}
        semantic = raw["cosine"]
        if len(directions) > 1 and self._meaning is not None:
            raw["sentence"] = self._meaning.best(directions[1:], rows)
            semantic = (raw["cosine"] + raw["sentence"]) / 2
        floor = None if any(values.any() for values in raw.values()) else 0.0
        return Scored(rows, {"semantic": semantic}, raw, floor, NO_DIRECTION)

    def _fused(self, query: Query) -> Scored:
        """Fuse both as the settings say."""
        matches = self._by_words(query)
        meaning, directions = self._directions(query)
        cosine = meaning.cosines(directions[0])
        weight = self.settings.dense_weight
        bm25 = matches.raw["bm25"]
        full = self.settings.full_match * rare_word(max(len(self.ids), 1))
        strongest = float(bm25.max(initial=0))
        keyword = (1 - weight) * bm25 / (max(strongest, full) or 1.0)
        rows = self._candidates(keyword + weight * fusion.minmax(cosine))
        near = self._with_sentences(cosine, rows, directions)
        raw = {"bm25": bm25[rows]} | near.raw
        floor = near.floor
        if self.settings.fusion == "rrf":
            parts = {
                "keyword": self._reciprocal(raw["bm25"], rows, 0.0),
                "semantic": self._reciprocal(near.parts["semantic"], rows, floor),
            }
            floor = 0.0
        else:
            semantic = weight * fusion.minmax(near.parts["semantic"])
            parts = {"keyword": keyword[rows], "semantic": semantic}
        if self._words.has_names and self.settings.name_bonus:
            named = self._words.named(matches.terms, rows)
            parts["name"] = self.settings.name_bonus * named
        reason = f"{matches.reason}, and {near.reason}"
        nearest = float(cosine.max(initial=-1))
        if is_off_topic(strongest, len(self.ids), nearest, self.settings):
            floor, reason = np.inf, OFF_TOPIC
        return Scored(rows, parts, raw, floor, reason)

    def _reranked(self, scored: Scored, query: Query) -> Scored:
        """Add late interaction to the best of a scored query."""
        if self.tokens is None or query.tokens is None:
            raise ValueError("hybrid+late needs token vectors of query and skills")
        ids = self._ids_of(scored.rows)
        depth = self.settings.late_depth
        order = fusion.top(scored.total, ids, depth, scored.floor)
        missing = [ids[place] for place in order if ids[place] not in self.tokens]
        if missing:
            raise ValueError(f"no token vectors of {len(missing)} skills: {missing[0]}")
        found = coverage(query.tokens, [self.tokens[ids[place]] for place in order])
        covered, late = np.zeros((2, len(ids)))
        covered[order] = found
        late[order] = self.settings.late_weight * fusion.minmax(found)
        parts = scored.parts | {"late": late}
        return scored._replace(parts=parts, raw=scored.raw | {"coverage": covered})

    def _reciprocal(self, scores: Array, rows: Rows, floor: float | None) -> Array:
        """Reciprocal ranks of the `depth` best, 0 for the rest."""
        ids = self._ids_of(rows)
        order = fusion.top(scores, ids, self.settings.depth, floor)
        ranks = fusion.reciprocal_rank([order.tolist()], self.settings.rrf_k)
        part = np.zeros(len(rows))
        part[order] = list(ranks.values())
        return part
