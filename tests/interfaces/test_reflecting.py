"""Reflective rivals as a stage: tasks from stores, a scripted endpoint, score rows."""

import json

import numpy as np
import pytest

from skillmill.errors import LimitError
from skillmill.evaluate.aggregate import Resampling
from skillmill.evolve.reflective.arms import PLAIN, ROLES
from skillmill.interfaces.job import Counts
from skillmill.interfaces.reflecting import read_tasks
from skillmill.models.encoder import EncoderSettings
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, conversations, load, scores
from skillmill.store.usage import load_usage
from tests.evolve.test_reflective import MAGIC, OPENINGS
from tests.interfaces.gardens import QUESTIONS, build, provenance, question
from tests.interfaces.shelf import script
from tests.models.endpoint import FakeTime, MemoryReplies, Script, says, settings
from tests.models.tiny import write_tiny

JUDGE = "judge_locomo"
SPLITS = {"train": ["garden"], "val": [], "test": ["garden"]}
REPLIES = {
    "curate_sheet": {"sheet": MAGIC},
    "distil_reasoning": {"items": []},
    "rewrite_instruction": {"instruction": "Answer."},
    "note_memory": {"notes": []},
    "revise_memory_skills": {"skills": [{"name": "days", "instruction": "Note days."}]},
}


def answer(asked):
    """Right where the sheet says how; the judge looks for `yes`, the right answer."""
    system, user = (part["content"] for part in asked["messages"][:2])
    role = next((r for r, words in OPENINGS.items() if words in system), JUDGE)
    if role == JUDGE:
        return says(
            json.dumps({"score": int("yes" in user.split("answer to mark")[1])})
        )
    if role == "guided_answer":
        return says(json.dumps({"answer": "yes" if MAGIC in user else "no"}))
    return says(json.dumps(REPLIES[role]))


@pytest.fixture
def study(tmp_path):
    """Stores of the garden, and how to measure rivals on them."""
    shard = build(tmp_path)
    talks = tmp_path / "conversations.sqlite"
    with artifact.writing(talks, provenance("conversations")) as db:
        conversations.save_questions(db, [question(name) for name in QUESTIONS])
    (tmp_path / "model").mkdir()
    encoder = EncoderSettings(name=str(write_tiny(tmp_path / "model" / "tiny")))

    def measure(client):
        module, counts = script("reflective_scores"), Counts()
        output = tmp_path / "scores.sqlite"
        models = dict.fromkeys([*ROLES, JUDGE], "tiny")
        module.main(
            [shard / "memory.sqlite"],
            talks,
            SPLITS,
            module.Means(client, JUDGE, 6, encoder, 0.2),
            Resampling(20, 0.95, 0),
            output,
            artifact.Provenance("scores", "plot", "0", "c0de", models=models),
            counts,
        )
        with artifact.reading(output, "scores") as db:
            rows = {
                (row.arm, row.metric): row
                for row in scores.load_scores(db)
                if row.category == "all"
            }
            return rows, load_usage(db), load.load_outcomes(db)

    return measure


def test_tasks_hold_what_dense_search_finds(tmp_path):
    tasks, sessions = read_tasks([build(tmp_path) / "memory.sqlite"])
    found = {task.id: task for task in tasks["garden"]}
    assert set(found) == set(QUESTIONS)
    assert found["garden/q0"].gold == "yes"
    assert found["garden/q0"].evidence[0]["id"].startswith("garden/")
    shown = [record["id"] for session in sessions["garden"] for record in session]
    assert len(shown) == len(set(shown)) == 4


def test_rivals_are_arms_beside_a_reader_that_learnt_nothing(study):
    played, time = Script(answer), FakeTime()
    with ChatClient(
        dict.fromkeys([*ROLES, JUDGE], settings(concurrency=1)),
        MemoryReplies(),
        rng=np.random.default_rng(0),
        http_client=played.client(time.clock),
        clock=time.clock,
    ) as client:
        rows, used, _ = study(client)
    assert rows[PLAIN, "judge"].value == 0
    assert rows["rival:cheat-sheet", "judge"].value == 1
    assert rows["rival:cheat-sheet", "judge"].n == 2
    gain = rows[f"rival:cheat-sheet - {PLAIN}", "judge_difference"]
    assert (gain.value, gain.n, gain.split) == (1, 2, "test")
    arms = {arm for arm, metric in rows if metric == "judge"}
    assert len(arms) == 5
    for arm in arms:
        assert rows[arm, "calls_learning"].value <= 6
    # Two attempts and one curation; then two answers.
    assert rows["rival:cheat-sheet", "calls_learning"].value == 3
    assert rows["rival:cheat-sheet", "calls_answering"].value == 2
    assert {row.role for row in used} >= {"guided_answer", "curate_sheet", JUDGE}


def test_answers_that_fail_too_often_stop_the_job_with_the_first_cause(study):
    def silent(asked):
        if OPENINGS["guided_answer"] in asked["messages"][0]["content"]:
            return says("no answer today")
        return answer(asked)

    time = FakeTime()
    with (
        ChatClient(
            dict.fromkeys([*ROLES, JUDGE], settings(concurrency=1, max_tries=1)),
            MemoryReplies(),
            rng=np.random.default_rng(0),
            http_client=Script(silent).client(time.clock),
            clock=time.clock,
        ) as client,
        pytest.raises(LimitError, match=r"asking rivals: .*first cause: guided_ans"),
    ):
        study(client)


def test_without_a_model_they_are_skipped_by_name(study):
    rows, used, outcomes = study(None)
    assert (rows, used) == ({}, [])
    assert sorted(one.reason.split(":")[1] for one in outcomes) == [
        "cheat-sheet", "memory-skills", "reasoning-items", "reflective-prompts"
    ]  # fmt: skip
    assert {one.state for one in outcomes} == {"skipped"}
