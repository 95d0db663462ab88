"""Rule `tokens`: atoms and the turns they hold in, token vectors out.

Tables: token (kind `atom`: one matrix a turn of each atom; kind `question-tuned`: one
a question; rows are float16 of length one), encoder (the model's identity). Matrices
come from the record store; only unknown texts are encoded.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.token_vectors import token_vectors
from skillmill.memory.tokens import turn_texts
from skillmill.models.encoder import EncoderSettings, load_token_encoder
from skillmill.store import artifact, conversations, load, passages, tokens, vectors
from skillmill.store.atoms import load_atoms

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    conversations_path: Path,
    atoms_path: Path,
    settings: EncoderSettings,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Encode the turns of every atom, and every question without speakers' names."""
    with artifact.reading(atoms_path, "atoms") as db:
        atoms = load_atoms(db)
        asked = passages.load_passages(db, "question-tuned")
    with artifact.reading(conversations_path, "conversations") as db:
        known = conversations.load_conversations(db)
    texts = {("atom", *key): text for key, text in turn_texts(atoms, known).items()}
    texts |= {("question-tuned", id, part): text for id, part, text in asked}
    encoder = load_token_encoder(settings)
    found = token_vectors(list(texts.values()), encoder, records, counts)
    rows = dict(zip(texts, found, strict=True))
    counts.add("ok", sum(len(matrix) > 0 for matrix in found))
    counts.add("empty", sum(len(matrix) == 0 for matrix in found))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "tokens", counts.states)
        vectors.save_encoder(db, encoder.token_identity)
        for kind in ("atom", "question-tuned"):
            mine = {key[1:]: rows[key] for key in rows if key[0] == kind}
            tokens.save_tokens(db, kind, mine)


if __name__ == "__main__":
    with job(snakemake) as this:
        params = snakemake.params
        main(
            conversations_path=Path(snakemake.input.conversations),
            atoms_path=Path(snakemake.input.atoms),
            settings=EncoderSettings(
                **params.encoder, **params.encoding, threads=snakemake.threads
            ),
            records=this.records,
            output=Path(snakemake.output.tokens),
            provenance=this.provenance("tokens", without=["encoding"]),
            counts=this.counts,
        )
