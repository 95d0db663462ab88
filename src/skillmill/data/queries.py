"""Queries with the skills that they should find: written ones, and logged ones."""

from collections.abc import Mapping
from pathlib import Path

from skillmill.data.jsonrows import Row, read_rows
from skillmill.data.jsontext import clean_text, read_id, shown
from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of, source_name
from skillmill.types import LoadReport, Task

#: Category of a query that no skill fits; only such a query may have none.
OFF_TOPIC = "off-topic"

#: Outcome of a logged query whose chosen skills count as what it needed.
SOLVED = "solved"
OUTCOMES = (SOLVED, "failed", "unknown")


def load_queries(path: Path, known: Mapping[str, str]) -> tuple[list[Task], LoadReport]:
    """Load queries in file order.

    Parameters
    ----------
    path : Path
        JSONL. A row has `id`, `text`, `relevant` (skill ids) and `categories`; or it is
        a log row, with `chosen` (skill ids) and `outcome` in place of `relevant`: then
        only `solved` ones count. See docs/library.md.
    known : mapping of str to str
        Every skill id and alias, with the id it stands for.

    Returns
    -------
    queries : list of Task
    report : LoadReport
        Failed is a row without id or text, with an id that an earlier row has, with
        an outcome that is none, with skills that are no list, or with no known skill
        unless its categories say `off-topic`. A logged query that
        was not solved is left out with an info and counts as loaded.

    Raises
    ------
    InputError
        If the file is missing or unreadable, or no line of it is a JSON object.
    """
    report = ReportBuilder(source_name(path))
    queries: list[Task] = []
    seen: set[str] = set()
    for line, row in read_rows(path):
        report.found()
        query, remarks = _read(row, line, known, seen)
        record = query.id if query else None
        problems = [remark.at(path.name, record) for remark in remarks]
        report.item(outcome_of(problems))
        for problem in problems:
            report.add(problem)
        if query:
            seen.add(query.id)
            queries.append(query)
    return queries, report.build()


def _read(
    row: Row, line: int, known: Mapping[str, str], seen: set[str]
) -> tuple[Task | None, list[Remark]]:
    if isinstance(row, str):
        return None, [Remark(line, "bad-row", row, "failed")]
    identity, text = read_id(row.get("id")), row.get("text")
    cleaned = clean_text(text).text if isinstance(text, str) else ""
    if identity is None or not cleaned or identity in seen:
        message = (
            f"expected an `id` of its own and a `text`, got {shown(row.get('id'))} and"
            f" {shown(text)}"
        )
        return None, [Remark(line, "bad-row", message, "failed")]
    fault = log_fault(row)
    if fault:
        message = f"query {identity!r}: {fault}"
        return None, [Remark(line, "bad-row", message, "failed")]
    if "chosen" in row and row.get("outcome") != SOLVED:
        message = f"query {identity!r} was not {SOLVED}; left out"
        return None, [Remark(line, "not-solved", message, "info")]
    categories = _texts(row.get("categories"))
    wanted = _texts(row.get("relevant", row.get("chosen")))
    found = tuple(dict.fromkeys(known[item] for item in wanted if item in known))
    remarks = [
        Remark(line, "unknown-skill", f"query {identity!r}: no skill is {item!r}")
        for item in wanted
        if item not in known
    ]
    if not found and (wanted or OFF_TOPIC not in categories):
        message = f"query {identity!r}: no skill of its {len(wanted)} is known"
        return None, [*remarks, Remark(line, "no-known-skill", message, "failed")]
    return Task(identity, cleaned, found, categories), remarks


def log_fault(row: Mapping[str, object]) -> str | None:
    """What is wrong with the skills of a row, or with the outcome of a logged one."""
    key = "relevant" if "relevant" in row else "chosen"
    if not isinstance(row.get(key, []), list):
        return f"`{key}` must be a list of skill ids, got {shown(row[key])}"
    if "chosen" in row and row.get("outcome") not in OUTCOMES:
        return (
            f"`outcome` must be one of {', '.join(OUTCOMES)}, got"
            f" {shown(row.get('outcome'))}"
        )
    return None


def _texts(value: object) -> tuple[str, ...]:
    """The texts of a list; () for anything else."""
    items = value if isinstance(value, list) else []
    return tuple(clean_text(item).text for item in items if isinstance(item, str))
