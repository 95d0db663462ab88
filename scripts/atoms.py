"""Rule `atoms`: conversations in, the atoms and questions of one shard out.

Tables: conversation, atom, atom_turn, question, question_atom (the atoms that hold a
question's evidence), passage (kinds `atom`, `question`, and `question-tuned`, the
question without the speakers' names).
"""

from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.memory.atoms import GRANULARITIES, evidence_atoms
from skillmill.memory.passages import atom_passages, question_passages
from skillmill.memory.shards import shard_of
from skillmill.store import artifact, conversations, load, passages
from skillmill.store import atoms as atom_store

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    shard: int,
    shards: int,
    granularity: str,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Cut the conversations that fall into `shard` and find the evidence atoms."""
    with artifact.reading(conversations_path, "conversations") as db:
        found = conversations.load_conversations(db)
        asked = conversations.load_questions(db)
    mine = {c.id: c for c in found if shard_of(c.id, shards) == shard}
    questions = [q for q in asked if q.conversation in mine]
    atoms = {name: GRANULARITIES[granularity](c) for name, c in mine.items()}
    every = [atom for name in atoms for atom in atoms[name]]
    counts.add("ok", len(every))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "atoms", counts.states)
        conversations.save_speakers(db, [(c.id, c.speakers) for c in mine.values()])
        atom_store.save_atoms(db, every)
        conversations.save_questions(db, questions)
        atom_store.save_question_atoms(
            db, {q.id: evidence_atoms(q, atoms[q.conversation]) for q in questions}
        )
        passages.save_passages(db, "atom", atom_passages(every))
        for kind, tuned in (("question", False), ("question-tuned", True)):
            rows = question_passages(questions, mine, tuned=tuned)
            passages.save_passages(db, kind, rows)


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            conversations_path=Path(snakemake.input.conversations),
            shard=int(snakemake.wildcards.shard),
            shards=snakemake.params.shards,
            granularity=snakemake.params.granularity,
            output=Path(snakemake.output.atoms),
            provenance=this.provenance("atoms"),
            counts=this.counts,
        )
