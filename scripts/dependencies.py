"""Rule `dependencies`: slots in, who makes what another skill takes out.

Tables: dependency (producer, consumer, weight, source), served (the slots behind it).
With `soft` names are compared by their vectors, which come from the record store.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.interfaces.embedding import embed_texts
from skillmill.interfaces.job import Counts, job
from skillmill.library.dependencies import DependencySettings, find_dependencies
from skillmill.library.tracerows import dependency_rows, schemas_of
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.store import artifact, load, traces

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    slots_path: Path,
    settings: DependencySettings,
    encoder: EncoderSettings | None,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Join producers and consumers; with an encoder, also by like names."""
    with artifact.reading(slots_path, "slots") as db:
        slots = traces.load_trace_rows(db, traces.SlotRow)
        states = traces.load_trace_rows(db, traces.SchemaState)
    vectors: Mapping[str, Any] | None = None
    if encoder is not None:
        names = sorted({slot.name for slot in slots if slot.kind != "tool"})
        spoken = [name.replace("-", " ") for name in names]
        found = embed_texts(spoken, load_encoder(encoder), records, counts)
        vectors = {name: found[text] for name, text in zip(names, spoken, strict=True)}
    made = find_dependencies(schemas_of(states, slots), settings, vectors)
    counts.add("ok", len(made.edges))
    counts.add("skipped", made.cut, "more producers than candidates of one consumer")
    counts.add("skipped", len(made.too_common), "an output that too many skills make")
    for name, makers in made.too_common.items():
        logging.info("%d skills make %s: it proposes none of them", makers, name)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "dependencies", counts.states)
        traces.save_trace_rows(db, dependency_rows(made.edges))


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        encoder = params.encoder and EncoderSettings(
            **params.encoder, **params.encoding, threads=snakemake.threads
        )
        main(
            slots_path=Path(snakemake.input.slots),
            settings=DependencySettings(**params.settings),
            encoder=encoder or None,
            records=this.records,
            output=Path(snakemake.output.dependencies),
            provenance=this.provenance("dependencies", without=["encoding"]),
            counts=this.counts,
        )
