"""Load reports: what a loader found, and what became of every item."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skillmill.types import LoadReport, Problem, Severity

Outcome = Literal["ok", "warned", "failed"]


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem before its file is known: `line` counts from 1 in the file."""

    line: int | None
    code: str
    message: str
    severity: Severity = "warning"

    def at(self, file: str, record: str | None = None) -> Problem:
        """Place the remark in a file (and at a record of it)."""
        return Problem(
            file=file,
            line=self.line,
            record=record,
            severity=self.severity,
            code=self.code,
            message=self.message,
        )


def problem_order(problem: Problem) -> tuple[str, int, str, str, str]:
    """Sort key of problems: file, line (none first), record, code, message."""
    return (
        problem.file,
        problem.line or 0,
        problem.record or "",
        problem.code,
        problem.message,
    )


class ReportBuilder:
    """Collects a `LoadReport` item by item.

    Call `found` when an item is met and `item` when its fate is known; a problem
    alone counts nothing, so several may belong to one item and some to none.

    Parameters
    ----------
    source : str
        What is loaded, as the user named it; never an absolute path of a machine
        that the report may leave.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._found = 0
        self._outcomes: dict[Outcome, int] = {"ok": 0, "warned": 0, "failed": 0}
        self._problems: list[Problem] = []

    def found(self, count: int = 1) -> None:
        """Count items that were met, before it is known what they are worth."""
        self._found += count

    def item(self, outcome: Outcome) -> None:
        """Count the fate of one item: `ok`, `warned` or `failed`.

        Raises
        ------
        ValueError
            If the outcome is none of the three.
        """
        if outcome not in self._outcomes:
            raise ValueError(
                f"outcome is {outcome!r}; expected one of ok, warned, failed"
            )
        self._outcomes[outcome] += 1

    def problem(
        self,
        file: str,
        line: int | None,
        record: str | None,
        severity: Severity,
        code: str,
        message: str,
    ) -> None:
        """Note something odd; the order of the calls does not matter."""
        self._problems.append(Problem(file, line, record, severity, code, message))

    def add(self, problem: Problem) -> None:
        """Note a problem that is already a record."""
        self._problems.append(problem)

    def build(self) -> LoadReport:
        """Close the report: problems sorted, exact repeats kept once.

        Raises
        ------
        ValueError
            If `found` is not the sum of the outcomes: the loader lost an item or
            counted one twice.
        """
        counted = sum(self._outcomes.values())
        if counted != self._found:
            raise ValueError(
                f"{self._source}: {self._found} items were found but the fate of "
                f"{counted} is known; call item() exactly once for each"
            )
        return LoadReport(
            source=self._source,
            found=self._found,
            loaded=self._outcomes["ok"],
            warned=self._outcomes["warned"],
            failed=self._outcomes["failed"],
            problems=tuple(sorted(set(self._problems), key=problem_order)),
        )


def outcome_of(problems: Iterable[Problem]) -> Outcome:
    """Judge an item by its problems: the worst severity decides, info counts not."""
    severities = {problem.severity for problem in problems}
    if "failed" in severities:
        return "failed"
    return "warned" if "warning" in severities else "ok"


def source_name(path: Path) -> str:
    """Name an input without naming the machine: relative to here, or its last part."""
    here = Path.cwd()
    whole = Path(os.path.abspath(path))
    below = whole.is_relative_to(here) and whole != here
    name = whole.relative_to(here).as_posix() if below else whole.name or "/"
    return os.fsencode(name).decode("utf-8", "replace")
