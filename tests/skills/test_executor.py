from dataclasses import replace

import numpy as np
import pytest

from skillmill.errors import InputError, ModelError
from skillmill.skills.arguments import Argument
from skillmill.skills.executor import execute
from skillmill.skills.primitive import Primitive
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.state import Step
from tests.memory.records import atom, edge, garden_view
from tests.skills.programs import query, skill

VIEW = garden_view()
A, B, C, D = VIEW.ids
NEAR = ("dense_search", {"args": {"form": "literal"}})


def run(*nodes, budget=4, view=VIEW, asked=None, primitives=PRIMITIVES):
    return execute(skill(*nodes), asked or query(), view, budget, primitives)


def fixed(name, scores, **changes):
    """A primitive that always gives the same scores."""

    def give(query, state, view, args):
        values = None if scores is None else np.array(scores, dtype=float)
        return Step(values, changes)

    return Primitive(name, "search", give)


def with_fixed(**scores):
    own = {name: fixed(name, values) for name, values in scores.items()}
    return {**PRIMITIVES, **own}


def ranked(execution):
    return dict(zip(execution.ranking.items, execution.ranking.scores, strict=True))


def test_one_search_ranks_what_it_finds_best_first():
    done = run(NEAR)
    assert done.ranking.arm == "tried"
    assert done.ranking.query == "garden/q0"
    assert (done.ranking.state, done.ranking.reason) == ("ok", None)
    # Cosines 1, 0.5, 0 and -1; what was not found stands at 0.
    assert list(ranked(done).items()) == [(A, 1.0), (B, 0.5)]


def test_two_searches_are_summed_on_one_scale_with_their_weights():
    known = with_fixed(cosines=[0.9, 0.3, 0, 0], counts=[0, 5, 20, 0])
    done = run(("cosines", {}), ("counts", {"weight": 0.5}), primitives=known)
    third = round(0.3 / 0.9, 6)
    assert list(ranked(done).items()) == [
        (A, 1.0),
        (C, 0.5),
        (B, round(third + 0.5 * 0.25, 6)),
    ]


def test_rrf_of_two_searches_is_that_of_their_ranks():
    known = with_fixed(one=[4, 3, 2, 1], other=[1, 0, 2, 0])
    done = run(("one", {}), ("other", {"merge": "rrf"}), primitives=known)
    assert ranked(done) == {
        A: round(6 / 6 + 6 / 7, 6),
        C: round(6 / 8 + 6 / 6, 6),
        B: round(6 / 7, 6),
        D: round(6 / 9, 6),
    }


def test_replace_forgets_the_evidence_before():
    known = with_fixed(one=[4, 3, 0, 0], other=[0, 0, 2, 0])
    done = run(("one", {}), ("other", {"merge": "replace"}), primitives=known)
    assert ranked(done) == {C: 1.0}
    assert done.trace[1].removed == (A, B)


def test_intersect_keeps_what_both_found():
    known = with_fixed(one=[4, 2, 0, 0], other=[0, 1, 1, 0])
    done = run(("one", {}), ("other", {"merge": "intersect"}), primitives=known)
    assert ranked(done) == {B: 1.5}


def test_rerank_orders_the_atoms_held_however_deep_they_lie():
    atoms = tuple(atom(n, f"words {n}") for n in range(60))
    view = garden_view(
        atoms=atoms, vectors=np.ones((60, 2)), edges=(), mentions=(), entity_vectors={}
    )
    rows = np.arange(60)
    known = with_fixed(one=np.where(rows >= 58, 1.0, 0.0), other=60.0 - rows)
    done = run(("one", {}), ("other", {"merge": "rerank"}), view=view, primitives=known)
    assert ranked(done) == {"garden/1/58": 1.0, "garden/1/59": 0.5}


def test_an_expansion_adds_the_neighbours_of_the_best():
    done = run(NEAR, ("relation_expand", {"args": {"seeds": 1}, "weight": 0.5}))
    # A reaches B and D with strength 1 each.
    assert ranked(done) == {A: 1.0, B: 1.0, D: 0.5}
    assert done.trace[1].added == (D,)


def test_ties_are_broken_by_id_after_rounding():
    known = with_fixed(one=[0.5, 0.5 + 1e-9, 1.0, 0.5])
    assert run(("one", {}), primitives=known).ranking.items == (C, A, B, D)


def test_the_budget_cuts_the_ranking_and_not_the_evidence():
    known = with_fixed(one=[4, 3, 2, 1])
    done = run(("one", {}), budget=2, primitives=known)
    assert done.ranking.items == (A, B)
    assert done.evidence.held.all()


def test_the_budget_of_a_node_cuts_the_evidence():
    known = with_fixed(one=[4, 3, 2, 1], other=[0, 0, 0, 1])
    done = run(("one", {"budget": 2}), ("other", {}), primitives=known)
    assert done.ranking.items == (A, D, B)
    assert done.trace[0].added == (A, B)


def test_a_deep_budget_looks_deeper_than_twenty_atoms():
    atoms = tuple(atom(n, f"words {n}") for n in range(60))
    view = garden_view(
        atoms=atoms, vectors=np.ones((60, 2)), edges=(), mentions=(), entity_vectors={}
    )
    known = with_fixed(one=60.0 - np.arange(60))
    done = run(("one", {}), view=view, budget=40, primitives=known)
    assert list(done.ranking.items) == [a.id for a in atoms[:40]]
    shallow = run(("one", {}), view=view, budget=5, primitives=known)
    assert shallow.evidence.held.sum() == 20


def test_the_trace_tells_what_each_step_found_added_and_removed():
    known = with_fixed(one=[0.9, 0, 0.1, 0], other=[0, 7, 0, 0])
    done = run(("one", {}), ("other", {"budget": 1, "weight": 2.0}), primitives=known)
    first, second = done.trace
    assert (first.node, first.primitive, first.state) == ("n0", "one", "ok")
    assert first.scores == ((A, 0.9), (C, 0.1))
    assert (first.added, first.removed) == ((A, C), ())
    assert second.scores == ((B, 7.0),)
    assert (second.added, second.removed) == ((B,), (A, C))


def test_finding_nothing_is_empty_with_a_reason_u32():
    done = run(("dense_search", {}), asked=query(tuned_vector=np.zeros(2)))
    assert done.ranking.state == "empty"
    assert done.ranking.items == ()
    assert done.ranking.reason == "no atom matched"
    assert (done.trace[0].state, done.trace[0].reason) == ("empty", "no atom matched")


def test_an_empty_step_does_not_empty_the_ranking():
    done = run(NEAR, ("similarity_expand", {}))
    assert [step.state for step in done.trace] == ["ok", "empty"]
    assert done.ranking.state == "ok"


def test_a_failing_step_fails_the_ranking_and_is_not_empty_u32():
    def down(query, state, view, args):
        raise ModelError("the model is down")

    known = {**PRIMITIVES, "remote": Primitive("remote", "process", down)}
    done = run(NEAR, ("remote", {}), ("lexical_search", {}), primitives=known)
    assert done.ranking.state == "failed"
    assert done.ranking.items == done.ranking.scores == ()
    assert done.ranking.reason == "step 'n1': the model is down"
    assert [step.state for step in done.trace] == ["ok", "failed"]


def test_an_error_of_a_service_is_a_failure_with_its_cause_u32():
    def break_down(query, state, view, args):
        raise InputError("the embedding endpoint said 500")

    known = {**PRIMITIVES, "remote": Primitive("remote", "search", break_down)}
    done = run(("remote", {}), primitives=known)
    assert done.ranking.state == "failed"
    assert done.ranking.reason == "step 'n0': the embedding endpoint said 500"


def test_a_fault_of_the_program_itself_is_not_swallowed():
    def divide(query, state, view, args):
        raise ZeroDivisionError

    known = {**PRIMITIVES, "faulty": Primitive("faulty", "search", divide)}
    with pytest.raises(ZeroDivisionError):
        run(("faulty", {}), primitives=known)


def test_a_primitive_that_is_not_at_hand_is_a_failure_that_lists_those_known():
    done = run(("graph_search", {}))
    assert done.ranking.state == "failed"
    assert "node 'n0' uses primitive 'graph_search'; known: dense_search" in (
        done.ranking.reason
    )


def test_variables_of_one_step_are_read_by_the_next():
    known = {
        **PRIMITIVES,
        "dates": fixed("dates", None, time_range=("2024-04-01", "2024-04-30")),
    }
    done = run(
        ("dates", {}),
        ("temporal_focus_expand", {"args": {"rerank": False}}),
        primitives=known,
    )
    assert done.ranking.items == (C, D)
    assert done.trace[0].changes == {"time_range": ("2024-04-01", "2024-04-30")}
    assert (done.trace[0].state, done.trace[0].scores) == ("ok", ())


def test_defaults_of_arguments_are_filled_in():
    seen = {}

    def look(query, state, view, args):
        seen.update(args)
        return Step()

    arguments = {"depth": Argument("count", 3), "word": Argument("text")}
    known = {**PRIMITIVES, "look": Primitive("look", "process", look, arguments)}
    run(("look", {"args": {"word": "x"}}), primitives=known)
    assert seen == {"depth": 3, "word": "x"}


def test_a_remark_of_a_primitive_is_in_the_trace():
    done = run(NEAR, ("relation_expand", {"args": {"relations": ("Want",)}}))
    assert done.trace[1].reason == "this memory holds no edges of Want"


def test_a_question_without_a_date_does_not_stop_a_program():
    node = ("temporal_focus_expand", {"args": {"range": "question"}})
    done = run(NEAR, node)
    assert list(ranked(done)) == [A, B]
    assert (done.trace[1].state, done.trace[1].reason) == (
        "ok",
        "the question names no date",
    )
    assert (done.trace[1].scores, done.trace[1].added) == ((), ())


def test_a_step_may_keep_some_of_the_evidence_alone():
    def filtered(query, state, view, args):
        return Step(kept=np.array([False, True, True, True]), note="less is more")

    known = {
        **with_fixed(one=[4, 3, 0, 0], other=[0, 0, 2, 0]),
        "filter": Primitive("filter", "process", filtered),
    }
    done = run(("one", {}), ("filter", {}), ("other", {}), primitives=known)
    assert ranked(done) == {B: 0.75, C: 1.0}
    assert done.trace[1].removed == (A,)


@pytest.mark.parametrize(
    "wrong", [[1.0, 2.0], [1.0, np.nan, 0, 0], [1.0, np.inf, 0, 0]]
)
def test_scores_that_are_none_fail_the_step_that_gave_them(wrong):
    done = run(NEAR, ("own", {}), primitives=with_fixed(own=wrong))
    assert done.ranking.state == "failed"
    assert "primitive 'own' gave scores of shape" in done.ranking.reason


def test_the_trace_tells_the_time_of_each_step_and_is_equal_without_it():
    one, two = run(NEAR), run(NEAR)
    assert 0 < one.trace[0].seconds < 10
    assert one.trace == two.trace


def test_a_memory_without_atoms_is_empty():
    view = garden_view(
        atoms=(), vectors=np.array([]), edges=(), mentions=(), entity_vectors={}
    )
    done = run(NEAR, view=view)
    assert done.ranking.state == "empty"
    assert done.ranking.reason == "the memory holds no atoms"


def test_a_zero_vector_never_pushes_out_a_hit_u59():
    view = garden_view(
        vectors=np.array([[0.0, 0], [1, 0], [0.5, 0.5], [np.inf, 0]]), edges=()
    )
    done = run(NEAR, view=view, budget=2)
    assert done.ranking.items == (B, C)
    assert np.isfinite(done.ranking.scores).all()


def test_no_budget_is_a_misuse():
    with pytest.raises(ValueError, match="budget must be at least 1, got 0"):
        run(NEAR, budget=0)


def test_a_program_gives_the_same_twice_and_leaves_the_query_alone():
    asked = query()
    before = replace(asked)
    nodes = (("dense_search", {}), ("entity_search", {}), ("relation_expand", {}))
    one, two = run(*nodes, asked=asked), run(*nodes, asked=asked)
    assert (one.ranking, one.trace) == (two.ranking, two.trace)
    assert asked.entities == before.entities
    assert (asked.vector == before.vector).all()


def test_similarity_and_typed_edges_are_different_ways():
    edges = (edge(A, B, "similarity", 0.4), edge(A, C, "Cause"))
    view = garden_view(edges=edges)
    first = ("dense_search", {"args": {"form": "literal"}, "budget": 1})
    alike = run(first, ("similarity_expand", {}), view=view)
    caused = run(first, ("relation_expand", {}), view=view)
    assert alike.ranking.items == (A, B)
    assert caused.ranking.items == (A, C)
