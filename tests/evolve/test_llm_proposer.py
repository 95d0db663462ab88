"""The language model's proposer against a scripted endpoint, all three stages."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from skillmill.evolve.briefing import skill_metrics
from skillmill.evolve.llm_proposer import ALL, ROLES, LlmProposer, refusal
from skillmill.evolve.proposals import ProposalContext
from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Trie
from skillmill.models.llm import ChatClient
from skillmill.skills.primitives import PRIMITIVES
from tests.evolve.skills import WORDS, skill
from tests.models.endpoint import FakeTime, MemoryReplies, Script, says, settings

D, L = skill("D", "near"), skill("L", "words")
OLD = skill("DL", "old-pair")
HASHES = (D.content_hash, L.content_hash)
#: The second question is hard; the first is solved by D alone, the third by L alone.
TABLE = RewardTable(HASHES, ("q1", "q2", "q3"), [[1, 0, 0.5], [0, 0.25, 1]])


def context(**changes):
    trie = Trie()
    for one in (D, L):
        trie = trie.added(one, source=None, step=-1)
    trie = trie.added(OLD, source=D.content_hash, step=0)
    trie = trie.standing(HASHES, HASHES)
    fields = {
        "step": 3,
        "frontier": (D, L),
        "deploy": (D, L),
        "retired": (OLD,),
        "trie": trie,
        "train": TABLE,
        "choices": (),
        "history": (),
        "primitives": PRIMITIVES,
        "limit": 3,
    }
    return ProposalContext(**{**fields, **changes})


@dataclass
class Told:
    """A source that tells little, and remembers what it was asked."""

    asked: list

    def payload(self, case, skill, rewards):
        self.asked.append((case.query, skill.name, dict(rewards)))
        return {"case_index": case.index, "case_query": case.query}


def analysis(solved, **changes):
    finding = {
        "node_id": "n0",
        "primitive": "dense_search",
        "role_in_program": "r",
        "evidence_delta": "e",
        "query_or_state_delta": "q",
    }
    key = {"node_id": "n0", "primitive": "dense_search"}
    said = {
        "case_index": 99,
        "case_query": "whatever",
        "case_groundtruth": "g",
        "case_prediction": "p",
        "case_chosen_skill": "someone",
        "overall_trace_judgment": "It looks too near.",
        "program_support_status": "supported",
    }
    if solved:
        said |= {
            "key_nodes": [{**key, "contribution": "all"}],
            "node_findings": [finding],
        }
    else:
        invented = {**key, "node_id": "n7", "undesired_behavior": "none such"}
        said |= {
            "root_cause": "skill_capability_gap",
            "failure_mode": "retrieval_gap",
            "key_nodes": [{**key, "undesired_behavior": "drifts"}, invented],
            "node_findings": [{**finding, "observed_problem": "o"}],
        }
    return {**said, **changes}


def proposal(name, source="near", **changes):
    return {
        "action": "new_path_candidate",
        "root_cause": "skill_capability_gap",
        "problem_pattern": f"pattern of {name}",
        "trigger_source": "oracle_hard",
        "intended_program_novelty": "n",
        "rationale": "r",
        "expected_gain": "g",
        "reasoning": "r",
        "new_skill_name": name,
        "source_skill_name": source,
        **changes,
    }


def design(*proposals):
    diagnosis = {
        "coverage_gaps": ["g"],
        "reusable_patterns": [],
        "candidate_new_skills": [],
    }
    return {"skill_set_diagnosis": diagnosis, "proposals": list(proposals)}


def generated(name, letters, source="near", **changes):
    nodes = [{"id": f"n{n}", "primitive": WORDS[x]} for n, x in enumerate(letters)]
    return {
        "action": "new_path_candidate",
        "source_skill_name": source,
        "new_skill_name": name,
        "description": f"Does {letters}.",
        "information_preference": "Questions\nof this kind.",
        "program_json": {"nodes": nodes},
        "reasoning": "r",
        **changes,
    }


#: How the system message of each role can be told, whatever the ladder sends.
OPENINGS = {
    "failure_analyst": "ended in a wrong answer",
    "success_analyst": "ended in a right answer",
    "designer": "You look after a set",
    "generator": "You write retrieval skills",
}


def role_of(asked):
    system = asked["messages"][0]["content"]
    return next(role for role, words in OPENINGS.items() if words in system)


def endpoint(designed, programs, **special):
    """A script that answers each role; `programs` are by name of the new skill."""

    def answer(asked):
        role = role_of(asked)
        text = asked["messages"][-1]["content"]
        if role in special:
            return says(special[role])
        if role == "designer":
            return says(json.dumps(designed))
        if role == "generator":
            name = next(n for n in programs if f'"new_skill_name": "{n}"' in text)
            return says(json.dumps(programs[name]))
        return says(json.dumps(analysis(role == "success_analyst")))

    return Script(answer)


def propose(script, told=None, replies=None, mode="live", **changes):
    time = FakeTime()
    client = ChatClient(
        dict.fromkeys(ROLES, settings(concurrency=1)),
        replies or MemoryReplies(),
        rng=np.random.default_rng(0),
        mode=mode,
        http_client=script.client(time.clock),
        clock=time.clock,
    )
    with client:
        proposer = LlmProposer(client, told or Told([]))
        return proposer.propose(context(**changes), np.random.default_rng(0))


def prompt_of(script, role):
    for asked in script.asked:
        if role_of(asked) == role:
            return asked["messages"][-1]["content"]
    raise AssertionError(f"nobody asked {role}")


def test_the_three_stages_accept_one_proposal_and_refuse_the_others_with_reasons():
    designed = design(
        proposal("near-linked"),
        proposal("repeats"),
        proposal("only-more-thought"),
        proposal("from-retired", source="old-pair"),
        proposal("from-nowhere", source="never-seen"),
        proposal("words"),
        {**proposal("x"), "action": "no_change"},
    )
    programs = {
        "near-linked": generated("near-linked", "DS"),
        "repeats": generated("repeats", "DL"),
        "only-more-thought": generated("only-more-thought", "DM"),
    }
    script = endpoint(designed, programs)
    told = Told([])
    done = propose(script, told)
    (accepted,) = done.proposals
    assert accepted.skill.name == "near-linked"
    assert accepted.skill.path == ("dense_search", "similarity_expand")
    assert accepted.skill.preference == "Questions of this kind."
    assert accepted.source == D.content_hash
    assert accepted.reason == "pattern of near-linked"
    reasons = {one.name: one.reason for one in done.refusals}
    assert reasons == {
        "from-retired": "source old-pair is retired; only the capability frontier may"
        " be edited",
        "from-nowhere": "source never-seen is not on the capability frontier",
        "words": "the name words is taken",
        "repeats": "repeats the path of old-pair, dense_search > lexical_search",
        "only-more-thought": "only adds llm_process to near, dense_search",
    }
    # One hard question, shown with its best skill; two successes.
    assert told.asked == [
        ("q2", "words", {"near": 0.0, "words": 0.25}),
        ("q1", "near", {"near": 1.0, "words": 0.0}),
        ("q3", "words", {"near": 0.5, "words": 1.0}),
    ]
    assert len(script.asked) == 3 + 1 + 3


def test_the_designer_sees_figures_overlaps_history_and_what_was_tried():
    script = endpoint(design(), {})
    done = propose(script)
    assert done.proposals == done.refusals == ()
    prompt = prompt_of(script, "designer")
    for shown in (
        '"avg_acc": 0.5',
        '"unique_win_ratio": 0.333333',
        '"overlap": {"words": 0.333333}',
        '<data name="oracle_acc">\n0.75\n</data>',
        "dense_search > lexical_search [old-pair] rejected",
        '"failure_mode": "retrieval_gap"',
        '"case_chosen_skill": "words"',
    ):
        assert shown in prompt
    # What an analyst says of a step that is not there, or of another case, is dropped.
    assert '"n7"' not in prompt
    assert '"case_index": 99' not in prompt
    frontier = prompt.split('<data name="frontier_skill_catalog">')[1].split("</data>")
    assert "old-pair" not in frontier[0]


def test_the_generator_sees_its_proposal_and_its_parent():
    script = endpoint(
        design(proposal("linked", source="words")),
        {"linked": generated("linked", "LS", source="words")},
    )
    (one,) = propose(script).proposals
    prompt = prompt_of(script, "generator")
    assert 'name: "words"' in prompt
    assert '"problem_pattern": "pattern of linked"' in prompt
    assert one.source == L.content_hash


def test_at_most_the_limit_is_generated():
    designed = design(proposal("a"), proposal("b"), proposal("c"))
    programs = {"a": generated("a", "DS"), "b": generated("b", "DE")}
    done = propose(endpoint(designed, programs), limit=2)
    assert [one.skill.name for one in done.proposals] == ["a", "b"]
    assert [(one.name, one.reason) for one in done.refusals] == [
        ("c", "beyond the limit 2")
    ]


def test_two_proposals_of_one_round_may_not_share_a_path():
    designed = design(proposal("a"), proposal("b"))
    programs = {"a": generated("a", "DS"), "b": generated("b", "DS")}
    done = propose(endpoint(designed, programs))
    assert [one.skill.name for one in done.proposals] == ["a"]
    assert done.refusals[0].reason.startswith("repeats the path of a,")


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ({"nodes": [{"id": "a", "primitive": "web_search"}]}, "web_search"),
        (
            {"nodes": [{"id": "a", "primitive": "dense_search", "args": {"k": 3}}]},
            "gives dense_search the argument 'k'",
        ),
        (
            {"nodes": [{"id": "a", "primitive": "temporal_focus_expand"}]},
            "needs 'time_range'",
        ),
        (
            {"nodes": [{"id": "a", "primitive": "dense_search", "merge": "rerank"}]},
            "comes first",
        ),
    ],
)
def test_a_program_that_cannot_run_is_refused_by_the_checks_of_a_skill_file(
    program, reason
):
    script = endpoint(
        design(proposal("a")), {"a": generated("a", "D", program_json=program)}
    )
    done = propose(script)
    assert done.proposals == ()
    assert reason in done.refusals[0].reason


def test_a_generator_that_changes_the_proposal_is_refused():
    script = endpoint(
        design(proposal("a")), {"a": generated("a", "DS", source="words")}
    )
    (refused,) = propose(script).refusals
    assert refused.reason == "the generator wrote source_skill_name words, not near"


@pytest.mark.parametrize(
    ("role", "reason"),
    [
        ("designer", "the designer failed:"),
        ("failure_analyst", "no failed rollout could be analysed"),
        ("generator", "the generator failed:"),
    ],
)
def test_a_reply_that_fits_no_schema_is_a_refusal_and_not_a_crash(role, reason):
    script = endpoint(design(proposal("a")), {}, **{role: "I would rather not."})
    done = propose(script)
    assert done.proposals == ()
    assert done.refusals[0].reason.startswith(reason)


def test_without_a_hard_question_nothing_is_asked():
    script = endpoint(design(), {})
    easy = RewardTable(HASHES, ("q1",), [[1], [0]])
    done = propose(script, train=easy)
    assert script.asked == []
    assert done.refusals[0].name == ALL
    assert "no question of the batch is hard" in done.refusals[0].reason


def test_a_second_run_asks_nothing_and_proposes_the_same():
    replies = MemoryReplies()
    programs = {"a": generated("a", "DS")}
    first = propose(endpoint(design(proposal("a")), programs), replies=replies)
    silent = endpoint(design(), {})
    again = propose(silent, replies=replies, mode="replay")
    assert again == first
    assert silent.asked == []


def test_taking_llm_process_away_is_a_new_path_and_adding_one_is_not():
    trie = Trie().added(skill("DML", "steered"), source=None, step=-1)
    assert refusal(skill("DL"), trie) is None
    assert refusal(skill("DMLM"), trie).startswith("only adds llm_process to steered")
    assert refusal(skill("DMS"), trie) is None


def test_metrics_of_skills_that_find_nothing_divide_by_nothing():
    table = RewardTable(("x", "y"), ("q",), np.zeros((2, 1)))
    found = skill_metrics(table, {"x": "one", "y": "two"})
    assert found["one"] == {
        "avg_acc": 0.0,
        "unique_win_ratio": 0.0,
        "overlap": {"two": 0.0},
    }
