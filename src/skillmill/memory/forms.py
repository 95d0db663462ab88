"""The forms in which a memory is searched, and the parts that one may do without."""

from collections.abc import Collection, Mapping
from typing import Literal

from skillmill.compute.lexical import words
from skillmill.errors import StoreError

#: `literal`: a primitive as the paper words it; `tuned`: as it measures best.
Form = Literal["literal", "tuned"]
EntityKind = Literal["ner", "noun"]

#: What may be left out of a memory -> what it is called, and the setting that has it.
PARTS: Mapping[str, tuple[str, str]] = {
    "vectors": ("vectors", "set memory.vectors to true"),
    "ner": ("named entities", "add 'ner' to memory.entities"),
    "noun": ("nouns", "add 'noun' to memory.entities"),
}


def refuse_lacking(part: str, lacking: Collection[str], conversation: str) -> None:
    """Refuse to search what a memory was built without.

    Raises
    ------
    StoreError
        If it lacks the part; says how to build it.
    """
    if part in lacking:
        name, way = PARTS[part]
        raise StoreError(
            f"the memory of conversation {conversation!r} was built without {name}; "
            f"{way} and run again, or use a search that reads none",
            record=conversation,
        )


def lexical_words(text: str, form: Form) -> list[str]:
    """Split a text or a query as the lexical index of that form does."""
    tuned = form == "tuned"
    return words(text, stem=tuned, stop=tuned)
