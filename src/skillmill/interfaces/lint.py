"""`skillmill lint`: what is odd in a library, for authors and for CI."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from skillmill.data.advice import advise
from skillmill.data.discovery import walk_library
from skillmill.data.library import read_library
from skillmill.data.loadreport import problem_order
from skillmill.data.plaintext import decode, tidy
from skillmill.interfaces.options import problem_line
from skillmill.types import LoadReport, Problem, Severity

Format = Literal["text", "jsonl", "sarif"]

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {"info": "note", "warning": "warning", "failed": "error"}


def lint_library(root: Path) -> tuple[list[Problem], LoadReport]:
    """Problems and advice of a library, by file, line and code, and its load report.

    Raises
    ------
    InputError
        If there is no library.
    """
    skills, report = read_library(root)
    found = list(report.problems)
    if root.is_file():
        return sorted(found, key=problem_order), report
    places = {file.id: file.path for file in walk_library(root)[0]}
    for skill in skills:
        # Read again, since lines of the body alone are not those of the file.
        text, _ = tidy(decode(places[skill.id].read_bytes()))
        found += advise(text, skill.path, skill.id)
    return sorted(found, key=problem_order), report


def exit_code(report: LoadReport) -> int:
    """1 if a skill could not be read or only with a warning; advice alone is 0."""
    return 1 if report.warned or report.failed else 0


def written(problems: Sequence[Problem], form: Format) -> Iterator[str]:
    """Lines of a format: a line a problem, or one SARIF document."""
    if form == "sarif":
        yield json.dumps(sarif(problems), indent=2, ensure_ascii=False)
        return
    for problem in problems:
        if form == "jsonl":
            yield json.dumps(asdict(problem), ensure_ascii=False)
        else:
            yield problem_line(problem)


def summary(report: LoadReport) -> str:
    """Counts of a library in one line."""
    return (
        f"{report.found} found: {report.loaded} loaded, {report.warned} with warnings,"
        f" {report.failed} failed"
    )


def sarif(problems: Iterable[Problem]) -> dict[str, Any]:
    """Problems as a SARIF 2.1.0 log with one run.

    Files are relative to the library (base `LIBRARY`); a problem without a line is
    about the first.
    """
    problems = list(problems)
    codes = sorted({problem.code for problem in problems})
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "skillmill lint",
                        "version": metadata.version("skillmill"),
                        "rules": [{"id": code} for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(problem, codes) for problem in problems],
            }
        ],
    }


def _result(problem: Problem, codes: Sequence[str]) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(problem.file), "uriBaseId": "LIBRARY"},
            "region": {"startLine": problem.line or 1},
        }
    }
    if problem.record:
        location["logicalLocations"] = [{"name": problem.record}]
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": _LEVELS[problem.severity],
        "message": {"text": problem.message},
        "locations": [location],
    }


def _uri(file: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - only this format needs it

    return quote(file)
