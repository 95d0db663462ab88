"""Rule `adapt_encoder`: catalogue and queries in, an adapted copy of the encoder out.

A folder that `encoder.name` may name: weights, tokenizer and configuration as in the
original, and adapted.json (settings, number of pairs, loss of each epoch).
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.data.queries import load_queries
from skillmill.interfaces.job import Counts, count_report, job
from skillmill.library.pairs import training_pairs
from skillmill.models.adapting import AdaptSettings, adapt
from skillmill.models.hardware import device_for
from skillmill.models.weights import find_folder
from skillmill.store import artifact, catalogue

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    catalogue_path: Path,
    queries_path: Path | None,
    pairs: Mapping[str, Any],
    settings: AdaptSettings,
    encoder: Mapping[str, Any],
    threads: int,
    failed_share: float,
    output: Path,
    counts: Counts,
) -> None:
    """Make pairs of the library's own skills, train, write the model's folder."""
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = [s for s in catalogue.load_skills(db) if s.kind == "skill"]
    queries = []
    if queries_path:
        known = {name: s.id for s in skills for name in (s.id, *s.aliases)}
        queries, report = load_queries(queries_path, known)
        count_report(Counts(), report, failed_share)
    found = training_pairs(skills, queries, **pairs)
    losses = adapt(
        find_folder(encoder["name"]),
        found,
        settings,
        output,
        device=device_for(encoder["device"]),
        threads=threads,
    )
    logging.info("%d pairs, loss of each epoch: %s", len(found), losses)
    counts.add("ok", len(found))


if __name__ == "__main__":
    with job(snakemake) as this:
        queries = snakemake.input.queries
        main(
            catalogue_path=Path(snakemake.input.catalogue),
            queries_path=Path(queries) if queries else None,
            pairs=snakemake.params.pairs,
            settings=AdaptSettings(**snakemake.params.settings),
            encoder=snakemake.params.encoder,
            threads=snakemake.threads,
            failed_share=this.failed_share,
            output=Path(snakemake.output.encoder),
            counts=this.counts,
        )
