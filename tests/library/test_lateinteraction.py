import numpy as np
import pytest

from skillmill.library.lateinteraction import coverage
from skillmill.library.ranker import Query, Ranker, RankerSettings
from tests.library.test_ranker import IDS, QUERY, TEXTS, VECTORS

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
DIAGONAL = [0.6, 0.8]


def test_coverage_is_the_mean_of_the_best_cosines_of_a_skills_tokens():
    task = np.array([EAST, NORTH])
    skills = [np.array([EAST, DIAGONAL]), np.array([NORTH]), np.empty((0, 2))]
    assert coverage(task, skills) == pytest.approx([(1 + 0.8) / 2, 1, 0])


def test_coverage_takes_the_side_of_the_skill():
    """A task of which a skill covers one word of ten covers the skill whole."""
    task = np.vstack([np.tile(EAST, (9, 1)), [NORTH]])
    assert coverage(task, [np.array([NORTH])]) == pytest.approx([1])


def test_half_precision_is_enough_and_nothing_gives_nothing():
    task = np.array([EAST, NORTH], dtype=np.float16)
    skills = [np.array([DIAGONAL], dtype=np.float16)]
    assert coverage(task, skills) == pytest.approx([0.8], abs=1e-3)
    assert coverage(task, []).tolist() == []
    assert coverage(np.empty((0, 2)), skills).tolist() == [0]


TOKENS = {
    "merge-pdf": np.array([NORTH]),
    "plot-csv": np.array([DIAGONAL]),
    "send-mail": np.array([EAST]),
}


def late(text="several documents", **settings):
    library = Ranker(
        IDS, TEXTS, VECTORS, RankerSettings(full_match=0, **settings), tokens=TOKENS
    )
    query = Query("q", text, QUERY, np.array([EAST]))
    return library.answer("hybrid+late", query)


def test_late_interaction_adds_its_stretched_score_to_the_hybrid_one():
    # hybrid .9, .5, 0; coverage 0, .6, 1
    found, parts = late(late_weight=1.0)
    assert found.items == ("plot-csv", "send-mail", "merge-pdf")
    assert found.scores == pytest.approx((0.5 + 0.6, 1, 0.9), abs=1e-6)
    assert parts["plot-csv"]["late"] == pytest.approx(0.6)
    assert parts["plot-csv"]["coverage"] == pytest.approx(0.6)


def test_only_the_best_are_reranked():
    found, _ = late(late_weight=10, late_depth=2)
    # the third keeps its score; of the two that are stretched one gets all
    assert found.items == ("plot-csv", "merge-pdf", "send-mail")


def test_missing_token_vectors_are_refused():
    query = Query("q", "pdf", QUERY, np.array([EAST]))
    with pytest.raises(ValueError, match="token vectors of query and skills"):
        Ranker(IDS, TEXTS, VECTORS).answer("hybrid+late", query)
    with pytest.raises(ValueError, match="no token vectors of 3 skills"):
        Ranker(IDS, TEXTS, VECTORS, tokens={}).answer("hybrid+late", query)
