"""Passages to vectors through the record store: only unknown texts are encoded."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from skillmill.interfaces.job import Counts
from skillmill.interfaces.progress import told_batches
from skillmill.models.chunks import mean_vector, measure, split_text
from skillmill.models.encoder import Encoder
from skillmill.models.tokens import Pieces
from skillmill.store.records import VectorRecords, text_key

LongTexts = Literal["truncate", "mean", "max"]
Vector = npt.NDArray[np.float32]

#: Kind, id, part and text of a passage; or its vector in the text's place.
PassageRow = tuple[str, str, int, str]
VectorRow = tuple[str, str, int, Vector]

#: Texts encoded between two commits.
BATCH = 64

#: What is noted of passages that are longer than the encoder reads.
REASONS: Mapping[LongTexts, str] = {
    "truncate": "longer than the encoder reads: the end is left out",
    "mean": "longer than the encoder reads: the mean of its parts",
    "max": "longer than the encoder reads: a vector for each part",
}


def embed_passages(
    rows: Sequence[PassageRow],
    encoder: Encoder,
    pieces: Pieces | None,
    long_texts: LongTexts,
    records: Path,
    counts: Counts,
) -> list[VectorRow]:
    """Vectors of passages, in their order.

    Parameters
    ----------
    rows : sequence of (kind, id, part, text)
    encoder : Encoder
        Asked for what `records` does not hold.
    pieces : Pieces or None
        How its model cuts texts; None: no text is too long.
    long_texts : str
        `truncate`: the encoder reads the beginning. `mean`: one vector, the mean of
        the parts'. `max`: a vector for each part, so that a score can take the best;
        the first has the passage's own number, the others come after the highest
        number of the record.
    records : Path
        Folder of the record stores; each batch is kept as soon as it is there.
    counts : Counts
        Told what was computed and reused, and how many passages were too long.

    Returns
    -------
    list of (kind, id, part, vector)
        Vectors are (d,) float32 of length one.

    Raises
    ------
    ModelError
        If the encoder fails; what it gave before is recorded.
    """
    cut = _cut([text for *_, text in rows], pieces, long_texts, counts)
    known = _recorded(
        [part for parts in cut for part in parts], encoder, records, counts
    )
    found: list[VectorRow] = []
    last = _last_parts(rows)
    for (kind, id, part, _), parts in zip(rows, cut, strict=True):
        vectors = [known[text_key(text)] for text in parts]
        if long_texts == "mean" and pieces is not None and len(parts) > 1:
            vectors = [mean_vector(np.stack(vectors), pieces.counts(parts))]
        found.append((kind, id, part, vectors[0]))
        for vector in vectors[1:]:
            last[kind, id] += 1
            found.append((kind, id, last[kind, id], vector))
    return found


def embed_texts(
    texts: Sequence[str], encoder: Encoder, records: Path, counts: Counts
) -> dict[str, Vector]:
    """Vectors of short texts by text; longer than the encoder reads: its beginning.

    Raises
    ------
    ModelError
        If the encoder fails; what it gave before is recorded.
    """
    known = _recorded(texts, encoder, records, counts)
    return {text: known[text_key(text)] for text in texts}


def _last_parts(rows: Sequence[PassageRow]) -> dict[tuple[str, str], int]:
    """The highest part of each record."""
    last: dict[tuple[str, str], int] = {}
    for kind, id, part, _ in rows:
        last[kind, id] = max(part, last.get((kind, id), 0))
    return last


def _cut(
    texts: Sequence[str], pieces: Pieces | None, long_texts: LongTexts, counts: Counts
) -> list[list[str]]:
    """Each text, or its parts where it is too long; both are counted and logged."""
    cut = [[text] for text in texts]
    long: list[int] = []
    if pieces is not None:
        lengths, long = measure(texts, pieces)
        logging.info("%s; long_texts is %r", lengths, long_texts)
    if pieces is not None and long_texts != "truncate":
        for place in long:
            cut[place] = split_text(texts[place], pieces)
    counts.add("ok", len(texts) - len(long))
    counts.add("ok", len(long), REASONS[long_texts])
    return cut


def _recorded(
    texts: Sequence[str], encoder: Encoder, records: Path, counts: Counts
) -> dict[str, Vector]:
    """Vectors by text key: what is recorded, and the rest encoded and recorded."""
    by_key = {text_key(text): text for text in texts}
    with VectorRecords(records, encoder.identity) as recorded:
        known = recorded.known(by_key)
        missing = [key for key in by_key if key not in known]
        # Of like length, so that a batch has few lengths.
        missing.sort(key=lambda key: (len(by_key[key]), key))
        for batch in told_batches("vectors", missing, BATCH):
            matrix = encoder.encode([by_key[key] for key in batch])
            recorded.add(batch, matrix)
            counts.computed += len(batch)
            known.update(zip(batch, matrix, strict=True))
    # A text that comes twice is one row: only what was recorded before is reused.
    counts.reused += len(by_key) - len(missing)
    return known
