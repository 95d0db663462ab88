"""What a language model is asked about a skill, and how its reply is read."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError, WrapValidator, model_validator

from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import clean, prompt_version, render
from skillmill.models.replies_library import EdgesReply, TypedEdge
from skillmill.models.reply_models import check_entries
from skillmill.models.usage import Usage
from skillmill.store.graph import RejectedEntry
from skillmill.store.records import text_key
from skillmill.types import LibrarySkill, State

#: Role of the prompt; also the name of the schema that a reply is forced into.
ROLE: Final = "emit_edges"

#: Of a description, characters that a prompt holds: the limit of the SKILL.md format.
LONGEST_DESCRIPTION = 1024

NO_CANDIDATE = "no candidate"
NOTHING_EMITTED = "the model links it to nothing"
NONE_USABLE = "no entry of the reply can be used"

#: Source, target, relation.
Ends = tuple[str, str, str]


def _kept_raw(value: object, read: Callable[[object], TypedEdge]) -> object:
    """An entry that is no edge as it came, so that it does not cost the others."""
    try:
        return read(value)
    except ValidationError:
        return value


class EmittedReply(EdgesReply):
    """What `emit_edges` is called with: edges of one skill and its candidates."""

    # Read entry by entry; a reply without one that can be used is none.

    edges: Annotated[
        list[Annotated[TypedEdge, WrapValidator(_kept_raw)]], Field(max_length=64)
    ]

    @model_validator(mode="after")
    def _has_an_edge(self) -> "EmittedReply":
        if self.edges and not any(isinstance(e, TypedEdge) for e in self.edges):
            TypedEdge.model_validate(self.edges[0])
        return self


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked about one skill and its candidates.

    `own` is the hash of what the skill itself says; `shown` maps each candidate to the
    hash of what it says, `origins` to how it was found.
    """

    skill: str
    own: str
    shown: Mapping[str, str]
    origins: Mapping[str, tuple[str, ...]]
    request: ChatRequest


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    `entries` are those that can be used, `shown` the candidates as they were when the
    answer was given, `origins` how they had been found, `usage` the tokens of the
    reply. State `empty` is a good reply without an edge, or no question, for want of
    candidates.
    """

    skill: str
    state: State
    reason: str = ""
    entries: tuple[Ends, ...] = ()
    rejected: tuple[RejectedEntry, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    usage: Usage = Usage()  # noqa: RUF009 frozen


def card(skill: LibrarySkill) -> dict[str, object]:
    """What a model sees of a skill: a change of anything else asks nothing anew."""
    shown: dict[str, object] = {
        "id": skill.id,
        "name": skill.name,
        "description": skill.description[:LONGEST_DESCRIPTION],
    }
    if skill.inputs:
        shown["inputs"] = list(skill.inputs)
    if skill.outputs:
        shown["outputs"] = list(skill.outputs)
    return shown


def card_key(skill: LibrarySkill) -> str:
    """Hash of what a model sees of a skill."""
    return text_key(json.dumps(card(skill), ensure_ascii=False))


def question(
    skill: LibrarySkill,
    candidates: Sequence[LibrarySkill],
    origins: Mapping[str, tuple[str, ...]],
    stage: str = ROLE,
    *,
    keys: Mapping[str, str] | None = None,
    is_silent: bool = False,
) -> Question:
    """Ask about a skill and its candidates, which come in the order given.

    `keys` are the card keys of skills where they are known. A silent question is never
    sent and has no messages: to write them is most of the work for a large library.
    """
    request = ChatRequest(
        role=ROLE,
        messages=[]
        if is_silent
        else render(ROLE, skill=card(skill), candidates=[*map(card, candidates)]),
        reply_model=EmittedReply,
        schema_name=ROLE,
        stage=stage,
        record=skill.id,
        version=prompt_version(ROLE),
    )
    known = keys or {one.id: card_key(one) for one in (skill, *candidates)}
    shown = {other.id: known[other.id] for other in candidates}
    return Question(skill.id, known[skill.id], shown, origins, request)


def read_answer(asked: Question, outcome: Outcome[Any] | None) -> Answer:
    """Keep the entries of a reply that can be used; None: nothing was asked."""
    if outcome is None:
        return Answer(asked.skill, "empty", NO_CANDIDATE)
    if outcome.state != "ok" or outcome.value is None:
        reason = outcome.message if outcome.reason == "off" else outcome.reason
        return Answer(
            asked.skill, outcome.state, reason, shown=asked.shown, usage=outcome.usage
        )
    ids = {clean(skill): skill for skill in (asked.skill, *asked.shown)}
    checked = check_entries(
        outcome.value.edges,
        TypedEdge,
        ids,
        allow=lambda edge: (
            None
            if asked.skill in (ids[edge.source], ids[edge.target])
            else f"neither end is {asked.skill!r}"
        ),
    )
    entries = [(ids[e.source], ids[e.target], e.relation) for e in checked.valid]
    rejected = (
        RejectedEntry(asked.skill, place, _entry_text(one.entry), one.reason)
        for place, one in enumerate(checked.rejected)
    )
    state: State = "ok" if entries else "failed" if checked.rejected else "empty"
    reasons: dict[State, str] = {"failed": NONE_USABLE, "empty": NOTHING_EMITTED}
    return Answer(
        skill=asked.skill,
        state=state,
        reason=reasons.get(state, ""),
        entries=tuple(entries),
        rejected=tuple(rejected),
        shown=asked.shown,
        origins=asked.origins,
        usage=outcome.usage,
    )


def _entry_text(entry: object) -> str:
    if isinstance(entry, TypedEdge):
        return entry.model_dump_json()
    return json.dumps(entry, ensure_ascii=False, default=str)[:LONGEST_DESCRIPTION]
