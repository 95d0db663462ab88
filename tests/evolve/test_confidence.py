"""What searches tell of how sure they are, worked by hand."""

import numpy as np
import pytest

from skillmill.evolve.confidence import confidence, feature_names
from skillmill.skills.primitive import Primitive
from skillmill.skills.state import Steps
from tests.memory.records import garden_view
from tests.skills.programs import query

VIEW = garden_view()


def fixed(name, scores):
    """A search that gives the same scores to every query."""

    def many(queries, states, view, args):
        return Steps(np.tile(np.array(scores, dtype=float), (len(queries), 1)))

    return Primitive(name, "search", lambda *_: None, many=many)


def test_the_numbers_of_two_searches_and_their_overlap():
    primitives = {"a": fixed("a", [4, 2, 0, 0]), "b": fixed("b", [0, 1, 1, 0])}
    found = confidence([query()], VIEW, ("a", "b"), primitives)
    told = dict(zip(feature_names(("a", "b")), found[0].tolist(), strict=True))
    # a: best 4, second 2, mean of four 1.5, standard deviation sqrt(2.75).
    assert told["a:best"] == pytest.approx(np.log(5))
    assert told["a:lead"] == pytest.approx(0.5)
    assert told["a:drop"] == pytest.approx((4 - 1.5) / 4)
    assert told["a:spread"] == pytest.approx(np.sqrt(2.75) / 4)
    assert told["b:lead"] == 0
    # a finds atoms 0 and 1, b 1 and 2: one of three in common.
    assert told["overlap:a:b"] == pytest.approx(1 / 3)
    assert told["dated"] == told["share of atoms in range"] == 0


def test_a_search_that_finds_nothing_is_sure_of_nothing():
    found = confidence([query()], VIEW, ("a",), {"a": fixed("a", [0, 0, -1, 0])})
    assert found.tolist() == [[0, 0, 0, 0, 0, 0]]


def test_a_dated_question_tells_how_much_of_the_memory_lies_there():
    first, last = "1900-01-01", "2999-12-31"
    found = confidence([query(time_range=(first, last))], VIEW, ())
    dated = sum(bool(atom.time_keys) for atom in VIEW.atoms) / len(VIEW.atoms)
    assert found[0].tolist() == pytest.approx([1, dated])


def test_real_searches_give_finite_numbers_in_their_ranges():
    found = confidence([query(), query(id="garden/q1")], VIEW)
    assert found.shape == (2, len(feature_names()))
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert found[0].tolist() == found[1].tolist()


def test_no_question_and_no_atom_are_no_numbers():
    assert confidence([], VIEW).shape == (0, len(feature_names()))
