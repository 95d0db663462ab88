"""Rule `vectors`: passages in, unit vectors out.

Tables: vector (kind, id, part -> little-endian float32), encoder (the model's
identity). A passage has one vector; with `long_texts: max` a passage that is longer
than the encoder reads has one for each of its parts. Vectors come from the record
store; only unknown texts are encoded, and each batch is recorded as soon as it is
there, so a killed job repeats at most one batch.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.interfaces.embedding import LongTexts, embed_passages
from skillmill.interfaces.job import Counts, job
from skillmill.models.encoder import EncoderSettings, load_encoder, load_pieces
from skillmill.store import artifact, load, passages, vectors

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    stores: Sequence[Path],
    settings: EncoderSettings,
    long_texts: LongTexts,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Embed every passage of the stores and write the vectors."""
    encoder = load_encoder(settings)
    rows = embed_passages(
        [row for store in stores for row in _passages(store)],
        encoder,
        load_pieces(settings),
        long_texts,
        records,
        counts,
    )
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "vectors", counts.states)
        vectors.save_encoder(db, encoder.identity)
        for kind in sorted({kind for kind, *_ in rows}):
            mine = [row for row in rows if row[0] == kind]
            vectors.save_vectors(
                db,
                kind,
                [id for _, id, _, _ in mine],
                [part for _, _, part, _ in mine],
                np.stack([vector for *_, vector in mine]),
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
            settings=EncoderSettings(
                **params.encoder, **params.encoding, threads=snakemake.threads
            ),
            long_texts=params.long_texts,
            records=this.records,
            output=Path(snakemake.output.vectors),
            provenance=this.provenance("vectors", without=["encoding"]),
            counts=this.counts,
        )
