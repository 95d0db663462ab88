"""A language model as the router, against a scripted endpoint."""

import json

import numpy as np
import pytest

from skillmill.evolve.llm_router import LlmRouting, Sent, send
from skillmill.evolve.prior_router import picks
from skillmill.models.llm import ChatClient
from tests.evolve.skills import skill
from tests.models.endpoint import FakeTime, MemoryReplies, Script, says, settings

SKILLS = (skill("L", "words"), skill("D", "near"))


@pytest.fixture
def asking():
    """Make a client of a script; all are closed at the end."""
    opened = []

    def make(script, mode="live"):
        time = FakeTime()
        client = ChatClient(
            {"router": settings(concurrency=1)},
            MemoryReplies(),
            rng=np.random.default_rng(0),
            mode=mode,
            http_client=script.client(time.clock),
            clock=time.clock,
        )
        opened.append(client)
        return client

    yield make
    for client in opened:
        client.close()


def by_question(**names):
    """A script that names a skill for the question whose first word is given."""

    def answer(asked):
        text = asked["messages"][1]["content"]
        name = next(name for word, name in names.items() if word in text)
        return says(json.dumps({"skill": name}))

    return Script(answer)


def test_each_question_goes_to_the_skill_that_the_model_names(asking):
    script = by_question(Which="words", Why="near")
    sent = send(asking(script), ["Which saw?", "Why so late?"], SKILLS)
    assert sent == [Sent("ok", 0), Sent("ok", 1)]
    prompt = script.asked[0]["messages"][1]["content"]
    assert '"information_preference": "p"' in prompt
    assert prompt.index('"near"') < prompt.index('"words"')


def test_a_name_that_is_not_on_offer_is_a_failure(asking):
    sent = send(asking(by_question(Which="best")), ["Which saw?"], SKILLS)
    assert sent[0].state == "failed"
    assert sent[0].skill is None
    assert "'best', which is not on offer" in sent[0].reason


def test_a_model_that_is_off_skips_and_one_skill_needs_no_question(asking):
    script = by_question(Which="words")
    sent = send(asking(script, mode="off"), ["Which saw?"], SKILLS)
    assert sent[0].state == "skipped"
    assert send(asking(script, mode="off"), ["Which saw?"], SKILLS[:1]) == [
        Sent("ok", 0)
    ]
    assert script.asked == []


def test_it_stands_where_a_trained_router_is_expected(asking):
    routing = LlmRouting(asking(by_question(Which="words", Why="near", Who="nobody")))
    questions = np.eye(3, 4, dtype=np.float32)
    skills = np.eye(2, 5, dtype=np.float32)
    routing.know(questions, ["Which saw?", "Why so late?", "Who called?"])
    routing.know_skills(skills, SKILLS)
    router = routing.train(questions, skills, np.zeros((2, 3)), None, None)
    router = routing.load(router.dump())
    shares = router.probabilities(questions, skills)
    assert shares.tolist() == [[1, 0], [0, 1], [0.5, 0.5]]
    assert list(routing.failed) == ["Who called?"]
    assert picks(router, questions, skills[::-1]).tolist() == [1, 0, 0]
    with pytest.raises(KeyError):
        router.probabilities(questions + 1, skills)
