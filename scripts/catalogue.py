"""Rule `catalogue`: SKILL.md files and registry rows in, catalogue out.

Tables: skill (one row a skill), alias (identical copies), load_count and load_problem
(what was found and what became of it), passage (the text that is embedded, kind
`skill`: part 0 `name: description`, then the parts of the body where bodies count).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.data.library import read_library
from skillmill.data.registry import choose_distractors, load_registry
from skillmill.interfaces.job import Counts, count_report, job
from skillmill.library.passages import skill_passages
from skillmill.models.encoder import EncoderSettings, load_pieces
from skillmill.models.tokens import Pieces
from skillmill.store import artifact, catalogue, load, passages

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    library: Mapping[str, Any],
    registry: Path | None,
    distractors: int | None,
    seed: int,
    pieces: Pieces | None,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Read the library, mix in `distractors` registry rows (None: all), write it.

    `library` are the arguments of `read_library`.

    With `pieces`, how the encoder cuts texts, bodies become passages too.
    """
    skills, report = read_library(**library)
    count_report(counts, report, failed_share)
    reports = [report]
    if registry is not None:
        listings, registry_report = load_registry(registry)
        count_report(counts, registry_report, failed_share)
        reports.append(registry_report)
        skills = [*skills, *choose_distractors(skills, listings, distractors, seed)]
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "catalogue", counts.states)
        catalogue.save_skills(db, skills)
        passages.save_passages(db, "skill", skill_passages(skills, pieces))
        for one in reports:
            load.save_report(db, one)


if __name__ == "__main__":
    with job(snakemake) as this:
        count = snakemake.params.distractors
        main(
            library={"root": Path(snakemake.params.root), **snakemake.params.walk},
            registry=next(map(Path, snakemake.input.get("registry") or []), None),
            distractors=None if count == "all" else int(count),
            seed=snakemake.params.seed,
            pieces=load_pieces(EncoderSettings(**snakemake.params.pieces))
            if snakemake.params.pieces
            else None,
            failed_share=this.failed_share,
            output=Path(snakemake.output.catalogue),
            provenance=this.provenance("catalogue", without=["root"]),
            counts=this.counts,
        )
