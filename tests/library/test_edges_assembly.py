"""Whom to believe, what contradicts, what is cyclic; worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.library.assembly import assemble, key_of
from skillmill.library.vocabulary import (
    ACYCLIC,
    PART_OF,
    PRIORITY,
    RANK,
    RELATIONS,
    SYMMETRIC,
    disagree,
    ends_of,
)
from skillmill.types import Edge


def edge(text, provenance="llm"):
    """An edge written as `a requires b`."""
    source, relation, target = text.split()
    return Edge(source, target, relation, None, provenance)


def words(edges):
    return [f"{e.source} {e.relation} {e.target}" for e in edges]


def causes(graph):
    return {f"{d.source} {d.relation} {d.target}": d.cause for d in graph.dropped}


def test_there_are_eight_relations_and_each_has_its_priority():
    assert len(RELATIONS) == 8
    assert sorted(PRIORITY.values()) == list(range(1, 10))
    assert max(PRIORITY, key=PRIORITY.get) == PART_OF
    assert {*ACYCLIC} == {"requires", "specializes", "feeds_into", "precedes"}


def test_trust_goes_from_a_person_down_to_the_embedding():
    assert sorted(RANK, key=RANK.get, reverse=True) == [
        "curated", "derived", "rule", "llm", "learned", "embedding",
    ]  # fmt: skip


def test_a_symmetric_edge_is_stored_once_and_in_id_order():
    assert ends_of("b", "a", "complements") == ("a", "b")
    assert ends_of("b", "a", "requires") == ("b", "a")
    graph = assemble([edge("b complements a"), edge("a complements b")])
    assert words(graph.edges) == ["a complements b"]
    assert graph.dropped == ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a routes_to b", "b routes_to a", True),
        ("a feeds_into b", "b precedes a", True),
        ("a feeds_into b", "a precedes b", False),
        ("a requires b", "a precedes b", True),  # b is first, a is first
        ("a requires b", "b precedes a", False),
        ("a verifies b", "a feeds_into b", True),
        ("a specializes b", "b specializes a", True),
        ("a specializes b", "b precedes a", False),
        ("a complements b", "b complements a", False),
        ("a complements b", "a alternative_to b", False),
        ("a requires b", "b requires c", False),
        ("a requires b", "a requires b", False),
    ],
)
def test_two_edges_disagree_when_their_directions_do(one, other, expected):
    assert disagree(edge(one), edge(other)) is expected
    assert disagree(edge(other), edge(one)) is expected


def test_the_higher_provenance_overrides_on_the_same_pair_and_relation():
    graph = assemble(
        [
            edge("a requires b"),
            edge("b requires a", "curated"),
            edge("a feeds_into c", "rule"),
            edge("a feeds_into c", "llm"),
            edge("a feeds_into c", "learned"),
        ]
    )
    assert [(w, e.provenance) for w, e in zip(words(graph.edges), graph.edges,
                                              strict=True)] == [
        ("a feeds_into c", "rule"), ("b requires a", "curated"),
    ]  # fmt: skip
    assert [(d.provenance, d.cause, d.detail) for d in graph.dropped] == [
        ("llm", "overridden", "curated"),
        ("learned", "overridden", "rule"),
        ("llm", "overridden", "rule"),
    ]


def test_other_relations_of_a_pair_stay_when_they_do_not_contradict():
    graph = assemble([edge("a complements b", "curated"), edge("a feeds_into b")])
    assert words(graph.edges) == ["a complements b", "a feeds_into b"]


def test_a_veto_leaves_nothing_but_curated_edges():
    proposals = [
        edge("a feeds_into b"),
        edge("b complements a", "derived"),
        edge("a requires c"),
    ]
    graph = assemble(proposals, vetoes={("a", "b")})
    assert words(graph.edges) == ["a requires c"]
    assert set(causes(graph).values()) == {"vetoed"}
    kept = assemble([edge("a requires b", "curated")], vetoes={("a", "b")})
    assert words(kept.edges) == ["a requires b"]


def test_edges_that_contradict_each_other_both_go():
    graph = assemble(
        [edge("a routes_to b"), edge("b routes_to a"), edge("a requires c")]
    )
    assert words(graph.edges) == ["a requires c"]
    assert causes(graph) == {
        "a routes_to b": "contradicted",
        "b routes_to a": "contradicted",
    }


def test_of_two_that_contradict_the_less_trusted_goes():
    graph = assemble([edge("a feeds_into b", "rule"), edge("b precedes a")])
    assert words(graph.edges) == ["a feeds_into b"]
    assert graph.flags == ()
    assert graph.dropped[0].detail == "rule: a feeds_into b"


def test_contradictions_may_be_flagged_in_place_of_dropped():
    graph = assemble(
        [edge("a feeds_into b", "rule"), edge("b precedes a")], contradicted="flag"
    )
    assert words(graph.edges) == ["a feeds_into b", "b precedes a"]
    assert [(f.source, f.flag, f.detail) for f in graph.flags] == [
        ("a", "contradicted", "llm: b precedes a"),
        ("b", "contradicted", "rule: a feeds_into b"),
    ]


def test_what_a_person_wrote_is_never_dropped_but_flagged():
    graph = assemble([edge("a requires b", "curated"), edge("a precedes b", "curated")])
    assert len(graph.edges) == 2
    assert {f.flag for f in graph.flags} == {"contradicted"}


def test_an_edge_that_its_far_end_reverses_goes_or_is_flagged():
    one = edge("a verifies b")
    graph = assemble([one], reversed_by_far_end={key_of(one)})
    assert causes(graph) == {"a verifies b": "contradicted"}
    flagged = assemble([one], reversed_by_far_end={key_of(one)}, contradicted="flag")
    assert flagged.flags[0].detail == "its far end says the reverse"
    curated = edge("a verifies b", "curated")
    stays = assemble([one, curated], reversed_by_far_end={key_of(one)})
    assert (stays.edges, stays.flags) == ((curated,), ())


def test_cycles_are_cut_per_relation_at_the_least_trusted_edge():
    graph = assemble(
        [
            edge("a feeds_into b", "rule"),
            edge("b feeds_into c"),
            edge("c feeds_into a", "rule"),
            edge("c routes_to d"),
            edge("d routes_to e"),
            edge("e routes_to c"),
            edge("b precedes c"),
        ]
    )
    assert causes(graph) == {"b feeds_into c": "cycle"}
    assert len(graph.edges) == 6


def test_nothing_comes_of_nothing():
    assert assemble([]).edges == ()


proposed = st.lists(
    st.builds(
        lambda s, t, r, p: Edge(s, t, r, None, p),
        st.sampled_from("abcd"),
        st.sampled_from("efgh"),
        st.sampled_from(RELATIONS),
        st.sampled_from(["curated", "rule", "llm", "learned"]),
    ).flatmap(
        lambda e: st.sampled_from(
            [e, Edge(e.target, e.source, e.relation, None, e.provenance)]
        )
    )
)


@given(proposed, st.randoms(use_true_random=False))
def test_every_proposal_is_in_the_graph_or_dropped_with_a_cause(edges, random):
    graph = assemble(edges)
    found = {(*key_of(e), e.provenance) for e in graph.edges}
    found |= {d[:4] for d in graph.dropped}
    assert found == {
        (*ends_of(e.source, e.target, e.relation), e.relation, e.provenance)
        for e in edges
    }
    keys = [key_of(e) for e in graph.edges]
    assert keys == sorted({*keys})
    shuffled = list(edges)
    random.shuffle(shuffled)
    assert assemble(shuffled) == graph
    assert assemble(graph.edges).edges == graph.edges


@given(proposed)
def test_no_pair_contradicts_itself_but_by_a_persons_hand(edges):
    graph = assemble(edges)
    for one in graph.edges:
        for other in graph.edges:
            if disagree(one, other):
                assert one.provenance == other.provenance == "curated"


def test_symmetric_relations_have_no_direction():
    assert {"complements", "alternative_to"} == SYMMETRIC
