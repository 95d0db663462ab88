"""Replies of the roles that evolve retrieval skills (ERSkill, appendix B.2)."""

import json
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from skillmill.models.replies_base import Id, Item, Reply, Slug, Text, label_of

RootCause = Literal[
    "skill_capability_gap", "skill_over_broad_boundary", "answer_generation_mismatch"
]
FailureMode = Literal["retrieval_gap", "synthesis_gap"]
#: The paper leaves the values of program_support_status open; these are ours.
SupportStatus = Literal["supported", "partly_supported", "unsupported"]
Action = Literal["no_change", "new_path_candidate"]
Merge = Literal["replace", "sum", "rrf", "intersect", "rerank"]

ROOT_CAUSE = label_of(
    "skill_capability_gap", "skill_over_broad_boundary", "answer_generation_mismatch"
)
SUPPORT = label_of("supported", "partly_supported", "unsupported")
MERGE = label_of("replace", "sum", "rrf", "intersect", "rerank")


class KeyNode(Item):
    """A step that decides a case; `node_id` is one of the program's."""

    id_fields: ClassVar[tuple[str, ...]] = ("node_id",)
    key_fields: ClassVar[tuple[str, ...]] = ("node_id",)

    node_id: Id
    primitive: Id


class FailedKeyNode(KeyNode):
    """A step that leads to the failure."""

    undesired_behavior: Text


class SuccessKeyNode(KeyNode):
    """A step that helps to succeed."""

    contribution: Text


class NodeFinding(KeyNode):
    """What a step did to the evidence and to the state."""

    role_in_program: Text
    evidence_delta: Text
    query_or_state_delta: Text


class FailedNodeFinding(NodeFinding):
    """The same, with what went wrong there."""

    observed_problem: Text


class CaseAnalysis(Reply):
    """What both analysts say of one rollout; the case's fields repeat the input."""

    case_index: int
    case_query: Text
    case_groundtruth: Text
    case_prediction: Text
    case_chosen_skill: Text
    overall_trace_judgment: Text
    program_support_status: Annotated[SupportStatus, SUPPORT]


class FailureAnalysis(CaseAnalysis):
    """The failure analyst's diagnosis of one failed rollout."""

    root_cause: Annotated[RootCause, ROOT_CAUSE]
    failure_mode: Annotated[FailureMode, label_of("retrieval_gap", "synthesis_gap")]
    key_nodes: Annotated[list[FailedKeyNode], Field(max_length=16)]
    node_findings: Annotated[list[FailedNodeFinding], Field(max_length=16)]


class SuccessAnalysis(CaseAnalysis):
    """The success analyst's explanation of one successful rollout."""

    key_nodes: Annotated[list[SuccessKeyNode], Field(max_length=16)]
    node_findings: Annotated[list[NodeFinding], Field(max_length=16)]


class Proposal(Item):
    """One decision of the designer.

    A new path has both names and a source on the capability frontier; `no_change`
    has neither, and names given with it are dropped.
    """

    id_fields: ClassVar[tuple[str, ...]] = ("source_skill_name",)
    key_fields: ClassVar[tuple[str, ...]] = ("action", "new_skill_name")

    action: Annotated[Action, label_of("no_change", "new_path_candidate")]
    root_cause: Annotated[RootCause | None, ROOT_CAUSE] = None
    problem_pattern: Text
    trigger_source: Annotated[Literal["oracle_hard"], label_of("oracle_hard")]
    intended_program_novelty: Text
    rationale: Text
    expected_gain: Text
    reasoning: Text
    new_skill_name: Slug | None = None
    source_skill_name: Slug | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_names(cls, value: Any) -> Any:  # noqa: ANN401 - whatever a model wrote
        """Drop the names of a proposal that changes nothing."""
        names = {"new_skill_name", "source_skill_name"}
        label = value.get("action") if isinstance(value, dict) else None
        if isinstance(label, str) and label.strip().lower() == "no_change":
            return {key: held for key, held in value.items() if key not in names}
        return value

    @model_validator(mode="after")
    def _named(self) -> Self:
        """Refuse a new path without its names."""
        names = (self.new_skill_name, self.source_skill_name)
        if self.action == "new_path_candidate" and None in names:
            raise ValueError(
                "new_path_candidate needs new_skill_name and source_skill_name"
            )
        return self


class SkillSetDiagnosis(Reply):
    """What the cases together say of the skill set."""

    coverage_gaps: Annotated[list[Text], Field(max_length=20)]
    reusable_patterns: Annotated[list[Text], Field(max_length=20)]
    candidate_new_skills: Annotated[list[Text], Field(max_length=20)]


class DesignReply(Reply):
    """The designer's diagnosis and its proposals."""

    skill_set_diagnosis: SkillSetDiagnosis
    proposals: Annotated[list[Proposal], Field(max_length=12)]


class ProgramNode(Item):
    """A step of a program, as in `types.Node`."""

    key_fields: ClassVar[tuple[str, ...]] = ("id",)

    id: Id
    primitive: Id
    args: dict[str, Any] = Field(default_factory=dict)
    merge: Annotated[Merge, MERGE] = "sum"
    weight: Annotated[float, Field(gt=0)] = 1.0
    budget: Annotated[int, Field(gt=0)] | None = None


class Program(Reply):
    """The steps in order; whether the primitives exist is the executor's check."""

    bare: ClassVar[str | None] = "nodes"

    nodes: Annotated[list[ProgramNode], Field(min_length=1, max_length=16)]

    @field_validator("nodes")
    @classmethod
    def _distinct(cls, nodes: list[ProgramNode]) -> list[ProgramNode]:
        """Refuse two nodes of one id."""
        if len({node.id for node in nodes}) < len(nodes):
            raise ValueError("two nodes have the same id")
        return nodes


class GeneratedSkill(Reply):
    """The generator's retrieval skill for one approved proposal."""

    action: Annotated[Literal["new_path_candidate"], label_of("new_path_candidate")]
    source_skill_name: Slug
    new_skill_name: Slug
    description: Annotated[Text, Field(min_length=1)]
    information_preference: Annotated[Text, Field(min_length=1)]
    program_json: Program
    reasoning: Text

    @field_validator("program_json", mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        """Read a program that came as a string of JSON."""
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value, strict=False)
        except json.JSONDecodeError as error:
            raise ValueError(f"not JSON: {error.msg}") from error
