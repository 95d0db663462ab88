"""What each query needs and what arms found for it, as data of the explorer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillmill.report.visible import visible_text

#: Items of an arm that a query's row lists.
SHOWN = 5
#: Characters of an item's text that are shown.
LENGTH = 280


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of one track: texts by item, what each query needs, and what arms found.

    `found` is query to arm to items, best first; an arm that found nothing has an
    empty tuple, one without an entry was not run there or ranks something else.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    relevant: Mapping[str, Sequence[str]] = field(default_factory=dict)
    found: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


def evidence_data(
    evidence: Evidence, queries: Sequence[str], arms: Sequence[str], limit: int
) -> dict[str, object]:
    """Return `items` as [id, text] and one row for each of the first `limit` queries.

    A row is [places of what it needs, [places of the first found] for each arm],
    with None for an arm that has no ranking there. Only items that a row names are
    listed, sorted by id; text beyond 280 characters is cut and says so.
    """
    shown = queries[:limit]
    rows: list[tuple[Sequence[str], list[Sequence[str] | None]]] = []
    for query in shown:
        ranked = evidence.found.get(query, {})
        rows.append((
            evidence.relevant.get(query, ()),
            [ranked[arm][:SHOWN] if arm in ranked else None for arm in arms],
        ))  # fmt: skip
    named = {item for needed, _ in rows for item in needed}
    named |= {item for _, found in rows for some in found for item in some or ()}
    items = sorted(named)
    place = {item: number for number, item in enumerate(items)}
    return {
        "items": [[visible_text(i), _cut(evidence.texts.get(i, ""))] for i in items],
        "rows": [
            [
                [place[item] for item in needed],
                [None if some is None else [place[i] for i in some] for some in found],
            ]
            for needed, found in rows
        ],
    }


def _cut(text: str) -> str:
    whole = " ".join(text.split())
    return visible_text(whole if len(whole) <= LENGTH else whole[: LENGTH - 1] + "…")
