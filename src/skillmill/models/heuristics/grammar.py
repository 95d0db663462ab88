"""Phrases of a sentence by spaCy, as plain text; spaCy is loaded at the first call."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from skillmill.models.heuristics.wording import stem, stems
from skillmill.models.tagger import DEFAULT_TAGGER, tagger_identity

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

#: Parses kept, so that a sentence that answers several questions is parsed once.
KEPT_PARSES = 4096

#: Heads of phrases that say nothing by themselves.
EMPTY_HEADS = frozenset(
    """
    anyone anything bit bunch chance everyone everything fun guy kind lot man moment
    one people person pic picture photo sort something someone somewhere stuff thank
    thanks thing time today tomorrow type way while word yesterday
    """.split()  # noqa: SIM905 - a quoted list of these is harder to read
)
_EDGES = frozenset({"DET", "PRON", "CCONJ", "SCONJ", "PUNCT", "INTJ", "SPACE", "PART"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: its words, the stem of its head and the stems of its content.

    `before` is the lower-case word in front of it, determiners included in the
    phrase; `""` at the start.
    """

    text: str
    head: str
    stems: frozenset[str]
    before: str


def noun_phrases(text: str) -> list[Phrase]:
    """Noun phrases of a text in order, without determiners and pronouns."""
    found = (_phrase(chunk) for chunk in _parsed(text).noun_chunks)
    return [phrase for phrase in found if phrase is not None]


def named(text: str, labels: frozenset[str]) -> list[str]:
    """Named entities of a text that carry one of spaCy's labels, in order."""
    return [
        entity.text.removesuffix("'s").removeprefix("the ")
        for entity in _parsed(text).ents
        if entity.label_ in labels
    ]


def adjectives(text: str) -> list[str]:
    """Adjectives that say how somebody or something is or feels, in order."""
    return [
        token.text.lower()
        for token in _parsed(text)
        if token.pos_ == "ADJ" and token.dep_ in {"acomp", "ROOT", "conj", "oprd"}
    ]


def proper_names(text: str) -> list[str]:
    """Runs of proper nouns in order, lower-case joints like `of` and `the` inside."""
    doc = _parsed(text)
    runs: list[list[Token]] = []
    for token in doc:
        if token.pos_ != "PROPN" or (token.is_sent_start and not token.ent_type_):
            continue
        last = runs[-1][-1] if runs else None
        if last is not None and _joined(doc, last, token):
            runs[-1].append(token)
        else:
            runs.append([token])
    return [doc[run[0].i : run[-1].i + 1].text for run in runs]


def _joined(doc: "Doc", last: "Token", token: "Token") -> bool:
    """Tell whether nothing but joints stands between two proper nouns."""
    between = doc[last.i + 1 : token.i]
    return all(t.text.lower() in {"of", "the", "and", "'s", "-"} for t in between)


def _phrase(chunk: "Span") -> Phrase | None:
    """Trim a noun chunk; None where nothing is left that says something."""
    if chunk.root.pos_ == "PRON" or chunk.root.lemma_.lower() in EMPTY_HEADS:
        return None
    tokens = list(chunk)
    while tokens and tokens[0].pos_ in _EDGES:
        tokens = tokens[1:]
    if not tokens:
        return None
    text = chunk.doc[tokens[0].i : tokens[-1].i + 1].text
    before = chunk.doc[chunk.start - 1].text.lower() if chunk.start else ""
    return Phrase(text, stem(chunk.root.text.lower()), frozenset(stems(text)), before)


@lru_cache(maxsize=KEPT_PARSES)
def _parsed(text: str) -> "Doc":
    """Parse a text; deterministic, so a kept parse equals a fresh one."""
    return _pipeline()(text)


@cache
def _pipeline() -> "Language":
    """Load the pipeline of the tagger, parser included.

    Raises
    ------
    ModelError
        If spaCy or its model is not installed.
    """
    name = tagger_identity(DEFAULT_TAGGER)["model"]
    import spacy  # noqa: PLC0415 lazy: seconds to import

    return spacy.load(name)
