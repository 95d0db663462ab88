"""From tags to the rows that say which record mentions which entity."""

from collections.abc import Mapping
from typing import Any, Literal

from skillmill.types import Mention

KINDS: tuple[Literal["ner", "noun"], ...] = ("ner", "noun")

Owner = tuple[Literal["atom", "question"], str]


def mentions_of(tags: Mapping[Owner, Mapping[str, Any]]) -> list[Mention]:
    """Every mention, sorted by kind, owner and entity.

    `tags` maps a record to what the tagger found in it: `ner`, `noun` or both, each
    entity -> count.
    """
    return sorted(
        Mention(kind, owner_kind, owner, entity, int(count))
        for (owner_kind, owner), found in tags.items()
        for kind in KINDS
        for entity, count in found.get(kind, {}).items()
    )
