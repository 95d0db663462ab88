"""Rule `entities`: atoms and questions in, the entities they mention out.

Tables: mention (kind `ner` or `noun`, owner, entity, count), passage (kind `entity`,
one per named entity). Tags come from the record store; only unknown texts are tagged,
and none where the study wants neither kind.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillmill.interfaces.job import Counts, job
from skillmill.interfaces.progress import told_batches
from skillmill.memory.mentions import Owner, mentions_of
from skillmill.memory.passages import entity_passages
from skillmill.models.tagger import load_tagger, tagger_identity
from skillmill.store import artifact, entities, load, passages
from skillmill.store.records import TagRecords, text_key

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

#: Texts tagged between two commits.
BATCH = 64

OWNERS: tuple[Literal["atom", "question"], ...] = ("atom", "question")

LEFT_OUT = "the study's settings leave them out"


def main(
    atoms_path: Path,
    tagger: str,
    kinds: Sequence[str],
    records: Path,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Tag every atom and question that is not recorded yet; write all mentions."""
    with artifact.reading(atoms_path, "atoms") as db:
        texts: dict[Owner, str] = {
            (kind, name): text
            for kind in OWNERS
            for name, _, text in passages.load_passages(db, kind)
        }
    found = mentions_of(tagged(texts, tagger, kinds, records, counts) if kinds else {})
    if kinds:
        with_any = {(row.owner_kind, row.owner) for row in found}
        counts.add("ok", len(with_any))
        counts.add("empty", len(texts) - len(with_any))
    else:
        counts.add("skipped", len(texts), LEFT_OUT)
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "entities", counts.states)
        entities.save_mentions(db, found)
        passages.save_passages(db, "entity", entity_passages(found))


def tagged(
    texts: Mapping[Owner, str],
    tagger: str,
    kinds: Sequence[str],
    records: Path,
    counts: Counts,
) -> dict[Owner, Any]:
    """What the tagger finds in each text, from the record store or now."""
    keys = {owner: text_key(text) for owner, text in texts.items()}
    with TagRecords(records, tagger_identity(tagger, kinds)) as recorded:
        known = recorded.known(keys.values())
        missing = {key: texts[owner] for owner, key in keys.items() if key not in known}
        model = load_tagger(tagger, kinds)
        for batch in told_batches("entities", sorted(missing), BATCH):
            tags = model.tag([missing[key] for key in batch])
            fresh = dict(zip(batch, tags, strict=True))
            recorded.add(fresh)
            known.update(fresh)
    # A text that comes twice is one row: only what was recorded before is reused.
    distinct = len(set(keys.values()))
    counts.computed, counts.reused = len(missing), distinct - len(missing)
    return {owner: known[key] for owner, key in keys.items()}


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            atoms_path=Path(snakemake.input.atoms),
            tagger=snakemake.params.tagger,
            kinds=snakemake.params.kinds,
            records=this.records,
            output=Path(snakemake.output.entities),
            provenance=this.provenance("entities"),
            counts=this.counts,
        )
