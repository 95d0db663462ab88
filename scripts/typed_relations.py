"""Rule `typed_relations`: one shard's atoms and neighbours in, typed edges out.

Tables: edge (what a language model says that one record means for a later one),
usage (tokens of the replies), outcome (atoms, and the entries of replies). Replies are
recorded as they come, so that only what changed is asked again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.interfaces.asked import count_replies, used_tokens
from skillmill.interfaces.chat import asking
from skillmill.interfaces.job import Counts, job
from skillmill.memory.relations import SIMILARITY
from skillmill.memory.typed_relations import (
    ROLE,
    Labelled,
    read_relations,
    relation_questions,
)
from skillmill.models.failures import check_failed_share
from skillmill.models.llm import ChatClient
from skillmill.store import artifact, edges, load
from skillmill.store.atoms import load_atoms
from skillmill.store.usage import save_usage

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    atoms_path: Path,
    relations_path: Path,
    both_ways: bool,
    client: ChatClient,
    model: str,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Ask about each atom and its neighbours (ERSkill, eq. 10)."""
    with artifact.reading(atoms_path, "atoms") as db:
        atoms = load_atoms(db)
    with artifact.reading(relations_path, "edges") as db:
        similar = edges.load_edges(db, SIMILARITY)
    questions = relation_questions(atoms, similar, both_ways=both_ways)
    outcomes = client.ask_many([q.request for q in questions if q.request is not None])
    check_failed_share(outcomes, failed_share, stage=ROLE, model=model)
    count_replies(counts, outcomes)
    answers = iter(outcomes)
    labelled = [
        read_relations(q, next(answers) if q.request is not None else None)
        for q in questions
    ]
    for one in labelled:
        counts.add(one.state, 1, one.reason)
    if client.refusals:
        told = {f"{ROLE} endpoint": "; ".join(client.refusals)}
        provenance = replace(provenance, models={**provenance.models, **told})
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "typed_relations", counts.states)
        load.save_outcomes(db, "labels", entries(labelled))
        save_usage(db, used_tokens(outcomes, {ROLE: model}))
        edges.save_edges(db, [edge for one in labelled for edge in one.edges])


def entries(labelled: Sequence[Labelled]) -> Mapping[Any, int]:
    """How many neighbours got a label, and why the others got none."""
    found = Counts()
    for one in labelled:
        found.add("ok", len(one.edges), "labelled with a relation")
        found.add("empty", one.none, "labelled none")
        found.add("failed", one.rejected, "an entry that cannot be used")
        found.add("skipped", one.unlabelled, "left out by the reply")
    return found.states


if __name__ == "__main__":
    with job(snakemake) as this:
        asks = snakemake.params.asks
        with asking(this, [ROLE]) as client:
            main(
                atoms_path=Path(snakemake.input.atoms),
                relations_path=Path(snakemake.input.relations),
                both_ways=snakemake.params.both_ways,
                client=client,
                model=asks["model"],
                failed_share=this.failed_share,
                output=Path(snakemake.output.relations),
                provenance=this.provenance(
                    "typed-relations", models={ROLE: asks["model"]}
                ),
                counts=this.counts,
            )
