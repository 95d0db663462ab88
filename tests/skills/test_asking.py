"""A scripted model steers a program; what it may not write is left out and noted."""

import pytest

from skillmill.errors import ModelError
from skillmill.skills.asking import NO_MODEL, WRITTEN, Request, asking
from skillmill.skills.batch import execute_batch
from skillmill.skills.executor import execute
from skillmill.skills.primitives import PRIMITIVES
from tests.memory.records import garden_view
from tests.skills.programs import query, skill

VIEW = garden_view()
A, B, C, D = VIEW.ids
TEXTS, DAY = [atom.text for atom in VIEW.atoms], "2 March 2024"
NEAR = ("dense_search", {"args": {"form": "literal"}})


class Scripted:
    """Answers as told and remembers what it was asked."""

    def __init__(self, **reply):
        self.reply = reply
        self.asked = []

    def ask(self, request):
        self.asked.append(request)
        return self.reply


def run(model, *nodes):
    primitives = {**PRIMITIVES, "llm_process": asking(model)}
    return execute(skill(*nodes), query(), VIEW, 4, primitives)


LLM = ("llm_process", {"args": {"instruction": "Keep what helps."}})


def test_a_model_is_told_the_question_the_evidence_and_what_it_may_choose_from():
    model = Scripted(view_summary="A shed.")
    run(model, NEAR, LLM, ("llm_process", {}))
    first, second = model.asked
    assert first == Request(
        question="Does Ines paint the sheds?",
        instruction="Keep what helps.",
        evidence=((A, f"{DAY}\n{TEXTS[0]}"), (B, f"{DAY}\n{TEXTS[1]}")),
        relations=("Cause", "TemporalNeighbor"),
        variables={},
        id="garden/q0",
        original="Does Ines paint the sheds?",
    )
    assert second.instruction is None
    assert second.variables == {"view_summary": "A shed."}


def test_each_variable_reaches_the_step_that_reads_it():
    dates = run(
        Scripted(time_range=["2024-04-01", "2024-04-30"]),
        LLM,
        ("temporal_focus_expand", {"args": {"rerank": False}}),
    )
    assert dates.ranking.items == (C, D)
    assert dates.trace[0].changes == {"time_range": ("2024-04-01", "2024-04-30")}
    ways = run(
        Scripted(preferred_relations=["Cause"]), NEAR, LLM, ("relation_expand", {})
    )
    assert ways.trace[2].scores == ((D, 1.0),)
    words = run(Scripted(current_query="cold Oslo"), LLM, ("lexical_search", {}))
    assert words.ranking.items == (D,)


def test_kept_evidence_is_all_that_stays():
    done = run(Scripted(kept_evidence=[B]), NEAR, LLM)
    assert done.ranking.items == (B,)
    assert done.ranking.scores == (0.5,)
    assert (done.trace[1].removed, done.trace[1].reason) == ((A,), None)


HELD = "expected ids of the atoms held, got "
RANGE = "expected two ISO days, the first not after the last"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("kept_evidence", [A, D], f"{HELD}['{D}']"),
        ("kept_evidence", [], f"{HELD}[]"),
        ("kept_evidence", [3], f"{HELD}[3]"),
        ("kept_evidence", A, f"{HELD}'{A}'"),
        ("time_range", ["2024-05-01", "2024-04-01"], RANGE),
        ("time_range", "May", RANGE),
        ("preferred_relations", ["Cause", "Envy"], "some of Cause, TemporalNeighbor"),
        ("preferred_relations", [], "some of Cause, TemporalNeighbor"),
        ("current_query", " ", "expected a text, got ' '"),
        ("view_summary", 7, "expected a text, got 7"),
        ("scores", [1, 2], "it may write preferred_relations, time_range, current_"),
    ],
)
def test_what_may_not_be_written_changes_nothing_and_is_noted(name, value, told):
    done = run(Scripted(**{name: value}), NEAR, LLM)
    assert done.ranking == run(Scripted(), NEAR, LLM).ranking
    assert done.trace[1].changes == {}
    assert done.trace[1].reason.startswith("rejected ")
    assert name in done.trace[1].reason
    assert told in done.trace[1].reason


def test_the_good_part_of_a_reply_counts_beside_a_bad_one():
    reply = {"mood": "good", "kept_evidence": [A], "time_range": None}
    done = run(Scripted(**reply, view_summary="x"), NEAR, LLM)
    assert done.ranking.items == (A,)
    assert done.trace[1].changes == {"view_summary": "x"}
    assert done.trace[1].reason.startswith("rejected 'mood'")


def test_a_model_that_fails_fails_the_query_u32():
    class Down:
        def ask(self, request):
            raise ModelError("the endpoint said 500 five times")

    done = run(Down(), NEAR, LLM)
    assert done.ranking.state == "failed"
    assert done.ranking.reason == "step 'n1': the endpoint said 500 five times"


def test_a_rewritten_query_is_what_the_next_model_sees():
    model = Scripted(current_query="cold Oslo")
    run(model, LLM, LLM)
    assert [request.question for request in model.asked] == [
        "Does Ines paint the sheds?",
        "cold Oslo",
    ]


def test_without_a_model_the_step_is_skipped_and_says_so():
    words = ("lexical_search", {})
    done = execute(skill(NEAR, LLM, words), query(), VIEW, 4)
    assert done.ranking == execute(skill(NEAR, words), query(), VIEW, 4).ranking
    assert [step.state for step in done.trace] == ["ok", "skipped", "ok"]
    assert done.trace[1].reason == NO_MODEL
    assert done.evidence.variables["left_out"] == WRITTEN
    batch = execute_batch(skill(NEAR, LLM, LLM), [query(), query()], VIEW, 4)
    assert batch.skipped == {NO_MODEL: 4}
    assert batch.rankings() == [execute(skill(NEAR), query(), VIEW, 4).ranking] * 2


def test_a_step_that_needs_what_a_skipped_one_would_have_written_is_skipped_too():
    days = ("temporal_focus_expand", {})
    own = ("temporal_focus_expand", {"args": {"range": "question"}})
    done = execute(skill(NEAR, LLM, days, own), query(), VIEW, 4)
    assert [step.state for step in done.trace] == ["ok", "skipped", "skipped", "ok"]
    told = "time_range comes from a step that was left out"
    assert done.trace[2].reason == told
    assert done.ranking == execute(skill(NEAR), query(), VIEW, 4).ranking
    batch = execute_batch(skill(NEAR, LLM, days), [query()], VIEW, 4)
    assert batch.skipped == {NO_MODEL: 1, told: 1}


def test_a_model_may_be_told_of_all_questions_of_a_batch_before_the_first():
    class Ahead(Scripted):
        told = ()

        def ahead(self, requests):
            assert not self.asked
            self.told = [*requests]

    model = Ahead(kept_evidence=[B])
    primitives = {**PRIMITIVES, "llm_process": asking(model)}
    queries = [query(id="q0"), query(id="q1")]
    done = execute_batch(skill(NEAR, LLM), queries, VIEW, 4, primitives)
    assert [ranking.items for ranking in done.rankings()] == [(B,), (B,)]
    assert model.told == model.asked
    assert [request.id for request in model.told] == ["q0", "q1"]
