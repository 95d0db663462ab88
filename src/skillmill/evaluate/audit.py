"""A sample of edges for a person to judge, and what the verdicts say."""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from skillmill.compute.statistics import wilson
from skillmill.data.csvtext import csv_rows, read_text
from skillmill.data.jsontext import shown, shown_path
from skillmill.data.loadreport import Remark, ReportBuilder, source_name
from skillmill.errors import InputError
from skillmill.library.asking import LONGEST_DESCRIPTION
from skillmill.library.vocabulary import PRIORITY
from skillmill.store.graph import Audit
from skillmill.types import Edge, LibrarySkill, LoadReport

VERDICTS = ("correct", "plausible", "wrong")
COLUMNS = (
    "source",
    "relation",
    "target",
    "provenance",
    "source_description",
    "target_description",
    "verdict",
    "comment",
)

#: A cell that begins with one of these is a formula to a spreadsheet.
_FORMULA = tuple("=+-@\t\r")

#: Source, target, relation.
Key = tuple[str, str, str]


def draw_sample(
    edges: Iterable[Edge], per_relation: int, rng: np.random.Generator
) -> list[Edge]:
    """So many edges of each relation, drawn at random; all where there are fewer.

    Sorted by relation, in the order of its priority, then by source and target.
    """
    strata: dict[str, list[Edge]] = defaultdict(list)
    for edge in sorted(edges, key=lambda e: (PRIORITY[e.relation], e.source, e.target)):
        strata[edge.relation].append(edge)
    sample = []
    for members in strata.values():
        size = min(per_relation, len(members))
        rows = rng.choice(len(members), size=size, replace=False)
        sample += [members[row] for row in sorted(rows.tolist())]
    return sample


def sample_text(sample: Iterable[Edge], skills: Mapping[str, LibrarySkill]) -> str:
    """The sample as CSV text with an empty verdict and comment for each edge.

    Descriptions are cut where those are that a model is shown. What a spreadsheet would
    take for a formula gets an apostrophe in front.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for edge in sample:
        cells = (
            edge.source,
            edge.relation,
            edge.target,
            edge.provenance,
            skills[edge.source].description[:LONGEST_DESCRIPTION],
            skills[edge.target].description[:LONGEST_DESCRIPTION],
            "",
            "",
        )
        writer.writerow(_harmless(cell) for cell in cells)
    return text.getvalue()


def read_verdicts(
    path: Path, edges: Iterable[Edge]
) -> tuple[dict[Key, str], LoadReport]:
    """Read a judged sample back.

    Returns
    -------
    verdicts : dict
        Source, target and relation -> correct, plausible or wrong.
    report : LoadReport
        An edge that is in the graph no more is left out with a warning, a row without
        a verdict is not found at all.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column, or holds a verdict that is none or
        an edge twice: all problems at once, each with its line.
    """
    known = {(e.source, e.target, e.relation) for e in edges}
    name = shown_path(path)
    report = ReportBuilder(source_name(path))
    verdicts: dict[Key, str] = {}
    lines: dict[Key, int] = {}
    problems = []
    for line, row in _rows(path, name):
        verdict = row["verdict"].strip().casefold()
        if not verdict:
            continue
        report.found()
        key = (_named(row["source"]), _named(row["target"]), row["relation"].strip())
        if verdict not in VERDICTS:
            known_ones = ", ".join(VERDICTS)
            problems.append(
                f"line {line}: `verdict` must be one of {known_ones}, got"
                f" {shown(verdict)}"
            )
        if lines.setdefault(key, line) != line:
            problems.append(f"line {line}: the edge is in line {lines[key]} already")
        if key in known:
            report.item("ok")
            verdicts[key] = verdict
        else:
            report.item("warned")
            message = (
                f"the graph holds no {' '.join((key[0], key[2], key[1]))} any more"
            )
            report.add(Remark(line, "unknown-edge", message).at(path.name))
    if problems:
        raise InputError(f"{name}: {'; '.join(problems)}", record=name)
    return verdicts, report.build()


def is_judged(path: Path) -> bool:
    """Whether a sample has a verdict or a comment; one that cannot be read has."""
    try:
        rows = _rows(path, shown_path(path))
    except InputError:
        return True
    filled = ("verdict", "comment")
    return any(row.get(cell, "").strip() for _, row in rows for cell in filled)


def audit_rows(verdicts: Mapping[Key, str], level: float) -> list[Audit]:
    """Precision of each relation and of all, strict and loose, with Wilson's intervals.

    Strict counts `correct` alone, loose `plausible`, too. The pooled row mixes strata
    of different sizes: it is the share of the sample, not of the graph.

    Notes
    -----
    Comparative paper, section 2.2: 41 of 48 loose, 29 of 48 strict, six a relation.
    """
    groups: dict[str, Counter[str]] = {"all": Counter()}
    for (_, _, relation), verdict in sorted(verdicts.items()):
        for name in ("all", relation):
            groups.setdefault(name, Counter())[verdict] += 1
    rows = []
    for name, counts in groups.items():
        n = counts.total()
        ends: list[float | None] = []
        for good in (counts["correct"], counts["correct"] + counts["plausible"]):
            share = wilson(good, n, level)
            ends += [None] * 3 if share is None else [round(x, 6) for x in share]
        judged = [counts[verdict] for verdict in VERDICTS]
        rows.append(Audit(name, n, *judged, *ends))
    return rows


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _named(cell: str) -> str:
    """An id as the sample has it, without the apostrophe that a formula got."""
    name = cell.strip()
    return name[1:] if name[:1] == "'" and name[1:].startswith(_FORMULA) else name


def _rows(path: Path, name: str) -> list[tuple[int, Mapping[str, str]]]:
    """Rows of a CSV file by column, with the line each ends in."""
    rows = csv_rows(read_text(path, "library.edges.audit"), name)
    _, header = next(rows, (0, []))
    needed = {"source", "relation", "target", "verdict"}
    missing = sorted(needed - {*header})
    if missing:
        raise InputError(
            f"{name}, line 1: expected the columns {', '.join(sorted(needed))}, the"
            f" file lacks {', '.join(missing)}; export a sample and fill that in",
            record=name,
        )
    # A row that was cut short by hand lacks what is empty.
    blank = dict.fromkeys(header, "")
    return [(line, blank | dict(zip(header, row, strict=False))) for line, row in rows]
