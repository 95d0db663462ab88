"""What all local encoders share: pieces in, batches of one length, unit rows out."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from skillmill.errors import ModelError
from skillmill.models.tokens import Row, WordPieces
from skillmill.models.weights import check_weights

Floats = npt.NDArray[np.float32]
Halves = npt.NDArray[np.float16]

#: Told to the hub client and to the tokenizer before they are imported.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


@dataclass
class LocalEncoder:
    """A model in a folder of this machine; its children know how to run it.

    A batch holds texts of one length, so nothing is padded, and a text's vector does
    not depend on what is encoded with it.

    Attributes
    ----------
    folder : Path
        Where the weights lie.
    identity : mapping of str to str or int
        See `encoder.identity_of`.
    batch_size, threads : int
        The most texts run at once, and the threads used.
    expected_sha256 : str or None
        What the weights must hash to; checked when they are first loaded.
    truncated : int
        Texts given so far that were longer than the model reads: their ends are
        in no vector.
    """

    folder: Path
    identity: Mapping[str, str | int]
    batch_size: int = 16
    threads: int = 1
    expected_sha256: str | None = None
    truncated: int = 0

    @property
    def token_identity(self) -> dict[str, str | int]:
        """What token vectors depend on beside their text."""
        return {**self.identity, "pooling": "none", "stored": "float16"}

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode texts as (n, d) float32 rows of length one, in the order given.

        Raises
        ------
        ModelError
            If the weights are not those expected or a vector has no direction.
        """
        vectors = np.zeros((len(texts), int(self.identity["dimension"])), np.float32)
        for numbers, rows in self._batches(texts):
            _, pooled = self._run(np.array([row.ids for row in rows], np.int64))
            vectors[numbers] = _unit(pooled, [texts[n] for n in numbers], self.folder)
        return vectors

    def encode_tokens(self, texts: Sequence[str]) -> list[Halves]:
        """Encode each text as (t, d) float16 rows of length one, a row a piece.

        These are the states that mean pooling averages, without those of special
        tokens; a text without pieces has (0, d).

        Raises
        ------
        ModelError
            As `encode`.
        """
        found: dict[int, Halves] = {}
        for numbers, rows in self._batches(texts):
            states, _ = self._run(np.array([row.ids for row in rows], np.int64))
            for number, row, mine in zip(numbers, rows, states, strict=True):
                kept = mine[~np.array(row.special)]
                names = [texts[number]] * len(kept)
                found[number] = _unit(kept, names, self.folder).astype(np.float16)
        return [found[number] for number in range(len(texts))]

    @cached_property
    def pieces(self) -> WordPieces:
        """How the model cuts texts."""
        return WordPieces(
            self.folder, int(self.identity["max_length"]), str(self.identity["prefix"])
        )

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], list[Row]]]:
        """Rows of one length with their places, shorter ones first."""
        by_length: dict[int, list[int]] = defaultdict(list)
        rows = self.pieces.rows(texts) if texts else []
        self.truncated += sum(row.lost > 0 for row in rows)
        for number, row in enumerate(rows):
            by_length[len(row.ids)].append(number)
        for _, numbers in sorted(by_length.items()):
            for start in range(0, len(numbers), self.batch_size):
                batch = numbers[start : start + self.batch_size]
                yield batch, [rows[number] for number in batch]

    def _run(self, ids: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        """States (b, t, d) and pooled vectors (b, d) of (b, t) piece numbers."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Check the weights and settle the threads, before a library is imported."""
        if self.expected_sha256 is not None:
            check_weights(self.folder, self.expected_sha256)
        os.environ.update(OFFLINE, OMP_NUM_THREADS=str(self.threads))


def _unit(matrix: Floats, texts: Sequence[str], folder: Path) -> Floats:
    """Rows of length one; refuses those that would spread NaN through every cosine."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    lost = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if lost.size:
        raise ModelError(
            f"the model in {folder} gave {lost.size} of {len(texts)} texts a vector "
            f"that is zero or not finite, the first for {texts[lost[0]][:60]!r}",
            record=str(folder),
        )
    return np.asarray(matrix / lengths, dtype=np.float32)
