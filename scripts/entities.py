"""Rule `entities`: atoms and questions in, the entities they mention out.

Tables: mention (kind `ner` or `noun`, owner, entity, count), passage (kind `entity`,
one per named entity). Tags come from the record store; only unknown texts are tagged.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.progress import told_batches
from skillmill.memory.mentions import mentions_of
from skillmill.memory.passages import entity_passages
from skillmill.models.tagger import load_tagger, tagger_identity
from skillmill.store import artifact, entities, load, passages
from skillmill.store.records import TagRecords, text_key

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

#: Texts tagged between two commits.
BATCH = 64


def main(
    atoms_path: Path,
    tagger: str,
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Tag every atom and question that is not recorded yet; write all mentions."""
    with artifact.reading(atoms_path, "atoms") as db:
        texts = {
            (kind, name): text
            for kind in ("atom", "question")
            for name, _, text in passages.load_passages(db, kind)
        }
    keys = {owner: text_key(text) for owner, text in texts.items()}
    with TagRecords(records, tagger_identity(tagger)) as recorded:
        known = recorded.known(keys.values())
        missing = {key: texts[owner] for owner, key in keys.items() if key not in known}
        order = sorted(missing)
        model = load_tagger(tagger)
        for batch in told_batches("entities", order, BATCH):
            tags = model.tag([missing[key] for key in batch])
            fresh = dict(zip(batch, tags, strict=True))
            recorded.add(fresh)
            known.update(fresh)
        # A text that comes twice is one row: only what was recorded before is reused.
        distinct = len(set(keys.values()))
        counts.computed, counts.reused = len(missing), distinct - len(missing)
    found = mentions_of({owner: known[key] for owner, key in keys.items()})
    with_any = {(row.owner_kind, row.owner) for row in found}
    counts.add("ok", len(with_any))
    counts.add("empty", len(keys) - len(with_any))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "entities", counts.states)
        entities.save_mentions(db, found)
        passages.save_passages(db, "entity", entity_passages(found))


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            atoms_path=Path(snakemake.input.atoms),
            tagger=snakemake.params.tagger,
            records=this.records,
            output=Path(snakemake.output.entities),
            provenance=this.provenance("entities"),
            counts=this.counts,
        )
