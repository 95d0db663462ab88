"""Cycles, order and reach, against networkx and by hand."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.compute.digraph import (
    adjacency,
    component_sizes,
    distances,
    drop_back_edges,
    reach,
    row_distances,
    topological_order,
)

IDS = "abcdefgh"
arcs_between_ids = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)).filter(lambda a: a[0] != a[1])
)
pairs_of_rows = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)))


def graph(arcs, nodes=()):
    made = nx.DiGraph(arcs)
    made.add_nodes_from(nodes)
    return made


@given(pairs_of_rows, st.sets(st.integers(0, 11)), st.integers(1, 4))
def test_hops_between_rows_are_those_between_items(pairs, starts, most):
    matrix = adjacency(12, np.array(pairs).reshape(-1, 2))
    near = {n: matrix[[n]].indices.tolist() for n in range(12)}
    away = row_distances(matrix, np.array(sorted(starts), dtype=np.intp), most)
    found = {row: hop for row, hop in enumerate(away.tolist()) if hop >= 0}
    assert found == distances(near, sorted(starts), most)


@given(arcs_between_ids)
def test_what_is_kept_has_no_cycle_and_nothing_is_lost(arcs):
    kept, dropped = drop_back_edges(arcs)
    assert nx.is_directed_acyclic_graph(graph(kept))
    assert sorted([*kept, *dropped]) == sorted(set(arcs))
    assert kept == sorted(kept)


@given(arcs_between_ids)
def test_every_dropped_arc_would_close_a_cycle(arcs):
    kept, dropped = drop_back_edges(arcs)
    for source, target in dropped:
        assert nx.has_path(graph(kept, IDS), target, source)


@given(arcs_between_ids, st.randoms(use_true_random=False))
def test_the_order_of_the_arcs_does_not_matter(arcs, random):
    shuffled = list(arcs)
    random.shuffle(shuffled)
    assert drop_back_edges(shuffled) == drop_back_edges(arcs)


@given(arcs_between_ids, arcs_between_ids)
def test_a_strong_arc_is_dropped_only_for_strong_ones(strong, weak):
    strength = dict.fromkeys(weak, 1) | dict.fromkeys(strong, 2)
    kept, dropped = drop_back_edges([*weak, *strong], strength)
    assert nx.is_directed_acyclic_graph(graph(kept))
    assert sorted([*kept, *dropped]) == sorted({*weak, *strong})
    for source, target in dropped:
        assert nx.has_path(graph(kept, IDS), target, source)
    if nx.is_directed_acyclic_graph(graph(strong)):
        assert not {*dropped} & {*strong}


@given(arcs_between_ids)
def test_equal_strength_is_no_strength(arcs):
    assert drop_back_edges(arcs, dict.fromkeys(arcs, 3)) == drop_back_edges(arcs)


def test_the_arc_that_leads_back_is_dropped():
    # a > b > c > a, and the chord c > b
    arcs = [("c", "a"), ("a", "b"), ("b", "c"), ("c", "b")]
    assert drop_back_edges(arcs) == ([("a", "b"), ("b", "c")], [("c", "a"), ("c", "b")])


def test_the_weakest_arc_of_a_cycle_is_dropped_wherever_it_lies():
    arcs = {("a", "b"): 5, ("b", "c"): 1, ("c", "a"): 5}
    assert drop_back_edges(arcs, arcs) == ([("a", "b"), ("c", "a")], [("b", "c")])


def test_an_arc_comes_back_when_its_cycle_lost_another():
    # found first: a > b > a, loses (a, b) of strength 1; then nothing else closes
    arcs = {("a", "b"): 1, ("b", "a"): 2, ("b", "c"): 3, ("c", "b"): 2, ("c", "a"): 2}
    kept, dropped = drop_back_edges(arcs, arcs)
    assert dropped == [("a", "b"), ("c", "b")]
    assert kept == [("b", "a"), ("b", "c"), ("c", "a")]


def test_no_arcs_and_a_loop():
    assert drop_back_edges([]) == ([], [])
    with pytest.raises(ValueError, match="joins 'a' to itself"):
        drop_back_edges([("b", "c"), ("a", "a")])


def test_a_long_chain_needs_no_deep_stack():
    names = [f"n{number:05d}" for number in range(5000)]
    arcs = [*pairwise(names), (names[-1], names[0])]
    kept, dropped = drop_back_edges(arcs)
    assert dropped == [(names[-1], names[0])]
    assert topological_order([], kept) == names


@given(arcs_between_ids)
def test_the_order_is_that_of_networkx(arcs):
    kept, _ = drop_back_edges(arcs)
    expected = list(nx.lexicographical_topological_sort(graph(kept, IDS)))
    assert topological_order(IDS, kept) == expected


def test_a_cycle_has_no_order_and_is_named():
    with pytest.raises(ValueError, match="no order exists: b > c > b"):
        topological_order("abc", [("a", "b"), ("b", "c"), ("c", "b")])
    assert topological_order([], []) == []


@given(pairs_of_rows, st.integers(1, 4))
def test_reach_and_components_are_those_of_networkx(pairs, hops):
    made = nx.Graph()
    made.add_nodes_from(range(12))
    made.add_edges_from((a, b) for a, b in pairs if a != b)
    matrix = adjacency(12, pairs)
    expected = [
        [
            len(nx.single_source_shortest_path_length(made, row, hop)) - 1
            for row in range(12)
        ]
        for hop in range(1, hops + 1)
    ]
    assert reach(matrix, hops).tolist() == expected
    sizes = sorted(map(len, nx.connected_components(made)), reverse=True)
    assert component_sizes(matrix) == sizes


def test_reach_counts_others_hop_by_hop():
    # 0 - 1 - 2 - 3 and 4 alone
    matrix = adjacency(5, [(0, 1), (1, 2), (2, 3), (3, 2), (4, 4)])
    assert reach(matrix, 3).tolist() == [
        [1, 2, 2, 1, 0],
        [2, 3, 3, 2, 0],
        [3, 3, 3, 3, 0],
    ]
    assert component_sizes(matrix) == [4, 1]


def test_many_rows_are_done_in_blocks():
    ring = [(row, (row + 1) % 1200) for row in range(1200)]
    assert np.unique(reach(adjacency(1200, ring), 3), axis=1).tolist() == [
        [2],
        [4],
        [6],
    ]


def test_nothing_to_reach():
    empty = adjacency(0, [])
    assert reach(empty, 2).shape == (2, 0)
    assert component_sizes(empty) == []
    assert component_sizes(adjacency(2, [])) == [1, 1]
    with pytest.raises(ValueError, match="at least 1, got 0"):
        reach(empty, 0)


@given(pairs_of_rows, st.sets(st.integers(0, 11), max_size=3), st.integers(0, 4))
def test_distances_are_those_of_networkx(pairs, starts, most):
    made = nx.Graph()
    made.add_nodes_from(range(12))
    made.add_edges_from((a, b) for a, b in pairs if a != b)
    neighbours = {row: sorted(made[row]) for row in made}
    expected = (
        nx.multi_source_dijkstra_path_length(made, starts, most) if starts else {}
    )
    assert distances(neighbours, sorted(starts), most) == expected


def test_reach_of_some_nodes_is_that_of_all_in_their_order():
    matrix = adjacency(5, np.array([[0, 1], [1, 2], [2, 3]]))
    whole = reach(matrix, 2)
    assert whole.tolist() == [[1, 2, 2, 1, 0], [2, 3, 3, 2, 0]]
    assert reach(matrix, 2, np.array([3, 0])).tolist() == whole[:, [3, 0]].tolist()
