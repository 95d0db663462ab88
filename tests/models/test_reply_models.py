"""Replies are read leniently where it is harmless and strictly where it is not."""

import pytest
from pydantic import ValidationError

from skillmill.models.readjson import read_json
from skillmill.models.replies_base import LONGEST_TEXT
from skillmill.models.replies_evolution import (
    DesignReply,
    FailureAnalysis,
    GeneratedSkill,
    ProgramNode,
    Proposal,
    SuccessAnalysis,
)
from skillmill.models.replies_library import (
    EdgesReply,
    SchemaReply,
    TreeReply,
    TypedEdge,
)
from skillmill.models.replies_memory import (
    AnswerReply,
    AtomRelation,
    JudgeReply,
    ProcessReply,
    RelationReply,
    RouteReply,
)
from skillmill.models.reply_models import REPLY_MODELS

CASE = {
    "case_index": "2",
    "case_query": "When did the mast break?",
    "case_groundtruth": "in March",
    "case_prediction": "in May",
    "case_chosen_skill": "plain",
    "overall_trace_judgment": "It looked in the wrong month.",
    "program_support_status": "Partly supported",
    "key_nodes": [
        {"node_id": "s", "primitive": "dense_search", "undesired_behavior": "drifts"}
    ],
    "node_findings": [
        {
            "node_id": "s",
            "primitive": "dense_search",
            "role_in_program": "first search",
            "evidence_delta": "+10",
            "query_or_state_delta": "none",
            "observed_problem": "other months",
        }
    ],
}
PROPOSAL = {
    "action": "new_path_candidate",
    "root_cause": "skill_capability_gap",
    "problem_pattern": "exact words are missed",
    "trigger_source": "oracle_hard",
    "intended_program_novelty": "two searches",
    "rationale": "r",
    "expected_gain": "g",
    "reasoning": "r",
    "new_skill_name": "two-searches",
    "source_skill_name": "plain",
}


@pytest.mark.parametrize("label", ["HinderedBy", " hindered by ", "HINDERED_BY"])
def test_the_spelling_of_a_label_does_not_matter(label):
    reply = RelationReply.model_validate(
        {"relations": [{"atom_id": "a", "label": label}]}
    )
    assert reply.relations[0].label == "HinderedBy"


@pytest.mark.parametrize("label", ["Blocks", "", None, 3, ["Cause"], {"a": 1}])
def test_an_unknown_label_is_refused(label):
    with pytest.raises(ValidationError):
        RelationReply.model_validate({"relations": [{"atom_id": "a", "label": label}]})


def test_unknown_fields_are_ignored_and_blanks_are_trimmed():
    reply = AnswerReply.model_validate({"answer": "  a mast ", "mood": "good"})
    assert reply == AnswerReply(answer="a mast", evidence=[])


def test_a_bare_list_is_taken_for_the_list_it_stands_for():
    reply = RelationReply.model_validate([{"atom_id": 7, "label": "none"}])
    assert reply.relations == [AtomRelation(atom_id="7", label="none")]


def test_an_empty_bare_list_is_no_reply():
    with pytest.raises(ValidationError):
        RelationReply.model_validate([])


def test_a_list_may_be_full_and_not_longer():
    rows = [{"atom_id": str(n), "label": "none"} for n in range(65)]
    assert len(RelationReply.model_validate(rows[:64]).relations) == 64
    with pytest.raises(ValidationError):
        RelationReply.model_validate(rows)


def test_an_explanation_that_is_too_long_is_cut():
    reply = JudgeReply.model_validate({"score": 1, "explanation": "x" * 9_000})
    assert len(reply.explanation) == LONGEST_TEXT


@pytest.mark.parametrize(
    ("written", "score"),
    [(1, 1), ("0", 0), (1.0, 1), (True, 1), ("CORRECT", 1), ("Wrong.", 0)],
)
def test_a_score_may_be_written_in_several_ways(written, score):
    assert JudgeReply.model_validate({"score": written}).score == score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("yes", 1), ("No.", 0), ("**CORRECT**", 1), ("INCORRECT", 0), ("0", 0),
        ("<think>yes? rather no</think>\nNo", 0), ('"WRONG"', 0),
        ("yes and no", None), ("The eyes have it.", None), ("2", None), ("", None),
        ("Not correct", None), ("yes, it is not correct", None),
    ],
)  # fmt: skip
def test_a_verdict_may_be_a_word_alone_and_never_a_part_of_a_text(text, score):
    reading = read_json(text, JudgeReply)
    assert (reading.value and reading.value.score) == score
    assert (reading.value is None) == (reading.reason != "")


@pytest.mark.parametrize("written", [2, -1, 0.5, "maybe", None, [], "1 or 0"])
def test_a_score_that_is_neither_one_nor_zero_is_refused(written):
    with pytest.raises(ValidationError):
        JudgeReply.model_validate({"score": written})


def test_a_step_writes_only_what_it_names():
    reply = ProcessReply.model_validate(
        {
            "preferred_relations": ["cause", "temporal neighbor"],
            "time_range": ["2024-03-01T10:00", "2024-03-31"],
        }
    )
    assert reply.preferred_relations == ["Cause", "TemporalNeighbor"]
    assert [str(day) for day in reply.time_range or []] == ["2024-03-01", "2024-03-31"]
    assert reply.current_query is None
    assert reply.kept_evidence is None


@pytest.mark.parametrize(
    "days", [["2024-03-02"], ["2024-03-02", "2024-03-01"], ["March", "April"]]
)
def test_a_range_of_days_has_two_in_order(days):
    with pytest.raises(ValidationError):
        ProcessReply.model_validate({"time_range": days})


def test_both_analyses_carry_the_fields_of_the_paper():
    failed = FailureAnalysis.model_validate(
        CASE | {"root_cause": "skill capability gap", "failure_mode": "Retrieval_Gap"}
    )
    assert failed.case_index == 2
    assert failed.root_cause == "skill_capability_gap"
    assert failed.failure_mode == "retrieval_gap"
    assert failed.program_support_status == "partly_supported"
    assert failed.node_findings[0].observed_problem == "other months"
    node = {"node_id": "s", "primitive": "dense_search", "contribution": "found it"}
    success = SuccessAnalysis.model_validate(CASE | {"key_nodes": [node]})
    assert success.key_nodes[0].contribution == "found it"


def test_a_diagnosis_without_a_cause_is_refused():
    with pytest.raises(ValidationError, match="root_cause"):
        FailureAnalysis.model_validate(CASE | {"failure_mode": "retrieval_gap"})


def test_a_new_path_needs_both_names():
    design = {
        "skill_set_diagnosis": {
            "coverage_gaps": [],
            "reusable_patterns": [],
            "candidate_new_skills": [],
        },
        "proposals": [PROPOSAL],
    }
    read = DesignReply.model_validate(design)
    assert read.proposals[0].new_skill_name == "two-searches"
    with pytest.raises(ValidationError, match="source_skill_name"):
        Proposal.model_validate(PROPOSAL | {"source_skill_name": None})


def test_names_given_with_no_change_are_dropped():
    read = Proposal.model_validate(
        PROPOSAL | {"action": "no_change", "new_skill_name": "Not A Slug!"}
    )
    assert (read.new_skill_name, read.source_skill_name) == (None, None)


@pytest.mark.parametrize(
    ("written", "slug"), [("Two Searches", "two-searches"), ("two_searches", None)]
)
def test_a_skill_name_becomes_a_slug(written, slug):
    read = Proposal.model_validate(PROPOSAL | {"new_skill_name": written})
    assert read.new_skill_name == (slug or "two-searches")


def test_a_skill_name_with_other_signs_is_refused():
    with pytest.raises(ValidationError, match="a-z, 0-9 and hyphens"):
        Proposal.model_validate(PROPOSAL | {"new_skill_name": "../two"})


GENERATED = {
    "action": "new_path_candidate",
    "source_skill_name": "plain",
    "new_skill_name": "two-searches",
    "description": "Looks twice.",
    "information_preference": "Exact words.",
    "reasoning": "r",
}
NODE = {"id": "s", "primitive": "dense_search"}


@pytest.mark.parametrize(
    "program", [{"nodes": [NODE]}, [NODE], '{"nodes": [{"id": "s", "primitive": '
    '"dense_search"}]}']
)  # fmt: skip
def test_a_program_may_be_an_object_a_list_or_its_text(program):
    read = GeneratedSkill.model_validate(GENERATED | {"program_json": program})
    assert read.program_json.nodes == [ProgramNode(id="s", primitive="dense_search")]


@pytest.mark.parametrize(
    "program",
    [
        "dense_search, lexical_search",
        {"nodes": []},
        {"nodes": [NODE, NODE]},
        {"nodes": [NODE | {"merge": "shuffle"}]},
        {"nodes": [NODE | {"weight": 0}]},
        {"nodes": [NODE | {"id": str(n)} for n in range(17)]},
    ],
)
def test_a_program_that_cannot_be_one_is_refused(program):
    with pytest.raises(ValidationError):
        GeneratedSkill.model_validate(GENERATED | {"program_json": program})


def test_a_route_is_one_name():
    assert RouteReply.model_validate({"skill": " plain "}).skill == "plain"
    with pytest.raises(ValidationError):
        RouteReply.model_validate({"skill": ""})


def test_an_edge_joins_two_skills_by_a_known_relation():
    edge = {"source": "a", "target": "b", "relation": "Feeds into"}
    assert EdgesReply.model_validate([edge]).edges[0].relation == "feeds_into"
    for change in ({"target": "a"}, {"relation": "similar_to"}):
        with pytest.raises(ValidationError):
            TypedEdge.model_validate(edge | change)


def test_no_edges_at_all_is_a_reply():
    assert EdgesReply.model_validate({"edges": []}).edges == []


def tree(*rows):
    return {
        "nodes": [
            {"id": i, "parent": p, "requirement": i, "transformation": i}
            for i, p in rows
        ]
    }


def test_the_leaves_of_a_tree_come_in_order():
    read = TreeReply.model_validate(
        tree(("all", None), ("hull", "all"), ("sand", "hull"), ("paint", "hull"),
             ("sail", "all"))
    )  # fmt: skip
    assert [leaf.id for leaf in read.leaves()] == ["sand", "paint", "sail"]
    alone = TreeReply.model_validate(tree(("all", None)))
    assert [leaf.id for leaf in alone.leaves()] == ["all"]


DEEP = [("0", None)] + [(str(n), str(n - 1)) for n in range(1, 7)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", None), ("b", None)], "one root, got 2"),
        ([("a", "b"), ("b", "a")], "one root, got 0"),
        ([("r", None), ("a", "b"), ("b", "a")], "cycle"),
        ([("r", None), ("a", "x")], "unknown ancestor 'x'"),
        ([("r", None), ("a", "r"), ("a", "r")], "the same id"),
        (DEEP, "too deep"),
    ],
)
def test_what_is_no_tree_is_refused(rows, message):
    with pytest.raises(ValidationError, match=message):
        TreeReply.model_validate(tree(*rows))


def test_a_tree_of_six_levels_is_the_deepest():
    """The root and five levels below it."""
    assert len(TreeReply.model_validate(tree(*DEEP[:6])).nodes) == 6


def test_types_of_artefacts_are_written_alike():
    read = SchemaReply.model_validate(
        {"inputs": ["Scan Image", "invoice_pdf"], "outputs": ["table.csv"]}
    )
    assert (read.inputs, read.outputs) == (["scan-image", "invoice-pdf"], ["table-csv"])
    with pytest.raises(ValidationError):
        SchemaReply.model_validate({"inputs": ["--"], "outputs": []})


def test_reply_models_are_listed_under_their_own_names():
    assert all(name == model.__name__ for name, model in REPLY_MODELS.items())
