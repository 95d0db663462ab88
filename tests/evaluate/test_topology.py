"""Structure, bound and census, worked by hand."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.evaluate import topology
from skillmill.evaluate.topology import (
    bound_rows,
    census_rows,
    distinct_pairs,
    layers_of,
    structure_rows,
)
from skillmill.store.graph import Candidate, DroppedEdge, EdgeOrigin
from tests.evaluate.graphs import similar, typed

TYPED = [
    typed("a requires b"),
    typed("b feeds_into a"),
    typed("c complements d", "derived"),
]
ORIGINS = [
    EdgeOrigin("a", "b", "requires", "similar"),
    EdgeOrigin("b", "a", "feeds_into", "similar"),
    EdgeOrigin("b", "a", "feeds_into", "mention"),
    EdgeOrigin("c", "d", "complements", "related"),
]
CANDIDATES = [
    Candidate("a", "b", "similar"),
    Candidate("b", "a", "similar"),
    Candidate("a", "e", "tool"),
]


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def layers():
    return layers_of(similar("ab", "ba", "be"), TYPED, ORIGINS, CANDIDATES)


def test_layers_are_undirected_pairs():
    assert layers() == {
        "typed": {("a", "b"), ("c", "d")},
        "similar": {("a", "b"), ("b", "e")},
        "all": {("a", "b"), ("b", "e"), ("c", "d")},
        "typed:similar": {("a", "b")},
        "typed:mention": {("a", "b")},
        "typed:related": {("c", "d")},
        "candidates:similar": {("a", "b")},
        "candidates:tool": {("a", "e")},
    }


def test_the_structure_of_each_layer_is_that_of_the_paper_by_hand(rng):
    rows = {(r.layer, r.control): r for r in structure_rows("abcdef", layers(), rng, 2)}
    # a - b - e, c - d, f alone
    assert rows["all", ""][2:] == (1, 6, 3, 5.0, 3.0, 3.0, 1.2, 1.6, 1.6)
    assert rows["similar", ""][2:] == (1, 6, 2, 3.0, 4.0, 3.0, 1.333333, 2.0, 2.0)
    assert rows["typed", ""][2:] == (1, 6, 2, 4.0, 4.0, 2.0, 1.0, 1.0, 1.0)


def test_layers_of_one_size_share_their_random_graphs(rng):
    rows = structure_rows("abcdef", layers(), rng, 3)
    controls = {r.layer: r[2:] for r in rows if r.control == "random"}
    # two pairs each; one pair each
    assert controls["typed"] == controls["similar"]
    assert controls["typed:similar"] == controls["candidates:tool"]
    assert controls["typed"] != controls["typed:similar"]


def test_nothing_added_leaves_the_graph_as_it_is(rng):
    made = {"all": {("a", "b")}, "similar": {("a", "b")}}
    rows = {(r.layer, r.control): r for r in structure_rows("abc", made, rng, 3)}
    assert rows["all", "similar + random"][3:] == rows["all", ""][3:]
    assert rows["all", "similar + random"].draws == 3


def test_each_layer_has_a_random_control_of_its_size(rng):
    made = layers()
    rows = structure_rows("abcdef", made, rng, 4)
    controls = {r.layer: r for r in rows if r.control == "random"}
    assert controls.keys() == made.keys()
    assert {name: r.pairs for name, r in controls.items()} == {
        name: len(pairs) for name, pairs in made.items()
    }
    assert {r.draws for r in controls.values()} == {4}


def test_what_typed_edges_add_is_held_against_as_many_random_pairs(rng):
    rows = structure_rows("abcdef", layers(), rng, 3)
    (row,) = [r for r in rows if r.control == "similar + random"]
    assert (row.layer, row.pairs, row.draws) == ("all", 3, 3)


def test_typed_edges_inside_the_embedding_change_no_connectivity(rng):
    """The topology bound: candidates out of similar_to cannot reach beyond it."""
    near = similar("ab", "bc", "cd")
    edges = [typed("a requires b"), typed("d verifies c")]
    made = layers_of(near, edges, [], [])
    rows = {(r.layer, r.control): r[3:] for r in structure_rows("abcde", made, rng, 1)}
    assert rows["all", ""] == rows["similar", ""]
    (whole, *_) = bound_rows(near, edges, [], [])
    assert (whole.pairs, whole.inside, whole.share) == (2, 2, 1.0)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_libraries_have_a_structure(rng, count):
    rows = structure_rows("ab"[:count], layers_of([], [], [], []), rng, 2)
    row = next(r for r in rows if (r.layer, r.control) == ("all", ""))
    assert row[3:] == (count, 0, 0.0, count, min(count, 1), None, None, None)


def test_the_same_seed_gives_the_same_controls():
    one, other = (
        structure_rows("abcdef", layers(), np.random.default_rng(5), 3) for _ in "ab"
    )
    assert one == other


def test_the_bound_is_taken_by_source_provenance_and_relation():
    rows = bound_rows(similar("ab", "be"), TYPED, ORIGINS, CANDIDATES)
    found = {(r.grouping, r.name): (r.pairs, r.inside) for r in rows}
    assert found == {
        ("all", ""): (2, 1),
        ("origin", "similar"): (1, 1),
        ("origin", "mention"): (1, 1),
        ("origin", "related"): (1, 0),
        ("provenance", "llm"): (1, 1),
        ("provenance", "derived"): (1, 0),
        ("relation", "requires"): (1, 1),
        ("relation", "feeds_into"): (1, 1),
        ("relation", "complements"): (1, 0),
        ("candidates", "similar"): (1, 1),
        ("candidates", "tool"): (1, 0),
    }
    (whole,) = [r for r in rows if r.grouping == "all"]
    # Wilson's interval of 1 of 2
    assert whole[4:] == pytest.approx((0.5, 0.094531, 0.905469), abs=1e-6)


def test_no_typed_edge_has_no_share():
    (row,) = bound_rows(similar("ab"), [], [], [])
    assert row[2:] == (0, 0, None, None, None)


def test_the_census_counts_contradictions_also_of_edges_that_were_dropped():
    edges = [
        typed("a feeds_into b"),
        typed("b precedes a"),
        typed("a complements b"),
        typed("c requires d"),
        typed("e complements f"),
        typed("e alternative_to f"),
    ]
    dropped = [
        DroppedEdge("g", "h", "routes_to", "llm", "contradicted", ""),
        DroppedEdge("h", "g", "routes_to", "llm", "contradicted", ""),
        DroppedEdge("d", "c", "requires", "llm", "cycle", ""),
    ]
    found = {(r.kind, r.name): (r.pairs, r.share) for r in census_rows(edges, dropped)}
    assert found == {
        ("pairs", ""): (4, 1.0),
        ("several relations", ""): (3, 0.75),
        ("contradictory", ""): (2, 0.5),
        ("contradictory, kept", ""): (1, 0.25),
        ("category", "feeds_into / precedes reversed"): (1, 0.25),
        ("category", "routes_to / routes_to reversed"): (1, 0.25),
    }
    assert census_rows([], [])[0][2:] == (0, None)


@settings(max_examples=25)
@given(st.sets(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"))))
def test_the_structure_is_that_of_networkx(pairs):
    edges = [typed(f"{s} requires {t}") for s, t in sorted(pairs) if s != t]
    made = nx.Graph((e.source, e.target) for e in edges)
    made.add_nodes_from("abcdefgh")
    wired = [node for node in made if made.degree(node)]
    layer = {"typed": distinct_pairs(edges)}
    (row, _) = structure_rows("abcdefgh", layer, np.random.default_rng(0), 1)
    assert row.pairs == made.number_of_edges()
    assert row.wired == len(wired)
    assert row.components == nx.number_connected_components(made)
    assert row.largest == max(map(len, nx.connected_components(made)))
    if wired:
        reached = [
            len(nx.single_source_shortest_path_length(made, node, 3)) - 1
            for node in wired
        ]
        assert row.reach_3 == pytest.approx(np.mean(reached), abs=1e-6)


def test_the_reach_of_a_large_layer_is_that_of_skills_evenly_spaced(monkeypatch):
    """A path of seven: of each third skill, 1 + 2 + 1 others are one hop away."""
    monkeypatch.setattr(topology, "REACH_FROM", 3)
    ids = list("abcdefg")
    pairs = {(one, other) for one, other in pairwise(ids)}
    rows = structure_rows(ids, {"typed": pairs}, np.random.default_rng(0), 1)
    assert rows[0].reach_1 == pytest.approx(4 / 3, abs=1e-6)
    assert rows[0].wired == 7
