import inspect

import networkx as nx
import numpy as np
import pytest

from skillmill.errors import InputError, ModelError, StoreError
from skillmill.memory.tokens import TokenIndex
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import EvidenceState
from tests.memory.records import atom, garden_view, mentions
from tests.skills.programs import query

VIEW = garden_view()
IDS = VIEW.ids


def holding(variables=None, **scores):
    """A state that holds atoms by row: `a0=0.5`."""
    values = np.zeros(4)
    held = np.zeros(4, dtype=bool)
    for name, score in scores.items():
        values[int(name[1:])] = score
        held[int(name[1:])] = True
    return EvidenceState(values, held, variables or {})


def step(name, *, state=None, asked=None, view=VIEW, **args):
    primitive = PRIMITIVES[name]
    return primitive.run(
        asked or query(), state or holding(), view, primitive.complete(args)
    )


def scores(name, **options):
    return [round(float(score), 6) for score in step(name, **options).scores]


def test_the_seven_primitives_of_the_paper_are_there_and_no_other():
    assert {name: p.kind for name, p in PRIMITIVES.items()} == {
        "dense_search": "search",
        "lexical_search": "search",
        "entity_search": "search",
        "similarity_expand": "expand",
        "relation_expand": "expand",
        "temporal_focus_expand": "expand",
        "llm_process": "process",
    }


@pytest.mark.parametrize("primitive", PRIMITIVES.values(), ids=lambda p: p.name)
def test_every_default_is_a_value_that_the_argument_accepts(primitive):
    for name, argument in primitive.arguments.items():
        assert argument.accepts(argument.default), name


@pytest.mark.parametrize("primitive", PRIMITIVES.values(), ids=lambda p: p.name)
def test_every_argument_is_used_by_the_primitive(primitive):
    source = inspect.getsource(inspect.getmodule(primitive.many or primitive.run))
    for name in primitive.arguments:
        assert name == "instruction" or f'args["{name}"]' in source


def test_dense_search_scores_by_cosine_and_finds_nothing_behind():
    assert scores("dense_search", form="literal") == [1.0, 0.5, 0.0, 0.0]


def test_the_tuned_dense_search_reads_the_vector_without_names():
    side = round(0.75**0.5, 6)
    assert scores("dense_search") == [0.0, side, 1.0, 0.0]


def test_a_rewritten_query_has_no_vector():
    state = holding({"current_query": "paint"})
    for name, args in (
        ("dense_search", {}),
        ("dense_search", {"late": True}),
        ("entity_search", {}),
    ):
        with pytest.raises(ModelError, match="no vector and no encoder"):
            step(name, state=state, **args)


def test_the_late_search_averages_the_best_cosine_of_each_token():
    # Turns along 0, 90, 45 and 180 degrees; the query has a token at 0 and one at 90.
    half = 0.5**0.5
    tokens = TokenIndex(
        np.array([[1.0, 0], [0, 1], [half, half], [-1, 0]]), np.arange(5)
    )
    asked = query(tokens=np.array([[1.0, 0], [0, 1]]))
    found = step(
        "dense_search", late=True, asked=asked, view=garden_view(tokens=tokens)
    )
    assert found.scores == pytest.approx([0.5, 0.5, half, 0], abs=1e-6)


def test_the_late_search_needs_token_vectors_on_both_sides():
    asked = query(tokens=np.array([[1.0, 0]]))
    with pytest.raises(StoreError, match="'garden' holds no token vectors"):
        step("dense_search", late=True, asked=asked)
    view = garden_view(tokens=TokenIndex(np.eye(4), np.arange(5)))
    with pytest.raises(StoreError, match="'garden/q0' has no token vectors"):
        step("dense_search", late=True, view=view)
    with pytest.raises(StoreError, match=r"token vectors of length 4, not \[2\]"):
        step("dense_search", late=True, view=view, asked=asked)


def test_a_question_without_tokens_is_near_to_nothing():
    view = garden_view(tokens=TokenIndex(np.eye(4), np.arange(5)))
    asked = query(tokens=np.zeros((0, 4)))
    assert scores("dense_search", late=True, view=view, asked=asked) == [0, 0, 0, 0]


def test_lexical_search_matches_stems_in_the_tuned_form_only():
    literal = scores("lexical_search", form="literal")
    tuned = scores("lexical_search", form="tuned")
    assert [score > 0 for score in literal] == [True, True, True, False]  # "the", ...
    assert [score > 0 for score in tuned] == [True, True, True, False]
    assert tuned[2] > tuned[0]  # shed and paint against Ines alone


def test_lexical_search_reads_the_rewritten_query():
    state = holding({"current_query": "Was it cold in April?"})
    assert [score > 0 for score in scores("lexical_search", state=state)] == [
        False,
        False,
        True,
        True,
    ]


def walk_by_networkx(view, kind, seeds, restart):
    graph = view.entities(kind)
    nodes = nx.from_scipy_sparse_array(graph.adjacency)
    ranks = nx.pagerank(nodes, alpha=1 - restart, personalization=seeds, tol=1e-12)
    return [ranks[row] for row in range(len(view.atoms))]


def test_the_tuned_entity_search_walks_from_nouns_and_near_atoms():
    graph = VIEW.entities("noun")
    # Half starts at `shed`; half at the atoms by cosine, stretched between 0 and 1.
    near = np.array([0, 0.75**0.5, 1.0, 0])
    seeds = {row: 0.5 * near[row] / near.sum() for row in range(4)}
    seeds |= {graph.node["shed"]: 0.5}
    expected = walk_by_networkx(VIEW, "noun", seeds, 0.3)
    assert step("entity_search").scores == pytest.approx(expected, abs=1e-5)


def test_the_literal_entity_search_walks_from_the_nearest_named_entities():
    graph = VIEW.entities("ner")
    near = np.array([1, 0.5, 0, 0])
    seeds = {row: 0.2 * near[row] / 1.5 for row in range(4)}
    seeds |= {graph.node["Oslo"]: 0.8}
    found = step("entity_search", form="literal", matches=1, prior=0.2, restart=0.5)
    expected = walk_by_networkx(VIEW, "ner", seeds, 0.5)
    assert found.scores == pytest.approx(expected, abs=1e-5)


def test_the_literal_match_counts_no_entity_at_a_right_angle():
    one = step("entity_search", form="literal", matches=1).scores
    both = step("entity_search", form="literal", matches=2).scores
    assert one == pytest.approx(both, abs=1e-9)


def test_unknown_nouns_leave_the_walk_to_the_near_atoms():
    asked = query(entities={"noun": {"fence": 1}})
    found = step("entity_search", asked=asked, restart=1.0).scores
    side = 0.75**0.5
    assert found == pytest.approx([0, side / (1 + side), 1 / (1 + side), 0])


def test_a_query_near_to_nothing_leaves_the_walk_to_its_nouns():
    asked = query(tuned_vector=np.zeros(2))
    assert scores("entity_search", asked=asked, restart=1.0) == [0, 0, 0, 0]
    found = scores("entity_search", asked=asked, restart=0.5)
    assert found[1] == found[2] > found[0] == 0


def test_a_query_without_any_anchor_finds_nothing():
    asked = query(tuned_vector=np.zeros(2), entities={})
    assert scores("entity_search", asked=asked) == [0, 0, 0, 0]


def test_a_named_entity_of_the_question_without_a_vector_is_told():
    asked = query(entity_vectors={})
    with pytest.raises(StoreError, match="'garden/q0' names 'Oslo'"):
        step("entity_search", form="literal", asked=asked)


def test_a_memory_that_names_nothing_is_searched_by_nearness():
    view = garden_view(mentions=mentions("noun", {"garden/1/0": ["tomato"]}))
    found = step("entity_search", form="literal", view=view, restart=1.0).scores
    assert found == pytest.approx([2 / 3, 1 / 3, 0, 0])


def test_a_walk_that_has_not_settled_is_remarked_on():
    assert step("entity_search").note == ""
    swinging = step("entity_search", restart=0.0, prior=0.0)
    assert "had not settled" in swinging.note


def test_similarity_expand_follows_similarity_edges_alone():
    state = holding(a0=1.0, a2=0.8)
    assert scores("similarity_expand", state=state) == [0, 0.4, 0, 0]


def test_relation_expand_follows_every_relation_unless_told():
    state = holding(a0=1.0, a1=0.25)
    assert scores("relation_expand", state=state) == [0.25, 1.0, 0, 1.0]
    only = scores("relation_expand", state=state, relations=["Cause"])
    assert only == [0, 0, 0, 1.0]


def test_relation_expand_prefers_what_an_earlier_step_prefers():
    state = holding({"preferred_relations": ["TemporalNeighbor"]}, a0=1.0)
    assert scores("relation_expand", state=state) == [0, 1.0, 0, 0]
    told = scores("relation_expand", state=state, relations=("Cause",))
    assert told == [0, 0, 0, 1.0]


def test_a_relation_that_the_memory_lacks_is_remarked_on():
    found = step("relation_expand", state=holding(a0=1.0), relations=["Want"])
    assert found.note == "this memory holds no edges of Want"
    assert not found.scores.any()


def test_only_the_best_seeds_are_expanded():
    state = holding(a0=0.5, a1=0.6)
    assert scores("relation_expand", state=state, seeds=1) == [0.6, 0, 0, 0]


def test_an_expansion_of_nothing_finds_nothing():
    assert scores("similarity_expand") == scores("relation_expand") == [0, 0, 0, 0]


def test_temporal_focus_finds_all_of_a_range_nearest_first():
    days = ("2024-04-01", "2024-04-30")
    found = scores("temporal_focus_expand", time_range=days, form="literal")
    assert found == [0, 0, 0.5, 1e-6]  # the last is opposite to the query
    tuned = scores("temporal_focus_expand", time_range=days)
    assert tuned == [0, 0, 1.0, 0.5]


def test_temporal_focus_can_leave_the_order_alone():
    days = ("2024-03-02", "2024-03-02")
    found = scores("temporal_focus_expand", time_range=days, rerank=False)
    assert found == [1, 1, 0, 0]


def test_temporal_focus_reads_the_range_of_an_earlier_step():
    state = holding({"time_range": ["2024-03-01", "2024-03-31"]})
    found = scores("temporal_focus_expand", state=state, rerank=False)
    assert found == [1, 1, 0, 0]


MARCH = ("2024-03-02", "2024-03-02")


def test_a_tuned_focus_reads_the_range_from_the_question():
    found = step(
        "temporal_focus_expand", range="question", asked=query(time_range=MARCH)
    )
    assert [score > 0 for score in found.scores] == [True, True, False, False]
    assert found.note == ""


@pytest.mark.parametrize(
    ("after", "first_of_april"), [(38, False), (39, True), (100_000_000, True)]
)
def test_the_range_of_a_question_is_widened_by_whole_days(after, first_of_april):
    # 2 March and 39 days are 10 April; a range that holds all is no range.
    asked = query(time_range=("2024-03-01", "2024-03-02"))
    view = garden_view(
        atoms=(*VIEW.atoms, atom(9, "Ines: Snow", session=3, day="2023-01-01")),
        vectors=np.array([[1.0, 0]] * 5),
    )
    found = step(
        "temporal_focus_expand",
        range="question",
        days_before=0,
        days_after=after,
        rerank=False,
        asked=asked,
        view=view,
    )
    assert found.scores.tolist() == [1, 1, first_of_april, first_of_april, 0]


def test_a_question_without_a_date_leaves_the_evidence_as_it_is():
    found = step("temporal_focus_expand", range="question")
    assert (found.scores, found.note) == (None, "the question names no date")


def test_a_question_about_all_days_of_the_memory_leaves_the_evidence_as_it_is():
    asked = query(time_range=("2024-01-01", "2024-12-31"))
    found = step("temporal_focus_expand", range="question", asked=asked)
    assert found.scores is None
    assert found.note == (
        "the whole memory is about days from 2023-12-31 to 2025-01-07"
    )


def test_a_question_about_days_without_atoms_finds_nothing_and_says_so():
    asked = query(time_range=("2020-01-01", "2020-01-31"))
    found = step("temporal_focus_expand", range="question", asked=asked)
    assert not found.scores.any()
    assert found.note == "no atom is about a day from 2019-12-31 to 2020-02-07"


def test_a_range_that_was_told_goes_before_that_of_the_question():
    asked = query(time_range=MARCH)
    april = ("2024-04-01", "2024-04-30")
    told = {"range": "question", "rerank": False, "asked": asked}
    assert scores("temporal_focus_expand", time_range=april, **told) == [0, 0, 1, 1]
    state = holding({"time_range": april})
    assert scores("temporal_focus_expand", state=state, **told) == [0, 0, 1, 1]


def test_a_range_that_was_told_is_not_widened_and_may_hold_all():
    every = ("2024-03-02", "2024-04-10")
    found = scores("temporal_focus_expand", time_range=every, rerank=False)
    assert found == [1, 1, 1, 1]


@pytest.mark.parametrize("written", [None, ["2024-03-01"], ["May", "June"], "2024"])
def test_temporal_focus_without_a_valid_range_is_refused(written):
    with pytest.raises(InputError, match="needs a time_range of two ISO days"):
        step("temporal_focus_expand", state=holding({"time_range": written}))


def test_llm_process_without_a_model_is_left_out_and_says_so():
    done = step("llm_process")
    assert done.skipped
    assert done.scores is None
    assert done.note == "llm_process: no language model is asked"
