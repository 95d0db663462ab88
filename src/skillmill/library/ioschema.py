"""What a skill takes and gives: typed slots, each with where it is known from."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from skillmill.library.iowords import slots_in
from skillmill.library.textlinks import tools_of
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.failures import check_failed_share
from skillmill.models.llm import ChatClient
from skillmill.models.prompts import prompt_version, render
from skillmill.models.replies_library import SchemaReply
from skillmill.types import LibrarySkill, State

#: Role of the prompt.
ROLE: Final = "io_schema"

Kind = Literal["artefact", "file", "tool"]
Source = Literal["declared", "llm", "rule"]

#: Of a body, characters that a model is shown.
LONGEST_BODY = 6_000
#: The most types of other skills that a model is shown, the most frequent first.
MOST_KNOWN = 60
_AT_ONCE = 64


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """One thing that a skill takes or gives.

    `kind` is `artefact` for a thing with content (`invoice-csv`), `file` for a mere
    file type (`csv`), `tool` for a program or package that has to be there. `source`
    tells whether the front matter, a model or a rule says so.
    """

    name: str
    kind: Kind
    source: Source


@dataclass(frozen=True, slots=True)
class IOSchema:
    """Input and output schema of a skill (SkillTrace, eq. 7).

    State `empty` is a skill of which nothing is known; `failed` one whose reply could
    not be used: its slots are none, and it counts.
    """

    skill: str
    inputs: tuple[Slot, ...] = ()
    outputs: tuple[Slot, ...] = ()
    state: State = "ok"
    reason: str = ""

    def wanted(self) -> tuple[Slot, ...]:
        """Inputs that another skill could make: all but tools."""
        return tuple(slot for slot in self.inputs if slot.kind != "tool")


def slot_name(name: str) -> str:
    """A slot in one spelling: lower case, words joined by hyphens."""
    return re.sub(r"[\s_./-]+", "-", name.strip().casefold()).strip("-")


def read_schemas(
    skills: Sequence[LibrarySkill],
    client: ChatClient,
    *,
    model: str = "",
    failed_share: float = 1.0,
) -> tuple[list[IOSchema], list[Outcome[Any]]]:
    """Schema of each skill, in their order, and what came of the questions.

    Parameters
    ----------
    skills : sequence of LibrarySkill
    client : ChatClient
        Asked in the role `io_schema` about skills that declare neither inputs nor
        outputs; where it is off they are read by rule.
    model : str
        For messages.
    failed_share : float
        The largest share of questions without a usable reply.

    Raises
    ------
    SkillmillError
        As `ChatClient.ask_many`; replies that came before are recorded.
    LimitError
        If too many questions brought no usable reply.
    """
    declared = {s.id: _declared(s) for s in skills if s.inputs or s.outputs}
    silent = _silent(skills)
    outcomes: list[Outcome[Any]] = []
    if client.mode == "off":
        found = {skill.id: by_rule(skill) for skill in silent}
    else:
        outcomes = _asked(silent, known_types(skills), client)
        check_failed_share(outcomes, failed_share, stage=ROLE, model=model)
        pairs = zip(silent, outcomes, strict=True)
        found = {skill.id: _replied(skill, outcome) for skill, outcome in pairs}
    return [declared.get(skill.id) or found[skill.id] for skill in skills], outcomes


def by_rule(skill: LibrarySkill) -> IOSchema:
    """What a text says that it reads and writes: file types, artefacts, tools.

    A type counts as input after words such as "read" and "from", as output after
    "write" and "to"; one without such a word before it in its sentence is left out.
    """
    inputs, outputs = slots_in(f"{skill.description}\n{skill.body}")
    tools = {Slot(name, "tool", "rule") for name in tools_of(skill)}
    return _schema(
        skill.id,
        {Slot(name, kind, "rule") for name, kind in inputs} | tools,
        {Slot(name, kind, "rule") for name, kind in outputs},
        "nothing in the text says what it takes or gives",
    )


def known_types(skills: Iterable[LibrarySkill]) -> list[str]:
    """Types that skills declare, the most frequent first, of equals by name."""
    count: dict[str, int] = {}
    for skill in skills:
        for name in {slot_name(n) for n in (*skill.inputs, *skill.outputs)} - {""}:
            count[name] = count.get(name, 0) + 1
    return sorted(count, key=lambda name: (-count[name], name))[:MOST_KNOWN]


def schema_request(skill: LibrarySkill, known: Sequence[str]) -> ChatRequest:
    """The question about one skill; `known` are types to use where they fit."""
    return ChatRequest(
        role=ROLE,
        messages=render(
            ROLE,
            name=skill.name,
            description=skill.description,
            body=skill.body[:LONGEST_BODY],
            known_types=list(known),
        ),
        reply_model=SchemaReply,
        schema_name=ROLE,
        stage=ROLE,
        record=skill.id,
        version=prompt_version(ROLE),
    )


def schema_requests(skills: Sequence[LibrarySkill]) -> list[ChatRequest]:
    """What `read_schemas` would ask: about each skill that declares nothing."""
    known = known_types(skills)
    return [schema_request(skill, known) for skill in _silent(skills)]


def _silent(skills: Iterable[LibrarySkill]) -> list[LibrarySkill]:
    """Skills that declare neither inputs nor outputs."""
    return [skill for skill in skills if not (skill.inputs or skill.outputs)]


def _asked(
    silent: Sequence[LibrarySkill], known: Sequence[str], client: ChatClient
) -> list[Outcome[Any]]:
    """Ask about skills, some at a time; what came is recorded before the next."""
    outcomes: list[Outcome[Any]] = []
    for start in range(0, len(silent), _AT_ONCE):
        some = silent[start : start + _AT_ONCE]
        outcomes += client.ask_many([schema_request(skill, known) for skill in some])
    return outcomes


def _replied(skill: LibrarySkill, outcome: Outcome[Any]) -> IOSchema:
    """The schema of a reply."""
    if outcome.state != "ok" or outcome.value is None:
        return IOSchema(skill.id, state=outcome.state, reason=outcome.reason)
    reply: SchemaReply = outcome.value
    tools = {Slot(name, "tool", "rule") for name in tools_of(skill)}
    return _schema(
        skill.id,
        {Slot(slot_name(name), "artefact", "llm") for name in reply.inputs} | tools,
        {Slot(slot_name(name), "artefact", "llm") for name in reply.outputs},
        "the model names neither inputs nor outputs",
    )


def _declared(skill: LibrarySkill) -> IOSchema:
    """The schema that the front matter declares."""

    def slots(names: Iterable[str]) -> set[Slot]:
        evened = {slot_name(name) for name in names} - {""}
        return {Slot(name, "artefact", "declared") for name in evened}

    tools = {Slot(name, "tool", "rule") for name in tools_of(skill)}
    return _schema(
        skill.id,
        slots(skill.inputs) | tools,
        slots(skill.outputs),
        "the declared names are blank",
    )


def _schema(
    skill: str, inputs: set[Slot], outputs: set[Slot], nothing: str
) -> IOSchema:
    """A schema with sorted slots, `empty` if only tools are known."""
    known = outputs or any(slot.kind != "tool" for slot in inputs)
    return IOSchema(
        skill,
        tuple(sorted(inputs)),
        tuple(sorted(outputs)),
        "ok" if known else "empty",
        "" if known else nothing,
    )
