"""Which rollouts analysts see, and what of them."""

import json
from dataclasses import dataclass

import numpy as np

from skillmill.evolve.cases import Case, TracedCases, select_cases
from skillmill.evolve.proposals import Choice
from skillmill.evolve.table import RewardTable
from skillmill.skills.primitives import PRIMITIVES
from tests.memory.records import garden_view
from tests.skills.programs import query, skill

#: Questions a to e; b and d are hard, d the harder one.
TABLE = RewardTable(
    ("one", "two"),
    ("a", "b", "c", "d", "e"),
    np.array([[1.0, 0.5, 1.0, 0.0, 0.2], [1.0, 0.2, 0.0, 0.0, 1.0]]),
)


def test_hard_questions_come_first_with_the_skill_that_was_picked():
    picks = [Choice("b", "two", 0.7), Choice("d", "gone", 0.9)]
    found = select_cases(TABLE, picks, failed=9, succeeded=0, solved=1.0)
    # For d the pick is not in the table, so the first of the equally bad skills.
    assert found == [Case(0, "d", "one", False), Case(1, "b", "two", False)]


def test_without_a_pick_the_best_skill_of_a_hard_question_is_shown():
    found = select_cases(TABLE, [], failed=2, succeeded=0, solved=1.0)
    assert [(case.query, case.skill) for case in found] == [("d", "one"), ("b", "one")]


def test_successes_go_round_the_skills_and_begin_with_unique_ones():
    # `one` alone solves c, `two` alone e; a is solved by both.
    found = select_cases(TABLE, [], failed=0, succeeded=9, solved=1.0)
    assert [(case.query, case.skill) for case in found] == [
        ("c", "one"),
        ("e", "two"),
        ("a", "one"),
    ]
    assert [case.index for case in found] == [0, 1, 2]
    few = select_cases(TABLE, [], failed=0, succeeded=1, solved=1.0)
    assert [case.query for case in few] == ["c"]


def test_no_case_of_no_questions():
    assert select_cases(RewardTable.empty(()), [], 3, 3, 1.0) == []


@dataclass(frozen=True)
class Posed:
    query: object
    view: object
    evidence: tuple


def test_a_case_holds_trace_metrics_view_and_state_and_repeats_exactly():
    view = garden_view()
    asked = query()
    tried = skill(("dense_search", {"args": {"form": "literal"}}))
    lost = view.ids[-1]
    source = TracedCases(
        {"q": Posed(asked, view, (view.ids[0], lost))}, {"q": "yes"}, 1, PRIMITIVES
    )
    case = Case(4, "q", "hash", False)
    told = source.payload(case, tried, {"tried": 0.5})
    assert told["case_index"] == 4
    assert told["case_groundtruth"] == "yes"
    assert [step["node_id"] for step in told["trace"]] == ["n0"]
    assert told["retrieval_metrics"]["rank_of_evidence_found"] == {view.ids[0]: 1}
    assert [a["atom"] for a in told["retrieval_metrics"]["evidence_not_found"]] == [
        lost
    ]
    assert told["evidence_view"] == [
        {"atom": view.ids[0], "text": view.atoms[0].text[:400]}
    ]
    assert told["final_state"]["state"] == "ok"
    again = source.payload(case, tried, {"tried": 0.5})
    assert json.dumps(told) == json.dumps(again)
