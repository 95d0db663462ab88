"""`llm_process` through a chat client, against a scripted endpoint."""

import json

import pytest

from skillmill.models.llm import ChatClient
from skillmill.skills.asking import asking
from skillmill.skills.batch import execute_batch
from skillmill.skills.executor import execute
from skillmill.skills.primitives import PRIMITIVES
from skillmill.skills.processing import ROLE, USUAL_INSTRUCTION, ChatProcess
from tests.memory.records import garden_view
from tests.models.endpoint import MemoryReplies, Script, refuses, rng, says, settings
from tests.skills.programs import query, skill

VIEW = garden_view()
A, B, C, D = VIEW.ids
NEAR = ("dense_search", {"args": {"form": "literal"}})
LLM = ("llm_process", {"args": {"instruction": "Keep what helps."}})


def client(script, replies=None):
    return ChatClient(
        {ROLE: settings(max_tries=1)},
        MemoryReplies() if replies is None else replies,
        rng=rng(),
        http_client=script.client(),
    )


def replying(**fields):
    return Script(says(json.dumps(fields)))


def run(script, *nodes, replies=None):
    with client(script, replies) as chat:
        process = ChatProcess(chat)
        primitives = {**PRIMITIVES, "llm_process": asking(process)}
        return execute(skill(*nodes), query(), VIEW, 4, primitives), process


def test_the_prompt_shows_the_evidence_under_short_names_and_the_reply_is_read_back():
    script = replying(kept_evidence=["e2", "e9"], view_summary="A shed.")
    done, process = run(script, NEAR, LLM)
    prompt = script.asked[0]["messages"][1]["content"]
    assert "Keep what helps." in prompt
    assert '{"id": "e2", "text": "2 March 2024\\nTom: I fixed the shed roof"}' in prompt
    assert done.ranking.items == (B,)
    assert done.evidence.variables["view_summary"] == "A shed."
    [outcome] = process.outcomes
    assert (outcome.state, outcome.record) == ("ok", "garden/q0")


def test_a_range_of_days_reaches_the_next_step():
    script = replying(time_range=["2024-04-01", "2024-04-30T12:00"])
    done, _ = run(script, LLM, ("temporal_focus_expand", {"args": {"rerank": False}}))
    assert done.ranking.items == (C, D)


def test_without_an_instruction_the_usual_one_is_given():
    script = replying()
    run(script, NEAR, ("llm_process", {}))
    assert USUAL_INSTRUCTION in script.asked[0]["messages"][1]["content"]


@pytest.mark.parametrize("reply", [refuses(403), says("no JSON at all")])
def test_a_call_without_a_usable_reply_fails_the_query_with_its_cause_u32(reply):
    done, _ = run(Script(reply), NEAR, LLM)
    assert (done.ranking.state, done.ranking.items) == ("failed", ())
    assert done.ranking.reason.startswith("step 'n1': llm_process: ")


def test_a_batch_is_asked_at_once_and_a_second_run_from_records():
    script, replies = replying(kept_evidence=["e1"]), MemoryReplies()
    queries = [query(id=f"q{n}", text=f"Why {n}?") for n in range(3)]
    runs = []
    for _ in range(2):
        with client(script, replies) as chat:
            process = ChatProcess(chat)
            primitives = {**PRIMITIVES, "llm_process": asking(process)}
            done = execute_batch(skill(NEAR, LLM), queries, VIEW, 4, primitives)
            runs.append((done.rankings(), [o.from_record for o in process.outcomes]))
    assert len(script.asked) == 3
    assert script.most_at_once > 1
    assert runs[0][0] == runs[1][0]
    assert [ranking.items for ranking in runs[0][0]] == [(A,)] * 3
    assert (runs[0][1], runs[1][1]) == ([False] * 3, [True] * 3)
