from itertools import pairwise
from xml.etree import ElementTree

import pytest

from skillmill.report.rulegraph import rule_graph
from tests.report.study import RULES

SVG = "{http://www.w3.org/2000/svg}"


def boxes(svg):
    """Name to (left, top, right), read from the drawing."""
    root = ElementTree.fromstring(svg)
    frames = [
        (
            float(r.get("x")),
            float(r.get("y")),
            float(r.get("x")) + float(r.get("width")),
        )
        for r in root.iter(f"{SVG}rect")
    ]
    names = [element.text for element in root.iter(f"{SVG}text")]
    return dict(zip(names, frames, strict=True))


def links(svg):
    root = ElementTree.fromstring(svg)
    return len(root.findall(f"{SVG}path"))


def test_what_is_read_stands_above_its_reader():
    found = boxes(rule_graph([("b", "a"), ("c", "b")]))
    assert found["a"][1] < found["b"][1] < found["c"][1]


def test_every_rule_stands_below_all_that_it_depends_on():
    found = boxes(rule_graph(RULES))
    assert set(found) == {rule for edge in RULES for rule in edge}
    for rule, source in RULES:
        assert found[source][1] < found[rule][1]


def test_no_boxes_overlap_and_none_leaves_the_drawing():
    svg = rule_graph(RULES)
    width = float(ElementTree.fromstring(svg).get("width"))
    frames = sorted(boxes(svg).values(), key=lambda frame: (frame[1], frame[0]))
    for left, right in pairwise(frames):
        assert left[1] != right[1] or left[2] < right[0]
    assert all(frame[0] >= 0 and frame[2] <= width for frame in frames)


def test_an_arrow_that_a_longer_way_implies_is_left_out():
    assert links(rule_graph([("b", "a"), ("c", "b"), ("c", "a")])) == 2


def test_an_arrow_past_a_layer_is_drawn_around_it():
    """a to d passes two layers, so it takes three curves; the chain takes four."""
    edges = [("b", "a"), ("c", "b"), ("d", "c"), ("d", "side")]
    svg = rule_graph(edges)
    assert links(svg) == 6


def test_the_order_of_the_edges_does_not_matter():
    assert rule_graph(RULES) == rule_graph([*reversed(RULES), RULES[0]])


def test_no_rules_give_an_empty_drawing():
    assert boxes(rule_graph([])) == {}


def test_a_name_is_text():
    svg = rule_graph([("<b>", "a\u202e")])
    assert "<b>" not in svg
    assert set(boxes(svg)) == {"<b>", "a⟨U+202E⟩"}


@pytest.mark.parametrize("edges", [[("a", "a")], [("a", "b"), ("b", "a")]])
def test_rules_in_a_circle_are_refused_by_name(edges):
    with pytest.raises(ValueError, match=r"circle.*'a'"):
        rule_graph(edges)
