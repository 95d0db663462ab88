"""A step of evolution whose candidates a scripted endpoint proposes."""

import json

import numpy as np

from skillmill.evolve.cases import TracedCases
from skillmill.evolve.llm_proposer import ROLES, LlmProposer
from skillmill.evolve.state import Rules
from skillmill.evolve.step import advanced, started
from skillmill.models.llm import ChatClient
from tests.evolve.ground import SEEDS, arena, ground, questions
from tests.evolve.test_llm_proposer import (
    analysis,
    design,
    generated,
    proposal,
    role_of,
)
from tests.models.endpoint import FakeTime, MemoryReplies, Script, says, settings


def test_what_a_model_proposes_is_rolled_out_and_what_is_refused_is_kept():
    where = arena()
    programs = {
        "linked": generated("linked", "DLS", source="d"),
        "again": generated("again", "L", source="d"),
    }
    designed = design(proposal("linked", source="d"), proposal("again", source="d"))

    def answer(asked):
        role = role_of(asked)
        text = asked["messages"][-1]["content"]
        if role == "designer":
            return says(json.dumps(designed))
        if role == "generator":
            name = next(n for n in programs if f'"new_skill_name": "{n}"' in text)
            return says(json.dumps(programs[name]))
        return says(json.dumps(analysis(role == "success_analyst")))

    script, time = Script(answer), FakeTime()
    client = ChatClient(
        dict.fromkeys(ROLES, settings(concurrency=1)),
        MemoryReplies(),
        rng=np.random.default_rng(0),
        http_client=script.client(time.clock),
        clock=time.clock,
    )
    source = TracedCases(where.asked, {}, where.budget, where.primitives)
    with client:
        place = ground(where, LlmProposer(client, source))
        before = started(SEEDS, place, Rules())
        batch = questions(where, "train")
        after = advanced(before, batch, place, Rules(), np.random.default_rng(0))
    linked = next(one for one in after.trie.explored if one.skill.name == "linked")
    assert linked.rollouts["train"].n == len(batch)
    assert linked.source == SEEDS[0].content_hash
    assert linked.history[0].reason == "pattern of linked"
    assert [(one.name, one.reason) for one in after.refusals] == [
        ("again", "repeats the path of l, lexical_search")
    ]
    assert (after.history[-1].proposed, after.history[-1].refused) == (1, 1)
    # Traces of real runs reached the analysts.
    case = next(b for b in script.asked if role_of(b) == "failure_analyst")
    assert '"retrieval_metrics"' in case["messages"][-1]["content"]
    assert '"added": [' in case["messages"][-1]["content"]
