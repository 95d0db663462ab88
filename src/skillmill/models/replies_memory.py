"""Replies of the roles that build and read a memory (ERSkill, appendix D.4).

The papers' field names and labels; where a paper names none, the docstring says so.
"""

from datetime import date
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from skillmill.models.replies_base import Id, Item, Reply, Text, label_of

RelationLabel = Literal[
    "Changed", "Cause", "Reason", "HinderedBy", "React", "Want", "none"
]
#: What `relation_expand` can follow: the rule's relation beside the model's.
FollowedRelation = Literal[
    "Changed", "Cause", "Reason", "HinderedBy", "React", "Want", "TemporalNeighbor"
]
_RELATIONS = ("Changed", "Cause", "Reason", "HinderedBy", "React", "Want")

#: What may stand around a verdict.
_AROUND = " \t\r\n.!*_`\"'"
#: A judge's words for its two scores.
_SCORES = {
    "correct": 1, "wrong": 0, "incorrect": 0, "true": 1, "false": 0, "yes": 1, "no": 0,
}  # fmt: skip


class AtomRelation(Item):
    """The relation from the source atom to one neighbour (eq. 10)."""

    id_fields: ClassVar[tuple[str, ...]] = ("atom_id",)
    key_fields: ClassVar[tuple[str, ...]] = ("atom_id",)

    atom_id: Id
    label: Annotated[RelationLabel, label_of(*_RELATIONS, "none")]


class RelationReply(Reply):
    """One label for each neighbour that was shown."""

    bare: ClassVar[str | None] = "relations"

    relations: Annotated[list[AtomRelation], Field(max_length=64)]


def _day(value: object) -> object:
    """Cut an ISO 8601 moment to its day."""
    return value[:10] if isinstance(value, str) else value


class ProcessReply(Reply):
    """What `llm_process` writes into the state; null where nothing changes.

    The first four names are ERSkill's (appendix A.1); `kept_evidence`, the ids of the
    atoms to go on with, is ours: the paper only says that evidence is filtered.
    """

    preferred_relations: (
        Annotated[
            list[
                Annotated[FollowedRelation, label_of(*_RELATIONS, "TemporalNeighbor")]
            ],
            Field(max_length=7),
        ]
        | None
    ) = None
    time_range: (
        Annotated[
            list[Annotated[date, BeforeValidator(_day)]],
            Field(min_length=2, max_length=2),
        ]
        | None
    ) = None
    current_query: Text | None = None
    view_summary: Text | None = None
    kept_evidence: Annotated[list[Id], Field(max_length=200)] | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        """Refuse a range that ends before it begins."""
        if self.time_range and self.time_range[0] > self.time_range[1]:
            raise ValueError("time_range: expected the first day before the last")
        return self


class WrittenEntry(Item):
    """Something written down about records, which it names by id.

    All names are ours: the prompt is, too.
    """

    kind: Annotated[
        Literal["note", "segment", "fact", "topic"],
        label_of("note", "segment", "fact", "topic"),
    ]
    text: Text
    keywords: Annotated[list[Text], Field(max_length=30)] = Field(default_factory=list)
    records: Annotated[list[Id], Field(max_length=200)] = Field(default_factory=list)


class WrittenReply(Reply):
    """What a memory keeps of records."""

    bare: ClassVar[str | None] = "entries"

    entries: Annotated[list[WrittenEntry], Field(max_length=64)]


class AnswerReply(Reply):
    """A short answer and the ids of the records it rests on.

    Both names are ours: the paper gives no prompt for answering.
    """

    answer: Text
    evidence: Annotated[list[Id], Field(max_length=50)] = Field(default_factory=list)


class JudgeReply(Reply):
    """1 for correct, 0 for wrong, and a sentence of explanation (appendix D.4.2).

    A reply of the verdict alone is one, too: `1`, `yes`, `**WRONG**`.
    """

    bare_word: ClassVar[str | None] = "score"

    explanation: Text = ""
    score: Literal[0, 1]

    @field_validator("score", mode="before")
    @classmethod
    def _as_number(cls, value: object) -> object:
        """Read `1`, `"1"`, 1.0, true, CORRECT and WRONG, never a part of a text."""
        if isinstance(value, str):
            word = value.strip(_AROUND).lower()
            return _SCORES.get(word, int(word) if word.isdecimal() else value)
        if isinstance(value, bool | float) and value in {0, 1}:
            return int(value)
        return value


class RouteReply(Reply):
    """The name of one of the retrieval skills offered (appendix D.4.3)."""

    skill: Id
