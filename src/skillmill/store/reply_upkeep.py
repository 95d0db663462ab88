"""Fold recorded replies together, throw out old ones, and count them."""

import json
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from skillmill.errors import StoreError
from skillmill.store.connect import connect_shared
from skillmill.store.merging import STORES, MergeCounts, merge_shards, only_one
from skillmill.store.replies import FOLDER, KIND
from skillmill.store.reply_notes import used_since
from skillmill.store.shards import MAIN, explained, rows_in, shards_in, start

_STATS = """
select model.identity, role, stage, state, count(*), sum(prompt_tokens),
    sum(completion_tokens), sum(estimated), sum(tries), sum(seconds), max(created)
from reply join model on model.hash = reply.model
where created >= ?1
group by model.identity, role, stage, state
"""

# A reply that was mended is kept as long as the one that mends it.
_DELETE = {
    "old_versions": """
delete from reply where exists (
    select 1 from json_each(?1) as kept where kept.key = reply.role
    and reply.version not in (select value from json_each(kept.value))
)""",
    "failures": """
delete from reply where state <> 'ok'
    and key not in (select repairs from reply where state = 'ok')""",
    "unused": """
delete from reply where created < ?1
    and key not in (select value from json_each(?2))
    and key not in (
        select repairs from reply
        where created >= ?1 or key in (select value from json_each(?2))
    )""",
}


@dataclass(frozen=True, slots=True)
class ReplyCount:
    """Replies of one role, stage, model and state, over all shards.

    `estimated` of them have tokens that no server reported; `tries` counts HTTP
    requests, `seconds` adds the wall time of the last of each; `latest` is ISO 8601.
    """

    endpoint: str
    model: str
    role: str
    stage: str
    state: str
    replies: int
    prompt_tokens: int
    completion_tokens: int
    estimated: int
    tries: int
    seconds: float
    latest: str


@dataclass(frozen=True, slots=True)
class PruneCounts:
    """Rows that a pruning took out, by the reason that came first, and rows kept.

    `left` shards belong to processes that may live and were not touched.
    """

    old_versions: int
    failures: int
    unused: int
    kept: int
    left: int


def merge_replies(folder: Path) -> MergeCounts:
    """Fold closed shards of replies, and those of dead processes, into one file.

    Raises
    ------
    StoreError
        If a file cannot be written, or is of another version.
    """
    place = Path(folder) / FOLDER
    if not place.is_dir():
        return MergeCounts()
    with only_one(place) as alone:
        return _folded(place) if alone else MergeCounts(busy=True)


def prune_replies(
    folder: Path,
    *,
    versions: Mapping[str, Collection[str]] | None = None,
    failures: bool = False,
    unused_days: int | None = None,
    now: datetime | None = None,
) -> PruneCounts:
    """Delete replies that are of no more use, for good.

    Parameters
    ----------
    folder : Path
        The folder of all records.
    versions : mapping of str to collection of str, or None
        For each role the prompt versions to keep; other roles keep all.
    failures : bool
        Whether failed replies go, and invalid ones that no repair mended.
    unused_days : int or None
        Replies go that were neither made nor used in the last so many days. A run
        that was killed has not noted what it used.
    now : datetime or None
        The end of those days; None: this moment.

    Raises
    ------
    StoreError
        If another process is folding replies, or a file cannot be written.
    """
    place = Path(folder) / FOLDER
    if not place.is_dir():
        return PruneCounts(0, 0, 0, 0, 0)
    chosen: dict[str, tuple[str, ...]] = {}
    if versions:
        named = {role: sorted(kept) for role, kept in versions.items()}
        chosen["old_versions"] = (json.dumps(named),)
    if failures:
        chosen["failures"] = ()
    if unused_days is not None:
        since = (now or datetime.now(UTC)) - timedelta(days=unused_days)
        day = since.date().isoformat()
        chosen["unused"] = (day, json.dumps(used_since(folder, day)))
    with only_one(place) as alone:
        if not alone:
            raise StoreError(
                f"{place}: expected to prune the replies, found another process"
                " folding them together; run again when it has ended",
                record=str(place),
            )
        counts = _folded(place)
        return _pruned(place / MAIN, chosen, counts.left)


def reply_counts(folder: Path, since: str = "") -> list[ReplyCount]:
    """Count replies over all shards, sorted; failed and invalid ones too.

    `since` is the ISO 8601 time (UTC, or its beginning) from which replies count.

    Raises
    ------
    StoreError
        If a shard cannot be read.
    """
    totals: dict[tuple[str, ...], list[Any]] = {}
    for path in shards_in(Path(folder) / FOLDER):
        for identity, role, stage, state, *sums in (
            rows_in(path, _STATS, (since,)) or ()
        ):
            model = json.loads(identity)
            group = (model["endpoint"], model["model"], role, stage, state)
            total = totals.setdefault(group, [0, 0, 0, 0, 0, 0.0, ""])
            total[:-1] = [a + b for a, b in zip(total[:-1], sums[:-1], strict=True)]
            total[-1] = max(total[-1], sums[-1])
    # The columns of a group and its sums are those of the class, in its order.
    rows: list[tuple[Any, ...]] = [(*group, *totals[group]) for group in sorted(totals)]
    return [ReplyCount(*row) for row in rows]


def _folded(place: Path) -> MergeCounts:
    if not (place / MAIN).exists():
        start(place, KIND, MAIN)
    return merge_shards(place, STORES[FOLDER])


def _pruned(
    main: Path, chosen: Mapping[str, tuple[str, ...]], left: int
) -> PruneCounts:
    gone = dict.fromkeys(_DELETE, 0)
    with explained(main), closing(connect_shared(main)) as db:
        with db:
            db.execute("begin immediate")
            for name, values in chosen.items():
                gone[name] = db.execute(_DELETE[name], values).rowcount
        kept = int(db.execute("select count(*) from reply").fetchone()[0])
        if any(gone.values()):
            db.execute("vacuum")
    return PruneCounts(**gone, kept=kept, left=left)
