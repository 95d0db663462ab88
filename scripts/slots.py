"""Rule `slots`: catalogue in, what each skill takes and gives out.

Tables: slot (one thing that a skill takes or gives, and where that is known from),
schema_state (one row a skill), usage. Declared names go first; skills that declare
nothing are asked about in the role `io_schema`, or without a model read by rule.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.interfaces.asked import count_replies, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.library.ioschema import ROLE, read_schemas
from skillmill.library.tracerows import schema_rows
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, catalogue, load, traces
from skillmill.store.usage import save_usage

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    catalogue_path: Path,
    client: ChatClient,
    asks: Mapping[str, Any],
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Read the schema of every skill."""
    model = asks.get("model", "")
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = catalogue.load_skills(db)
    schemas, outcomes = read_schemas(
        skills, client, model=model, failed_share=failed_share
    )
    count_replies(counts, outcomes)
    for schema in schemas:
        counts.add(schema.state, 1, schema.reason)
    if client.refusals:
        told = {f"{ROLE} endpoint": "; ".join(client.refusals)}
        provenance = replace(provenance, models={**provenance.models, **told})
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "slots", counts.states)
        save_usage(db, used_tokens(outcomes, {ROLE: model}))
        traces.save_trace_rows(db, schema_rows(schemas))


if __name__ == "__main__":
    with job(snakemake) as this:
        asks = snakemake.params.asks
        with asking(this, [ROLE] if asks else []) as client:
            main(
                catalogue_path=Path(snakemake.input.catalogue),
                client=client,
                asks=asks,
                failed_share=this.failed_share,
                output=Path(snakemake.output.slots),
                provenance=this.provenance(
                    "slots", models={ROLE: asks["model"]} if asks else {}
                ),
                counts=this.counts,
            )
