"""What was spent on language models, summed up from the cost log."""

from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path

from skillmill.store.costs import CostRow, read_costs

#: What a sum is told apart by, and what is added up.
GROUPS = ("run", "study", "rule", "role", "stage", "model")
SUMS = tuple(
    field.name
    for field in fields(CostRow)
    if field.name not in (*GROUPS, "part", "usd")
)


def costs_of(
    records: Path, run: str | None = None, study: str | None = None
) -> list[CostRow]:
    """Costs of one run or study, or of all, by role and stage, over all parts.

    Runs come in the order in which they first spent something; within a run rows are
    sorted.
    """
    rows = [row for row in read_costs(records, run) if study in (None, row.study)]
    runs = list(dict.fromkeys(row.run for row in rows))
    found: dict[tuple[str, ...], CostRow] = {}
    for row in rows:
        group = tuple(getattr(row, name) for name in GROUPS)
        known = found.get(group)
        found[group] = replace(row, part="") if known is None else _sum(known, row)
    order = sorted(found, key=lambda group: (runs.index(group[0]), group))
    return [found[group] for group in order]


def total_usd(rows: Iterable[CostRow]) -> float | None:
    """Money of all rows; None if the price of one is unknown."""
    known = [row.usd for row in rows]
    return None if None in known else sum(usd for usd in known if usd is not None)


def _sum(first: CostRow, second: CostRow) -> CostRow:
    sums = {name: getattr(first, name) + getattr(second, name) for name in SUMS}
    return replace(first, **sums, usd=total_usd([first, second]))
