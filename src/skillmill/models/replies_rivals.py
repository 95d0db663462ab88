"""Replies of roles by which rivals reflect on past attempts (docs/reflective.md)."""

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from skillmill.models.replies_base import Id, Item, Reply, Slug, Text

#: The longest sheet or instruction kept; what is longer is cut.
LONGEST_GUIDANCE = 6_000


def _cut(value: object) -> object:
    """Cut a text to the longest kept."""
    return value[:LONGEST_GUIDANCE] if isinstance(value, str) else value


Guidance = Annotated[str, BeforeValidator(_cut), Field(min_length=1)]


class SheetReply(Reply):
    """A sheet of notes, written anew."""

    sheet: Guidance


class ReasoningItem(Item):
    """One lesson of an attempt."""

    key_fields: ClassVar[tuple[str, ...]] = ("title",)

    title: Annotated[Text, Field(min_length=1)]
    description: Text
    content: Annotated[Text, Field(min_length=1)]


class ReasoningReply(Reply):
    """At most three lessons."""

    bare: ClassVar[str | None] = "items"

    items: Annotated[list[ReasoningItem], Field(max_length=3)]


class InstructionReply(Reply):
    """What is wrong with an instruction, and a new one."""

    diagnosis: Text = ""
    instruction: Guidance


class Note(Item):
    """What is worth knowing later, and the record that says so."""

    id_fields: ClassVar[tuple[str, ...]] = ("record",)
    key_fields: ClassVar[tuple[str, ...]] = ("text",)

    text: Annotated[Text, Field(min_length=1)]
    record: Id


class NotesReply(Reply):
    """The notes of one session."""

    bare: ClassVar[str | None] = "notes"

    notes: Annotated[list[Note], Field(max_length=60)]


class MemorySkill(Item):
    """What to note of a conversation, and how."""

    key_fields: ClassVar[tuple[str, ...]] = ("name",)

    name: Slug
    instruction: Annotated[Text, Field(min_length=1)]


class MemorySkillsReply(Reply):
    """A set of memory-construction skills."""

    bare: ClassVar[str | None] = "skills"

    skills: Annotated[list[MemorySkill], Field(min_length=1, max_length=8)]
