"""Rule `memory_store`: the stores of one shard in, one memory file out.

The tables of the inputs side by side; nothing is computed. This file alone answers
questions: retrieval skills, `recall` and the report read nothing else.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.store import artifact, bundle, load

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    stores: Sequence[Path],
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Copy the tables of every store into one file."""
    with artifact.writing(output, provenance) as db:
        counts.add("ok", bundle.copy_tables(db, stores))
        load.save_outcomes(db, "memory_store", counts.states)


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            stores=[Path(path) for path in snakemake.input],
            output=Path(snakemake.output.memory),
            provenance=this.provenance("memory"),
            counts=this.counts,
        )
