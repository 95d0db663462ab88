"""Rule `vectors`: passages in, one unit vector a passage out.

Tables: vector (kind, id, part -> little-endian float32), encoder (the model's
identity). Vectors come from the record store; only unknown texts are encoded, and each
batch is recorded as soon as it is there, so a killed job repeats at most one batch.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.interfaces.job import Counts, job
from skillmill.models.encoder import identity_of, load_encoder
from skillmill.store import artifact, load, passages, vectors
from skillmill.store.records import VectorRecords, text_key

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

#: Texts encoded between two commits.
BATCH = 64


def main(
    stores: Sequence[Path],
    encoder: str,
    batch_size: int,
    max_length: int | None,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Embed every passage of the stores and write the vectors."""
    rows = [row for store in stores for row in _passages(store)]
    identity = identity_of(encoder, max_length=max_length)
    keys = [text_key(text) for _, _, _, text in rows]
    with VectorRecords(records, identity) as recorded:
        known = recorded.known(keys)
        missing = {
            key: text
            for key, (_, _, _, text) in zip(keys, rows, strict=True)
            if key not in known
        }
        # Of like length, so that a short text is not padded to a long one.
        order = sorted(missing, key=lambda key: (len(missing[key]), key))
        model = load_encoder(encoder, batch_size=batch_size, max_length=max_length)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            matrix = model.encode([missing[key] for key in batch])
            recorded.add(batch, matrix)
            known.update(zip(batch, matrix, strict=True))
        if missing:
            logging.info(
                "%d of %d encoded texts are longer than the encoder reads",
                model.truncated,
                len(missing),
            )
        counts.computed = len(missing)
        counts.reused = len(rows) - len(missing)
    counts.add("ok", len(rows))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "vectors", counts.states)
        vectors.save_encoder(db, identity)
        for kind in sorted({kind for kind, _, _, _ in rows}):
            mine = [i for i, row in enumerate(rows) if row[0] == kind]
            vectors.save_vectors(
                db,
                kind,
                [rows[i][1] for i in mine],
                [rows[i][2] for i in mine],
                np.stack([known[keys[i]] for i in mine]),
            )


def _passages(store: Path) -> list[tuple[str, str, int, str]]:
    """Kind, id, part and text of every passage of a store of any kind."""
    with artifact.reading(store, artifact.kind_of(store)) as db:
        return passages.load_all_passages(db)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            stores=[Path(path) for path in snakemake.input.passages],
            encoder=params.encoder,
            batch_size=params.batch_size,
            max_length=params.max_length,
            records=Path(params.records),
            output=Path(snakemake.output.vectors),
            provenance=this.provenance("vectors", without=["batch_size"]),
            counts=this.counts,
        )
