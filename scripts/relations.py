"""Rule `relations`: atoms and their vectors in, similarity and temporal edges out."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.interfaces.job import Counts, job
from skillmill.memory.nearness import one_each
from skillmill.memory.relations import similarity_edges, temporal_neighbours
from skillmill.store import artifact, edges, load, vectors
from skillmill.store.atoms import load_atoms

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    atoms_path: Path,
    vectors_path: Path | None,
    neighbours: int,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Join the atoms of each conversation (ERSkill, eq. 7 to 9).

    Without vectors none are joined by similarity; of several the mean direction counts.
    """
    with artifact.reading(atoms_path, "atoms") as db:
        atoms = load_atoms(db)
    found = temporal_neighbours(atoms)
    if vectors_path is not None:
        with artifact.reading(vectors_path, "vectors") as db:
            whole = one_each(vectors.by_id(db, "atom"))
        matrix = np.array(list(whole.values()))
        found = [*similarity_edges(atoms, list(whole), matrix, neighbours), *found]
    joined = {edge.source for edge in found}
    counts.add("ok", len(joined))
    counts.add("empty", len(atoms) - len(joined))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "relations", counts.states)
        edges.save_edges(db, found)


if __name__ == "__main__":
    with job(snakemake) as this:
        given = snakemake.input.get("vectors")
        main(
            atoms_path=Path(snakemake.input.atoms),
            vectors_path=Path(given) if given else None,
            neighbours=snakemake.params.neighbours,
            output=Path(snakemake.output.relations),
            provenance=this.provenance("edges"),
            counts=this.counts,
        )
