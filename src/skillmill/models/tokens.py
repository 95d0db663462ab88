"""Texts as the pieces that a model reads: counted, cut, located.

`tokenizers` does the work; no neural library is needed to know how long a text is.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from skillmill.errors import ModelError
from skillmill.models.weights import read_json

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

#: Texts of one call, so that a large collection is not held in pieces at once.
_BATCH = 1024

#: A piece of an unknown tokenizer: rather too many than too few.
_ESTIMATED_PIECE = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,3}|[^\sA-Za-z0-9]")

_SURROGATE = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """Text with U+FFFD for each lone surrogate, of the same length.

    Typed in a terminal, or escaped in JSON, a text may hold some; no UTF-8 and with
    that no tokenizer and no request can.
    """
    return _SURROGATE.sub("\ufffd", text)


class Pieces(Protocol):
    """How a model cuts texts into pieces.

    Attributes
    ----------
    room : int
        The most pieces of a text that the model reads.
    """

    room: int

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Pieces of each text, special tokens and prefix left out."""
        ...

    def starts(self, text: str) -> np.ndarray:
        """(n,) ints: the character that each piece begins at, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One text as a model reads it.

    `ids` are the pieces' numbers, special tokens included, `special` tells for each
    whether it is one, `lost` counts the pieces that did not fit.
    """

    ids: tuple[int, ...]
    special: tuple[bool, ...]
    lost: int


class WordPieces:
    """The pieces of a local model, by the tokenizer in its folder.

    Parameters
    ----------
    folder : Path
        Folder of the model.
    max_length : int
        Pieces that the model reads, special tokens and prefix included.
    prefix : str
        What the model puts before each text.

    Raises
    ------
    ModelError
        If the folder has no tokenizer, or the prefix fills the limit.
    """

    def __init__(self, folder: Path, max_length: int, prefix: str = "") -> None:
        self._tokenizer = _read_tokenizer(folder / "tokenizer.json")
        self._prefix = prefix
        # sentence-transformers lowers the case before its tokenizer does, if told so.
        settings = read_json(folder / "sentence_bert_config.json")
        self._lower = bool(settings.get("do_lower_case"))
        specials = self._tokenizer.num_special_tokens_to_add(is_pair=False)
        self._most = max_length - specials
        self.room = self._most - (self.counts([prefix])[0] if prefix else 0)
        if self.room < 1:
            raise ModelError(
                f"max_length {max_length} of the model in {folder} is filled by"
                f" {max_length - self.room} special tokens and pieces of its prefix;"
                " set encoder.max_length higher",
                record=str(folder),
            )

    def rows(self, texts: Sequence[str]) -> list[Row]:
        """Each text as the model reads it: prefix before it, cut at the limit."""
        return [
            self._row(encoding)
            for encoding in self._encodings([self._prefix + text for text in texts])
        ]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Pieces of each text, special tokens and prefix left out."""
        return [len(encoding.ids) for encoding in self._encodings(texts)]

    def starts(self, text: str) -> np.ndarray:
        """(n,) ints: the character that each piece begins at, in order."""
        (encoding,) = self._encodings([text])
        starts = np.array([start for start, _ in encoding.offsets], dtype=np.int64)
        # Lower case can be longer: of a capital I with a dot it is two characters.
        return np.minimum(starts, len(text))

    def _encodings(self, texts: Sequence[str]) -> list["Encoding"]:
        read = [encodable(text) for text in texts]
        if self._lower:
            read = [text.lower() for text in read]
        found: list[Encoding] = []
        for start in range(0, len(read), _BATCH):
            batch = read[start : start + _BATCH]
            found += self._tokenizer.encode_batch(batch, add_special_tokens=False)
        return found

    def _row(self, encoding: "Encoding") -> Row:
        lost = max(0, len(encoding.ids) - self._most)
        encoding.truncate(self._most)
        whole = self._tokenizer.post_process(encoding)
        special = tuple(bool(mark) for mark in whole.special_tokens_mask)
        return Row(tuple(whole.ids), special, lost)


class EstimatedPieces:
    """Pieces of a model behind an endpoint, whose tokenizer is unknown.

    Four letters, three digits or one other character are a piece; for English text
    that is about a third more than real tokenizers make.
    """

    def __init__(self, max_length: int) -> None:
        self.room = max_length

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Estimated pieces of each text."""
        return [len(_ESTIMATED_PIECE.findall(text)) for text in texts]

    def starts(self, text: str) -> np.ndarray:
        """(n,) ints: the character that each estimated piece begins at."""
        found = [match.start() for match in _ESTIMATED_PIECE.finditer(text)]
        return np.array(found, dtype=np.int64)


def may_exceed(text: str, room: int) -> bool:
    """Whether a text could have more pieces than that; False is certain.

    Of plain ASCII every piece but the first covers a character at least.
    """
    return len(text) >= room or not text.isascii()


def _read_tokenizer(file: Path) -> "Tokenizer":
    """Load a tokenizer that neither cuts nor pads.

    Raises
    ------
    ModelError
        If the file is missing or is no tokenizer.
    """
    if not file.is_file():
        raise ModelError(
            f"no {file.name} in {file.parent}; load the model once with a recent"
            " sentence-transformers, save it again, and copy the whole folder",
            record=str(file),
        )
    if "model" not in read_json(file):
        raise ModelError(
            f"{file}: expected a tokenizer with a 'model', found none; copy the model"
            " again",
            record=str(file),
        )
    # Rayon's threads would ignore those of the rule, and warn after a fork.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Tokenizer  # noqa: PLC0415 lazy: not needed for short texts

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
