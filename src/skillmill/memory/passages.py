"""The texts of a memory that are embedded: atoms, questions, entities."""

from collections.abc import Iterable, Mapping

from skillmill.memory.atoms import strip_names
from skillmill.types import Atom, Conversation, Mention, Question

#: Record id, part number within it, text.
Passage = tuple[str, int, str]


def atom_passages(atoms: Iterable[Atom]) -> list[Passage]:
    """One passage an atom, sorted by id."""
    return sorted((atom.id, 0, atom.text) for atom in atoms)


def question_passages(
    questions: Iterable[Question],
    conversations: Mapping[str, Conversation],
    *,
    tuned: bool,
) -> list[Passage]:
    """One passage a question, sorted by id; `tuned` leaves the speakers' names out.

    Nearly every question names a speaker and every atom holds the names, so in a
    query they only pull all atoms closer.
    """
    return sorted(
        (
            question.id,
            0,
            strip_names(question.text, conversations[question.conversation].speakers)
            if tuned
            else question.text,
        )
        for question in questions
    )


def entity_passages(mentions: Iterable[Mention]) -> list[Passage]:
    """One passage a named entity, its text being its id; sorted."""
    return [
        (entity, 0, entity)
        for entity in sorted({m.entity for m in mentions if m.kind == "ner"})
    ]
