"""Tasks made ready for tracing: leaves and wholes against every skill."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from skillmill.compute.vectors import unit_rows
from skillmill.library.meaning import Array, Floats
from skillmill.library.query import Query
from skillmill.library.querytree import QueryTree
from skillmill.library.ranker import Ranker
from skillmill.library.settings import RankerSettings
from skillmill.library.study import Skills
from skillmill.library.tracing import TraceQuery
from skillmill.types import Ranking


def trace_queries(
    skills: Skills,
    queries: Iterable[Query],
    trees: Mapping[str, QueryTree],
    entries: Mapping[str, Ranking],
    leaf_vectors: Mapping[str, npt.ArrayLike],
    settings: RankerSettings,
    *,
    score_leaves: bool = False,
    ranker: Ranker | None = None,
) -> list[TraceQuery]:
    """Every task with the weights that tracing reads.

    Parameters
    ----------
    skills : Skills
    queries : iterable of Query
        Tasks with vectors.
    trees, entries : mappings
        Task -> its tree, and the entry ranker's ranking of it.
    leaf_vectors : mapping of str to (d,) floats
        Requirement -> its vector.
    settings : RankerSettings
        Of the hybrid scores.
    score_leaves : bool
        Whether each leaf is ranked, too; costs a query a leaf.
    ranker : Ranker, optional
        What `skill_ranker` makes of the skills and settings, where it is kept.

    Returns
    -------
    list of TraceQuery
        In the order of the queries.
    """
    ranker = ranker or skill_ranker(skills, settings)
    unit, _ = unit_rows(skills.vectors)
    row = {item: number for number, item in enumerate(skills.ids)}
    found = []
    for query in queries:
        tree = trees[query.id]
        texts = [leaf.requirement for leaf in tree.leaves()]
        leaves = _stacked([leaf_vectors[text] for text in texts], unit.shape[1])
        whole = unit_rows(np.atleast_2d(np.asarray(query.vectors))[:1])[0]
        asked = [
            Query(f"{query.id}/{n}", text, leaf_vectors[text])
            for n, text in enumerate(texts)
        ]
        found.append(
            TraceQuery(
                tree=tree,
                ranking=entries[query.id],
                leaf_cosines=leaves @ unit.T,
                whole_cosines=(unit @ whole[0]).astype(np.float64),
                whole_scores=_scores(ranker, query, row),
                leaf_scores=np.array([_scores(ranker, one, row) for one in asked])
                if score_leaves
                else None,
            )
        )
    return found


def skill_ranker(skills: Skills, settings: RankerSettings) -> Ranker:
    """What scores all skills for wholes and leaves."""
    return Ranker(
        skills.ids,
        skills.texts,
        skills.vectors,
        settings,
        names=skills.names,
        bodies=skills.bodies,
    )


def _stacked(vectors: Sequence[npt.ArrayLike], width: int) -> Floats:
    """Unit rows of some vectors, (0, width) of none."""
    if not vectors:
        return np.empty((0, width), dtype=np.float32)
    return unit_rows(np.array(vectors))[0]


def _scores(ranker: Ranker, query: Query, row: Mapping[str, int]) -> Array:
    """The hybrid score of each skill, (n,); 0 where it is no candidate."""
    ranking, _ = ranker.answer("hybrid", query, max(len(row), 1))
    scores = np.zeros(len(row))
    scores[[row[item] for item in ranking.items]] = ranking.scores
    return scores
