import time

import numpy as np
import pytest

from skillmill.library.dependencies import DependencySettings, find_dependencies
from skillmill.library.prerequisites import DependencyGraph, both_ways
from skillmill.types import Edge
from tests.library.planted import edges, schema


def pairs(found):
    return {(edge.producer, edge.consumer): edge.weight for edge in found.edges}


def settings(**changes):
    return DependencySettings(**changes)


THREE = [
    schema("maker", outputs=["map", "chart"]),
    schema("half", ["map", "photo"]),
    schema("most", ["map", "chart", "photo"]),
]


def test_containment_is_the_share_of_the_consumers_inputs():
    found = find_dependencies(THREE, settings(measure="containment", threshold=0.5))
    assert pairs(found) == {("maker", "half"): 0.5, ("maker", "most"): 0.666667}
    strict = find_dependencies(THREE, settings(measure="containment"))
    assert pairs(strict) == {("maker", "most"): 0.666667}


def test_the_threshold_is_inclusive():
    at = find_dependencies(THREE, settings(measure="containment", threshold=0.666667))
    assert list(pairs(at)) == [("maker", "most")]


def test_one_artefact_is_enough_where_two_producers_make_half_each():
    assert pairs(find_dependencies(THREE)) == {
        ("maker", "half"): 1.0,
        ("maker", "most"): 1.0,
    }


def test_a_mere_file_type_counts_by_its_share_alone():
    files = [
        schema("maker", outputs=["csv"], kind="file"),
        schema("half", ["csv", "pdf"], kind="file"),
    ]
    assert pairs(find_dependencies(files)) == {}


def test_tools_are_no_inputs_that_a_skill_could_make():
    found = find_dependencies(
        [schema("a", outputs=["gdal"]), schema("b", ["gdal"], kind="tool")]
    )
    assert found.edges == ()


def test_a_skill_does_not_depend_on_itself():
    found = find_dependencies([schema("a", ["csv"], ["csv"])])
    assert found.edges == ()


def test_each_edge_tells_the_slots_and_the_less_trusted_source():
    found = find_dependencies(
        [schema("a", outputs=["map"], source="rule"), schema("b", ["map", "note"])]
    )
    edge = found.edges[0]
    assert edge.slots == (("map", "map", 1.0),)
    assert edge.source == "rule"


def test_the_best_producers_stay_rare_slots_first_then_by_id():
    makers = [schema(f"m{n}", outputs=["note"]) for n in range(5)]
    rare = schema("z", outputs=["note", "map"])
    user = schema("user", ["note", "map"])
    found = find_dependencies([*makers, rare, user], settings(candidates=3))
    assert [edge.producer for edge in found.edges] == ["m0", "m1", "z"]
    assert found.cut == 3


def test_affinity_decides_between_equal_producers():
    makers = [schema(f"m{n}", outputs=["note"]) for n in range(3)]
    found = find_dependencies(
        [*makers, schema("user", ["note"])],
        settings(candidates=1),
        affinity={("m2", "user"): 0.4},
    )
    assert list(pairs(found)) == [("m2", "user")]


def test_what_too_many_make_proposes_nobody_but_counts_for_who_is_proposed():
    makers = [schema(f"m{n}", outputs=["note"]) for n in range(4)]
    both = schema("z", outputs=["note", "map"])
    user = schema("user", ["note", "map"])
    found = find_dependencies(
        [*makers, both, user], settings(common=4, measure="containment")
    )
    assert pairs(found) == {("z", "user"): 1.0}
    assert found.too_common == {"note": 5}


def test_names_of_like_meaning_join_by_their_cosine():
    vectors = {"invoice-table": [1.0, 0.0], "bill-list": [0.8, 0.6], "map": [0.0, 1.0]}
    schemas = [
        schema("a", outputs=["bill-list"]),
        schema("b", ["invoice-table"]),
        schema("c", ["map"]),
    ]
    found = find_dependencies(schemas, vectors=vectors)
    # cos(bill-list, invoice-table) = .8 and cos(bill-list, map) = .6, both at least .6.
    assert pairs(found) == {("a", "b"): 0.8, ("a", "c"): 0.6}
    assert pairs(find_dependencies(schemas, settings(threshold=0.7), vectors)) == {
        ("a", "b"): 0.8
    }
    assert find_dependencies(schemas).edges == ()


def test_an_empty_library_has_no_dependencies():
    assert find_dependencies([]).edges == ()
    assert find_dependencies([], vectors={}).edges == ()


@pytest.mark.parametrize(
    "wrong", [{"threshold": 0.0}, {"measure": "jaccard"}, {"candidates": 0}]
)
def test_settings_that_no_graph_can_be_made_with_are_refused(wrong):
    with pytest.raises(ValueError, match=r"expected|at least"):
        settings(**wrong)


def test_the_order_of_skills_does_not_matter():
    again = find_dependencies(THREE[::-1])
    assert again == find_dependencies(THREE)


def test_the_work_grows_about_as_the_library_does():
    rng = np.random.default_rng(0)

    def seconds(n):
        slots = rng.integers(0, n // 4, (n, 4)).astype(str).tolist()
        schemas = [
            schema(f"s{row:06d}", set(own[:2]), set(own[2:]))
            for row, own in enumerate(slots)
        ]
        start = time.process_time()
        assert find_dependencies(schemas).edges
        return time.process_time() - start

    seconds(500)
    # Four times as many skills, eight makers a slot at either size; the square is 16.
    small = min(seconds(2_000) for _ in range(3))
    assert min(seconds(8_000) for _ in range(3)) < 10 * max(small, 0.02)


def test_a_walk_goes_along_edges_both_ways_and_layers_weigh_what_is_set():
    lent = both_ways({"a": 0, "b": 1}, [("a", "b", 0.5)])
    assert lent.toarray().tolist() == [[0, 0.5], [0.5, 0]]
    layers = {"semantic": [Edge("a", "c", "similar_to", 0.5, "embedding")]}
    graph = DependencyGraph(
        "abc", edges(("b", "a")), layers, {"dependency": 1.0, "semantic": 0.2}
    )
    # From a: 1 to b and .2 x .5 = .1 to c, so 10/11 and 1/11 of the mass.
    assert graph.walk.step.toarray()[:, 0] == pytest.approx([0, 10 / 11, 1 / 11])
    assert [edge.producer for edge in graph.into("a")] == ["b"]


def test_edges_out_of_the_library_are_left_out():
    graph = DependencyGraph("ab", edges(("b", "a"), ("gone", "a")))
    assert [edge.producer for edge in graph.into("a")] == ["b"]
