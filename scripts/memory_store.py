"""Rule `memory_store`: the stores of one shard in, one memory file out.

The tables of the inputs side by side; nothing is computed. This file alone answers
questions: retrieval skills, `recall` and the report read nothing else. Atoms without
typed relations, because no language model is asked for them, are counted as skipped.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.memory.typed_relations import ROLE
from skillmill.store import artifact, bundle, load

LEFT_OUT = "the study's settings leave them out"
NO_MODEL = "no language model is asked for typed relations"

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    stores: Sequence[Path],
    typed: bool,
    lacking: Sequence[str],
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Copy the tables of every store into one file.

    `typed` tells that one of the stores holds typed relations, `lacking` which parts
    of a memory none of them holds (`memory.forms.PARTS`).
    """
    with artifact.writing(output, provenance) as db:
        counts.add("ok", bundle.copy_tables(db, stores))
        load.save_outcomes(db, "memory_store", counts.states)
        atoms = load.count_rows(db, "atom")
        if not typed:
            load.save_outcomes(db, ROLE, {("skipped", NO_MODEL): atoms})
        for part in lacking:
            load.save_outcomes(db, part, {("skipped", LEFT_OUT): atoms})


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            stores=[Path(path) for path in snakemake.input],
            typed=bool(snakemake.input.get("typed")),
            lacking=snakemake.params.lacking,
            output=Path(snakemake.output.memory),
            provenance=this.provenance("memory"),
            counts=this.counts,
        )
