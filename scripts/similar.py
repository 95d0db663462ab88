"""Rule `similar`: skill vectors in, similar_to edges out (table edge)."""

from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.compute.vectors import nearest
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, edges, load, vectors
from skillmill.types import Edge

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    vectors_path: Path,
    neighbours: int,
    floor: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Join each skill to its nearest others with cosine of at least `floor`."""
    with artifact.reading(vectors_path, "vectors") as db:
        ids, _, matrix = vectors.load_vectors(db, "skill")
    source, target, cosine = nearest(matrix, neighbours, floor)
    found = [
        Edge(ids[s], ids[t], "similar_to", round(float(c), 6), "embedding")
        for s, t, c in zip(source, target, cosine, strict=True)
    ]
    joined = {edge.source for edge in found}
    counts.add("ok", len(joined))
    counts.add("empty", len(ids) - len(joined))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "similar", counts.states)
        edges.save_edges(db, found)


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            vectors_path=Path(snakemake.input.vectors),
            neighbours=snakemake.params.neighbours,
            floor=snakemake.params.floor,
            output=Path(snakemake.output.similar),
            provenance=this.provenance("edges"),
            counts=this.counts,
        )
