"""Rewards by a reader and a judge, against a scripted endpoint."""

import json
from dataclasses import replace

import numpy as np
import pytest

from skillmill.evolve.judged import JudgedArena
from skillmill.models.llm import ChatClient
from skillmill.types import Question
from tests.evolve.ground import OFFLINE, SEEDS, arena, first_three
from tests.evolve.skills import skill
from tests.models.endpoint import FakeTime, MemoryReplies, Script, says, settings

PLAIN = arena()
NAMES = sorted(PLAIN.asked)[:4]
QUESTIONS = {
    name: Question(name, "c", f"What is {name}?", 4, f"gold of {name}", "str", None, ())
    for name in NAMES
}
QUESTIONS[NAMES[3]] = replace(QUESTIONS[NAMES[3]], answer=None)


@pytest.fixture
def judged():
    """Make an arena of a script; clients are closed at the end."""
    opened = []

    def make(script, replies=None):
        time = FakeTime()
        client = ChatClient(
            dict.fromkeys(("answer", "judge_locomo"), settings(concurrency=1)),
            replies or MemoryReplies(),
            rng=np.random.default_rng(0),
            http_client=script.client(time.clock),
            clock=time.clock,
        )
        opened.append(client)
        return JudgedArena(
            PLAIN.asked,
            first_three,
            5,
            OFFLINE,
            client=client,
            judge="judge_locomo",
            questions=QUESTIONS,
            atoms=2,
        )

    yield make
    for client in opened:
        client.close()


def script(said):
    """Reads with the words given by question, and judges what repeats the gold."""

    def answer(asked):
        text = asked["messages"][1]["content"]
        name = next(n for n in NAMES if f"What is {n}?" in text)
        if "generated_answer" in text:
            gold = f"gold of {name}"
            right = text.count(gold) == 2
            return says(json.dumps({"explanation": "e", "score": int(right)}))
        return says(said[name])

    return Script(answer)


def test_a_rollout_is_worth_the_verdict_on_its_answer(judged):
    said = {
        NAMES[0]: json.dumps({"answer": f"gold of {NAMES[0]}"}),
        NAMES[1]: json.dumps({"answer": "something else"}),
        NAMES[2]: "no answer at all",
    }
    played = script(said)
    where = judged(played)
    # The last question has no right answer, so nobody is asked about it.
    assert where.rewards(SEEDS[0], NAMES) == [1.0, 0.0, 0.0, 0.0]
    assert where.failed == 1
    assert where.first_failure
    asked = [body["messages"][1]["content"] for body in played.asked]
    assert not any(f"What is {NAMES[3]}?" in text for text in asked)
    # Two of the five atoms found are read.
    reading = next(text for text in asked if f"What is {NAMES[0]}?" in text)
    assert '"id": "e2"' in reading
    assert '"id": "e3"' not in reading


def test_the_same_rollouts_ask_nothing_again(judged):
    said = {name: json.dumps({"answer": f"gold of {name}"}) for name in NAMES}
    replies = MemoryReplies()
    first = judged(script(said), replies).rewards(SEEDS[0], NAMES)
    silent = script({})
    assert judged(silent, replies).rewards(SEEDS[0], NAMES) == first
    assert silent.asked == []


def test_a_program_that_fails_is_worth_nothing_and_asks_nothing(judged):
    played = script({})
    where = judged(played)
    broken = skill("M")
    assert where.rewards(broken, NAMES[:2]) == [0.0, 0.0]
    assert where.failed == 2
    assert played.asked == []
