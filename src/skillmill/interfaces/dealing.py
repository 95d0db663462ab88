"""Conversations dealt out to the shards of a memory, one store a shard."""

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from skillmill.data.formats import LOADERS
from skillmill.evaluate.splitting import without_surplus
from skillmill.interfaces.job import Counts, count_report
from skillmill.interfaces.source import Source
from skillmill.memory.shards import shard_of
from skillmill.store import artifact, conversations


def deal_out(source: Source, places: Sequence[Path], code: str) -> None:
    """Write the store of each shard; one whose content stays keeps its time.

    Parameters
    ----------
    source : Source
        What to read.
    places : sequence of Path
        The store of each shard, in their order.
    code : str
        Hash of the code that shapes the stores.

    Raises
    ------
    SkillmillError
        If the conversations cannot be read, too many are lost, or a store cannot be
        written.
    """
    found, asked, report = LOADERS[source.format](source.path)
    count_report(Counts(), report, source.failed_share)
    asked = without_surplus(source.splits, asked)
    # Without the files read: those of other shards must not show in this one's store.
    provenance = artifact.Provenance(
        kind="conversations",
        study=source.study,
        package_version=metadata.version("skillmill"),
        code=code,
        params={"format": source.format, "shards": source.shards},
    )
    for shard, place in enumerate(places):
        mine = [c for c in found if shard_of(c.id, source.shards) == shard]
        homes = {c.id for c in mine}
        questions = [q for q in asked if q.conversation in homes]
        with artifact.writing(place, provenance, keep_equal=True) as db:
            conversations.save_conversations(db, mine)
            conversations.save_questions(db, questions)
