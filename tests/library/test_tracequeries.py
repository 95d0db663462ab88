import numpy as np
import pytest

from skillmill.library.primaries import leaf_weights
from skillmill.library.query import Query
from skillmill.library.querytree import clause_tree
from skillmill.library.ranker import Ranker
from skillmill.library.settings import RankerSettings
from skillmill.library.study import Skills
from skillmill.library.tracequeries import trace_queries
from skillmill.types import Ranking
from tests.library.planted import settings

TASK = "Sort the letters and convert the boat."
SKILLS = Skills(
    ids=["boat", "letters", "maps"],
    names=["boat", "letters", "maps"],
    texts=["boat: convert the boat", "letters: sort the letters", "maps: fold maps"],
    vectors=np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]], dtype=np.float32),
)
RANKER = RankerSettings(gate=0)


def prepared(**changes):
    tree = clause_tree("t", TASK)
    leaves = [leaf.requirement for leaf in tree.leaves()]
    assert leaves == ["Sort the letters", "convert the boat"]
    found = trace_queries(
        SKILLS,
        [Query("t", TASK, np.array([[4.0, 3.0]], dtype=np.float32))],
        {"t": tree},
        {"t": Ranking("hybrid", "t", ("boat",), (1.0,))},
        {leaves[0]: [0.0, 1.0], leaves[1]: [1.0, 0.0]},
        RANKER,
        **changes,
    )
    return found[0]


def test_leaves_and_the_whole_are_compared_with_every_skill():
    query = prepared()
    assert query.leaf_cosines == pytest.approx(np.array([[0, 1, 0], [1, 0, -1]]))
    # (4, 3) has the direction (.8, .6).
    assert query.whole_cosines == pytest.approx([0.8, 0.6, -0.8])
    assert query.ranking.items == ("boat",)
    assert (query.id, query.leaf_scores) == ("t", None)


def test_the_whole_task_has_the_rankers_scores():
    scores = prepared().whole_scores
    # Both share words with the task and `maps` shares none and points away.
    assert scores[0] > scores[1] > scores[2]
    ranker = Ranker(
        SKILLS.ids, SKILLS.texts, SKILLS.vectors, RANKER, names=SKILLS.names
    )
    ranking, _ = ranker.answer("hybrid", Query("t", TASK, [4.0, 3.0]))
    assert ranking.items[:2] == ("boat", "letters")
    assert scores[:2].tolist() == list(ranking.scores[:2])


def test_leaves_are_ranked_where_their_hybrid_scores_are_asked_for():
    query = prepared(score_leaves=True)
    weights = leaf_weights(query, settings(weights="hybrid"))
    assert weights.shape == (2, 3)
    assert weights.argmax(axis=1).tolist() == [1, 0]
    with pytest.raises(ValueError, match="needs the ranker's scores"):
        leaf_weights(prepared(), settings(weights="hybrid"))


def test_both_adds_the_whole_tasks_score_to_each_cosine():
    query = prepared()
    both = leaf_weights(query, settings(weights="both", prior=0.5))
    assert both == pytest.approx(query.leaf_cosines + 0.5 * query.whole_scores)
    alone = leaf_weights(query, settings(weights="cosine"))
    assert alone == pytest.approx(query.leaf_cosines)


def test_a_task_without_a_tree_has_no_leaves():
    tree = clause_tree("t", " ")
    found = trace_queries(
        SKILLS,
        [Query("t", TASK, np.array([[1.0, 0.0]]))],
        {"t": tree},
        {"t": Ranking("hybrid", "t", (), (), "empty", "nothing")},
        {},
        RANKER,
    )
    assert found[0].leaf_cosines.shape == (0, 3)
