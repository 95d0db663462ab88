"""Rule `edge_sample`: the typed graph in, a CSV file of edges to judge out."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from skillmill.evaluate.audit import draw_sample, sample_text
from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, catalogue, edges

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    catalogue_path: Path,
    edges_path: Path,
    per_relation: int,
    seed: int,
    output: Path,
    counts: Counts,
) -> None:
    """Draw the sample and write it with empty verdicts."""
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = {skill.id: skill for skill in catalogue.load_skills(db)}
    with artifact.reading(edges_path, "skill-graph") as db:
        typed = edges.load_edges(db)
    sample = draw_sample(typed, per_relation, np.random.default_rng(seed))
    counts.add("ok", len(sample))
    output.write_text(sample_text(sample, skills), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            catalogue_path=Path(snakemake.input.catalogue),
            edges_path=Path(snakemake.input.edges),
            per_relation=snakemake.params.per_relation,
            seed=snakemake.params.seed,
            output=Path(snakemake.output.sample),
            counts=this.counts,
        )
