"""What retrieval skills are held against: a floor, plain searches, and a ceiling.

All have one signature, and return at most the budget of a skill unless they say
otherwise. A search by one vector (dense RAG) and BM25 are retrieval skills themselves:
`semantic-clue-literal` and `surface-fact-literal`, and their tuned forms.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from skillmill.compute.fusion import minmax, top
from skillmill.evaluate.arms import BASELINE, CEILING
from skillmill.evaluate.written import KINDS
from skillmill.memory.view import MemoryView
from skillmill.skills.executor import NO_ATOMS, execute
from skillmill.skills.state import QueryContext
from skillmill.types import Node, Ranking, RetrievalSkill

RANDOM, FULL, FUSION, HYBRID, ORACLE = (
    f"{BASELINE}random",
    f"{BASELINE}full-context",
    f"{BASELINE}uniform-fusion",
    f"{BASELINE}hybrid",
    f"{CEILING}oracle",
)
NO_EVIDENCE = "no evidence is known"
NO_RANKING = "no retrieval skill returned anything"

#: Published ideas whose memories a language model writes; there is no form without.
NEEDS_MODEL: Mapping[str, str] = dict.fromkeys(KINDS, "needs a language model")

_HYBRID = RetrievalSkill(
    name=HYBRID,
    description="Closeness in meaning and shared words, added.",
    preference="",
    program=(Node("meaning", "dense_search"), Node("words", "lexical_search")),
    content_hash=HYBRID,
)


@dataclass(frozen=True, eq=False)
class Given:
    """All that a baseline may look at for one question.

    Attributes
    ----------
    query, view
        The question and its memory.
    evidence : tuple of str
        Atoms that hold the answer; only the ceiling looks at them.
    rankings : sequence of Ranking
        What the retrieval skills returned.
    budget : int
        The most atoms to return.
    seed : int
        Of whatever is random.
    """

    query: QueryContext
    view: MemoryView
    evidence: tuple[str, ...]
    rankings: Sequence[Ranking]
    budget: int
    seed: int


Baseline = Callable[[Given], Ranking]


def random_order(given: Given) -> Ranking:
    """Atoms in an order drawn anew for each question: the floor."""
    name = hashlib.sha256(given.query.id.encode()).digest()[:8]
    rng = np.random.default_rng([given.seed, int.from_bytes(name, "little")])
    rows = rng.permutation(len(given.view.atoms))[: given.budget].tolist()
    return _ranking(RANDOM, given, [given.view.ids[row] for row in rows], NO_ATOMS)


def full_context(given: Given) -> Ranking:
    """Every atom as it was said, without a budget: all of the evidence, at its price.

    Its order means nothing, so it is judged by all that it returns, never at a cut-off.
    """
    return _ranking(FULL, given, given.view.ids, NO_ATOMS)


def oracle(given: Given) -> Ranking:
    """The evidence itself, in the order of the question: no retrieval does better."""
    return _ranking(ORACLE, given, given.evidence[: given.budget], NO_EVIDENCE)


def hybrid(given: Given) -> Ranking:
    """Tuned dense and lexical search, added: what most packages call hybrid."""
    return execute(_HYBRID, given.query, given.view, given.budget).ranking


def uniform_fusion(given: Given) -> Ranking:
    """Every retrieval skill at once: their scores, each stretched to [0, 1], added.

    Failed and empty rankings add nothing; ties go to the lower atom id.
    """
    ids = sorted({item for ranking in given.rankings for item in ranking.items})
    row = {item: number for number, item in enumerate(ids)}
    scores = np.zeros(len(ids))
    for ranking in given.rankings:
        rows = [row[item] for item in ranking.items]
        scores[rows] += minmax(ranking.scores)
    best = top(scores, ids, given.budget)
    if not len(best):
        return Ranking(FUSION, given.query.id, (), (), "empty", NO_RANKING)
    values = [round(float(scores[place]), 6) for place in best]
    found = tuple(ids[place] for place in best)
    return Ranking(FUSION, given.query.id, found, tuple(values))


#: Arm -> how it ranks.
BASELINES: Mapping[str, Baseline] = {
    RANDOM: random_order,
    FULL: full_context,
    FUSION: uniform_fusion,
    HYBRID: hybrid,
    ORACLE: oracle,
}


def _ranking(arm: str, given: Given, items: Sequence[str], otherwise: str) -> Ranking:
    """A ranking whose order is all that is known: scores are 1 / rank."""
    if not items:
        return Ranking(arm, given.query.id, (), (), "empty", otherwise)
    scores = tuple(round(1 / rank, 6) for rank in range(1, len(items) + 1))
    return Ranking(arm, given.query.id, tuple(items), scores)
