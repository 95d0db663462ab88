"""Answers and verdicts of language models: recorded, labelled, counted."""

import json
from dataclasses import replace

import pytest

from skillmill.errors import LimitError
from skillmill.evaluate.judging import NOT_KNOWN, ToJudge
from skillmill.evaluate.model_judge import ModelJudge
from skillmill.interfaces.job import Counts
from skillmill.interfaces.reading import ModelReader
from skillmill.interfaces.steering import steered
from skillmill.models.llm import ChatClient
from skillmill.store import load
from skillmill.store.answers import load_answers
from skillmill.store.artifact import reading
from skillmill.store.replies import ReplyRecords
from skillmill.store.scores import load_query_scores, load_scores
from skillmill.store.usage import load_usage
from tests.interfaces.gardens import provenance
from tests.interfaces.test_answers import RESAMPLING, SKILL, read, results
from tests.interfaces.test_memory_scripts import script
from tests.models.endpoint import MemoryReplies, Script, refuses, rng, says, settings

__all__ = ["results"]  # a fixture

YES = says(json.dumps({"answer": "Yes, she does", "evidence": ["e1"]}))
RIGHT = says(json.dumps({"explanation": "same", "score": 1}))
WRONG = says(json.dumps({"explanation": "other", "score": 0}))


def client(scripted, role, replies=None):
    return ChatClient(
        {role: settings(max_tries=1)},
        MemoryReplies() if replies is None else replies,
        rng=rng(),
        http_client=scripted.client(),
    )


def model_read(results, scripted, counts=None, share=1.0):
    with (
        ReplyRecords(results.parent / "records") as replies,
        client(scripted, "answer", replies) as chat,
    ):
        reader = ModelReader(chat, "tiny")
        models = {"answer": "tiny"}
        return read(results, counts, share, reader=reader, models=models)


def judged(results, shard, scripted, share=1.0):
    output = results / "plot" / "answers" / "scores.sqlite"
    with client(scripted, "judge_locomo") as chat:
        script("answer_scores").main(
            conversations_path=results / "plot" / "memory" / "conversations.sqlite",
            stores=[shard / "answers.sqlite"],
            splits={},
            resampling=RESAMPLING,
            output=output,
            provenance=replace(provenance("scores"), models={"judge_locomo": "tiny"}),
            counts=Counts(),
            judge=ModelJudge(chat, "judge_locomo"),
            failed_share=share,
        )
    return output


def test_a_model_answers_is_named_and_its_tokens_are_those_of_the_endpoint(results):
    scripted = Script(YES)
    shard = model_read(results, scripted)
    with reading(shard / "answers.sqlite", "answers") as db:
        found = {(a.arm, a.query): a for a in load_answers(db)}
        [used] = load_usage(db)
    answer = found[SKILL, "garden/q0"]
    assert (answer.reader, answer.text) == ("model tiny", "Yes, she does")
    assert (answer.read_tokens, answer.answer_tokens) == (20, 5)
    assert found[SKILL, "garden/q1"].state == "failed"
    assert (used.role, used.replies, used.prompt_tokens) == ("answer", 2, 40)
    prompt = scripted.asked[0]["messages"][1]["content"]
    assert '"day": "2024-04-10T09:15"' in prompt
    assert "Ines: The shed needs paint" in prompt


def test_a_second_run_asks_nothing_and_writes_the_same(results):
    first, second, down = Counts(), Counts(), Script(refuses(500))
    shard = model_read(results, Script(YES), first)
    before = (shard / "answers.sqlite").read_bytes()
    model_read(results, down, second)
    assert down.asked == []
    assert (first.computed, first.reused) == (2, 0)
    assert (second.computed, second.reused) == (0, 2)
    assert (shard / "answers.sqlite").read_bytes() == before


def test_a_model_that_is_down_is_a_failure_with_its_cause_u32(results):
    with pytest.raises(LimitError, match="first cause: "):
        model_read(results, Script(refuses(403)), share=0.2)
    shard = model_read(results, Script(refuses(403)))
    with reading(shard / "answers.sqlite", "answers") as db:
        states = {(a.arm, a.query): a for a in load_answers(db)}
    assert states[SKILL, "garden/q0"].state == "failed"
    assert states[SKILL, "garden/q0"].reason.startswith("forbidden: ")


def test_a_models_verdicts_are_no_heuristic_and_a_stand_ins_are(results):
    """The reader is a model: word scores are no heuristic, whoever judges."""
    shard = model_read(results, Script(YES))
    output = judged(results, shard, Script(RIGHT))
    with reading(output, "scores") as db:
        rows = load_scores(db)
        values = {(v.arm, v.query, v.metric): v.value for v in load_query_scores(db)}
        told = {(o.stage, o.state): o.n for o in load.load_outcomes(db)}
        [used] = load_usage(db)
    assert not any(row.heuristic for row in rows)
    assert values[SKILL, "garden/q0", "judge"] == 1.0
    assert values[SKILL, "garden/q1", "judge"] == 0.0
    # Both arms say the same to one question: one judgement.
    assert told["judging", "ok"] == 1
    assert (used.role, used.stage, used.replies) == ("judge_locomo", "judging", 1)
    script("answer_scores").main(
        conversations_path=results / "plot" / "memory" / "conversations.sqlite",
        stores=[shard / "answers.sqlite"],
        splits={},
        resampling=RESAMPLING,
        output=output,
        provenance=provenance("scores"),
        counts=Counts(),
    )
    with reading(output, "scores") as db:
        marks = {row.metric: row.heuristic for row in load_scores(db)}
    assert marks["judge"] is True
    assert marks["f1_bag"] is False


def test_an_answer_of_a_stand_in_stays_heuristic_whoever_judges(results):
    output = judged(results, read(results), Script(WRONG))
    with reading(output, "scores") as db:
        assert all(row.heuristic for row in load_scores(db))


def test_judgements_that_fail_count_as_unsure_and_stop_a_run_past_the_limit(results):
    shard = read(results)
    with pytest.raises(LimitError, match=r"'judge_locomo', model 'tiny': 1 of 1"):
        judged(results, shard, Script(refuses(403)), share=0.2)
    output = judged(results, shard, Script(refuses(403)))
    with reading(output, "scores") as db:
        values = {(v.arm, v.query, v.metric): v.value for v in load_query_scores(db)}
        told = {(o.stage, o.state): o.n for o in load.load_outcomes(db)}
    assert values[SKILL, "garden/q0", "judge"] == 0.0
    assert values[SKILL, "garden/q0", "judge_unsure"] == 1.0
    assert told["judging", "failed"] == 1


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("temporal-reasoning", "may be off by one"),
        ("knowledge-update", "as the current state"),
        ("single-session-preference", "remembers what this user likes"),
        ("abstention", "it holds the whole answer"),
        ("", "it holds the whole answer"),
    ],
)
def test_each_question_type_of_longmemeval_is_judged_by_its_rule(kind, rule):
    scripted = Script(RIGHT)
    with client(scripted, "judge_longmemeval") as chat:
        judge = ModelJudge(chat, "judge_longmemeval")
        judge.prepare([ToJudge("q", "When?", kind, NOT_KNOWN, "I do not know.")])
        assert judge.judge("When?", NOT_KNOWN, "I do not know.").label == "correct"
    assert rule in " ".join(scripted.asked[0]["messages"][1]["content"].split())


def overlay(folder, **roles):
    file = folder / "models.yaml"
    section = {"mode": "live", "roles": roles}
    said = {"models": section, "records": str(folder / "records")}
    file.write_text(json.dumps(said), encoding="utf-8")
    return [file]


def test_a_command_asks_the_configured_models_and_without_any_the_stand_in(tmp_path):
    model = {"model": "tiny", "base_url": "http://model.test/v1"}
    files = overlay(tmp_path, answer=model, llm_process=model)
    with steered("recall", "plot", files, reading=True) as (process, reader):
        assert process is not None
        assert reader.label == "model tiny"
    with steered("recall", "plot", files) as (process, reader):
        assert reader is None
    with steered("recall", "plot", [], reading=True) as (process, reader):
        assert process is None
        assert reader.label == "heuristic span-reader 1"
    off = overlay(tmp_path, router=model)
    with steered("explain", "plot", off, reading=True) as (process, reader):
        assert process is None
        assert reader.label.startswith("heuristic")
