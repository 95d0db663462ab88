import dataclasses

import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.memory.tokens import TokenIndex
from tests.memory.records import atom, edge, garden_view, mentions

IDS = ("garden/1/0", "garden/1/1", "garden/2/0", "garden/2/1")


def found(scores):
    return {IDS[row]: float(scores[row]) for row in np.flatnonzero(scores)}


def test_rows_follow_the_atoms():
    view = garden_view()
    assert view.ids == IDS
    assert [view.row[name] for name in IDS] == [0, 1, 2, 3]


def test_cosines_do_not_depend_on_length():
    view = garden_view(vectors=np.array([[3, 0], [0.5, 0.75**0.5], [0, 1e-9], [-7, 0]]))
    assert view.cosines(np.array([2.0, 0])) == pytest.approx([1, 0.5, 0, -1])


def test_vectors_without_direction_score_zero_and_are_named_u59():
    view = garden_view(vectors=np.array([[0.0, 0], [1, 0], [0.5, 0.5], [np.inf, 1]]))
    cosines = view.cosines(np.array([1.0, 0]))
    assert cosines == pytest.approx([0, 1, 0.5**0.5, 0])
    assert view.without_direction == ("garden/1/0", "garden/2/1")


def test_a_query_without_direction_is_near_to_nothing_u59():
    assert garden_view().cosines(np.array([np.nan, 1])).tolist() == [0, 0, 0, 0]


def test_a_query_of_another_encoder_is_refused():
    with pytest.raises(StoreError, match="length 2, but the query's has 3"):
        garden_view().cosines(np.ones(3))


def test_several_queries_are_compared_at_once():
    view = garden_view()
    both = view.cosines(np.array([[2.0, 0], [0, 3.0]]))
    assert both == pytest.approx(np.array([[1, 0.5, 0, -1], [0, 0.75**0.5, 1, 0]]))
    with pytest.raises(StoreError, match="length 2, but the query's has 3"):
        view.cosines(np.ones((4, 3)))


def test_places_are_those_of_the_sorted_ids():
    atoms = tuple(atom(n, "a") for n in (10, 2, 1))
    view = garden_view(
        atoms=atoms, vectors=np.ones((3, 2)), mentions=(), edges=(), entity_vectors={}
    )
    # As text garden/1/10 stands between garden/1/1 and garden/1/2.
    assert view.place.tolist() == [1, 2, 0]


def test_the_last_day_is_the_latest_that_an_atom_is_about():
    assert garden_view().last_day == "2024-04-10"
    undated = garden_view(
        atoms=(atom(0, "a", day=None),),
        vectors=np.ones((1, 2)),
        mentions=(),
        edges=(),
        entity_vectors={},
    )
    assert undated.last_day is None


def test_token_vectors_are_those_of_its_turns_or_refused():
    with pytest.raises(StoreError, match="token vectors of other turns than its 4"):
        garden_view(tokens=TokenIndex(np.eye(3), np.arange(4)))


def test_late_interaction_scores_atoms_and_the_turns_in_them():
    atoms = (atom(0, "a", turns=("t1", "t2")), atom(1, "b", turns=("t3",)))
    tokens = TokenIndex(
        np.array([[1.0, 0], [0, 1], [0, 1], [-1, 0]]), np.array([0, 1, 3, 4])
    )
    view = garden_view(
        atoms=atoms,
        vectors=np.ones((2, 2)),
        mentions=(),
        edges=(),
        entity_vectors={},
        tokens=tokens,
    )
    east, both = np.array([[1.0, 0]]), np.array([[1.0, 0], [0, 1]])
    assert view.late([east, both]).tolist() == [[1, -1], [1, -0.5]]
    assert view.late_turns(both, 0).tolist() == [0.5, 0.5]
    assert view.late_turns(both, 1).tolist() == [-0.5]


def test_a_memory_without_token_vectors_refuses_late_interaction():
    with pytest.raises(StoreError, match="'garden' holds no token vectors; build it"):
        garden_view().late([np.ones((1, 2))])


def test_the_literal_lexical_index_wants_the_same_spelling():
    lexical = garden_view().lexical("literal")
    assert found(lexical.scores(["tomato"])) == {}
    assert list(found(lexical.scores(["tomatoes"]))) == ["garden/1/0"]
    assert found(lexical.scores(["april"])) == {}


def test_the_tuned_lexical_index_knows_stems_and_dates():
    lexical = garden_view().lexical("tuned")
    assert list(found(lexical.scores(["tomato"]))) == ["garden/1/0"]
    assert list(found(lexical.scores(["april"]))) == ["garden/2/0", "garden/2/1"]
    assert found(lexical.scores(["the"])) == {}


def test_the_noun_graph_joins_both_ways_and_leaves_the_speakers_out():
    graph = garden_view().entities("noun")
    assert graph.names == ("paint", "roof", "shed", "tomato")
    dense = graph.adjacency.toarray()
    assert (dense == dense.T).all()
    assert dense[:4, 4:].tolist() == [
        [0, 0, 0, 1],
        [0, 1, 1, 0],
        [1, 0, 1, 0],
        [0, 0, 0, 0],
    ]
    assert graph.node["shed"] == 6


def test_the_ner_graph_is_literal_and_keeps_the_speakers():
    assert garden_view().entities("ner").names == ("Oslo", "Tom")


def test_an_entity_that_an_atom_repeats_is_one_edge():
    twice = mentions("noun", {"garden/1/0": ["tomato", "tomato"]})
    repeated = (*twice, dataclasses.replace(twice[0], count=7))
    graph = garden_view(mentions=repeated).entities("noun")
    assert graph.adjacency.toarray()[0, 4] == 1


def test_mentions_by_questions_are_no_part_of_the_graph():
    asked = dataclasses.replace(
        mentions("noun", {"garden/q0": ["axe"]})[0], owner_kind="question"
    )
    assert garden_view(mentions=(asked,)).entities("noun").names == ()


def test_directions_of_named_entities_are_those_of_their_graph():
    view = garden_view(entity_vectors={"Tom": np.array([2.0, 0]), "Oslo": np.ones(2)})
    assert view.named_directions == pytest.approx(
        np.array([[0.5**0.5, 0.5**0.5], [1, 0]])
    )


def test_a_named_entity_without_a_vector_is_told():
    with pytest.raises(StoreError, match=r"no vectors of the entities .'Oslo'"):
        _ = garden_view(entity_vectors={"Tom": np.ones(2)}).named_directions


def test_relations_are_those_of_the_edges_but_similarity():
    assert garden_view().relations == ("Cause", "TemporalNeighbor")


def test_strength_spreads_along_edges_to_their_targets():
    view = garden_view()
    strength = np.array([2.0, 0, 3, 0])
    assert found(view.spread(strength, ["TemporalNeighbor"])) == {"garden/1/1": 2}
    assert found(view.spread(strength, ["similarity"])) == {"garden/1/1": 1.5}
    both = view.spread(strength, ["Cause", "TemporalNeighbor", "Cause"])
    assert found(both) == {"garden/1/1": 2, "garden/2/1": 2}
    assert found(view.spread(strength, ["Want"])) == {}


def test_strengths_of_several_queries_spread_as_each_alone():
    view = garden_view()
    strengths = np.array([[2.0, 0, 3, 0], [0, 1.0, 0, 0]])
    every = ["Cause", "TemporalNeighbor", "similarity"]
    assert view.spread(strengths, every).tolist() == [
        view.spread(strength, every).tolist() for strength in strengths
    ]


def test_days_are_found_from_the_first_to_the_last_inclusive():
    view = garden_view()
    assert view.within("2024-03-02", "2024-03-02").tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert view.within("2024-03-03", "2024-04-10").tolist() == [
        False,
        False,
        True,
        True,
    ]
    assert not view.within("2024-03-03", "2024-04-09").any()


def test_an_atom_without_a_day_is_in_no_range():
    atoms = (atom(0, "a", day=None),)
    view = garden_view(
        atoms=atoms, vectors=np.ones((1, 2)), mentions=(), edges=(), entity_vectors={}
    )
    assert not view.within("0001-01-01", "9999-12-31").any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vectors": np.ones((3, 2))}, "3 vectors for 4 atoms"),
        ({"edges": (edge("garden/1/0", "garden/9/9"),)}, "edge .*'garden/9/9'"),
        (
            {"mentions": mentions("noun", {"garden/9/9": ["x"]})},
            "mention .*'garden/9/9'",
        ),
        (
            {
                "atoms": (atom(0, "a"), atom(0, "b")),
                "vectors": np.ones((2, 2)),
                "edges": (),
                "mentions": (),
            },
            "twice",
        ),
    ],
)
def test_records_that_do_not_fit_each_other_are_refused(changes, message):
    with pytest.raises(StoreError, match=f"'garden' holds .*{message}.*build it again"):
        garden_view(**changes)
