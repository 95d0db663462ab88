"""Rule `similar`: skill vectors in, similar_to edges out (table edge).

Exact up to a configured number of skills, beyond it by HNSW; its recall is in the log
and, as a reason, in table outcome.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.compute.hnsw import HnswSettings, nearest_approximate
from skillmill.compute.nearagain import Known, nearest_again
from skillmill.interfaces.job import Counts, job
from skillmill.library.passages import WHOLE
from skillmill.store import artifact, edges, load, vectors
from skillmill.store.neighbours import (
    load_neighbours,
    marks_of,
    neighbours_file,
    save_neighbours,
)
from skillmill.types import Edge

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    vectors_path: Path,
    neighbours: int,
    floor: float,
    hnsw: Mapping[str, int],
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
    store: Path | None = None,
) -> None:
    """Join each skill to its nearest others with cosine of at least `floor`.

    What was found before is in `store`: skills that did not change are not compared
    with each other again.
    """
    with artifact.reading(vectors_path, "vectors") as db:
        ids, parts, matrix = vectors.load_vectors(db, "skill")
    # Bodies, parts 1 and on, say nothing about which skills are alike as wholes.
    whole = parts == WHOLE
    ids, matrix = [ids[row] for row in whole.nonzero()[0]], matrix[whole]
    how = None
    if len(ids) > hnsw["above"]:
        settings = HnswSettings(hnsw["links"], hnsw["build"], hnsw["search"])
        source, target, cosine, recall = nearest_approximate(
            matrix, neighbours, floor, settings
        )
        how = f"HNSW, recall {recall:.3f} on a sample"
        logging.info("%d skills: %s", len(ids), how)
    else:
        marks = marks_of(ids, matrix)
        kept = load_neighbours(store, neighbours, floor) if store else None
        (source, target, cosine), compared = nearest_again(
            matrix, marks, neighbours, floor, Known(*kept) if kept else None
        )
        logging.info("%d of %d skills compared with all", compared, len(ids))
        if store:
            known = (marks, source, target, cosine)
            save_neighbours(store, neighbours, floor, known)
    found = [
        Edge(ids[s], ids[t], "similar_to", round(float(c), 6), "embedding")
        for s, t, c in zip(source, target, cosine, strict=True)
    ]
    joined = {edge.source for edge in found}
    counts.add("ok", len(joined), how)
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
            hnsw=snakemake.params.hnsw,
            output=Path(snakemake.output.similar),
            provenance=this.provenance("edges"),
            counts=this.counts,
            store=neighbours_file(this.records, this.study),
        )
