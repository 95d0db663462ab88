"""Results of agents from elsewhere: one JSON object a line (docs/downstream.md)."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from skillmill.data.jsonrows import read_rows
from skillmill.data.jsontext import clean_text, read_id, shown
from skillmill.data.loadreport import ReportBuilder, source_name
from skillmill.types import LoadReport, Trial

_IDS = ("benchmark", "task", "method", "backbone")
_TEXTS = ("reason", "stratum", "domain")
_COUNTS = ("leaves", "steps", "prompt_tokens", "completion_tokens")
_AMOUNTS = ("reward", "seconds", "usd")
_KNOWN = frozenset({*_IDS, *_TEXTS, *_COUNTS, *_AMOUNTS, "state", "attempt"})
_STATES = ("success", "failure", "error")

#: What identifies an attempt: benchmark, task, method, backbone, attempt.
Key = tuple[str, str, str, str, int]


def load_trials(path: Path) -> tuple[list[Trial], LoadReport]:
    """Load trials in file order.

    Returns
    -------
    trials : list of Trial
    report : LoadReport
        Failed is a row that is no trial, and one whose task, method, backbone and
        attempt an earlier row has. A field that is not known is dropped with a warning.

    Raises
    ------
    InputError
        If the file is missing or unreadable, or no line of it is a JSON object.
    """
    report = ReportBuilder(source_name(path))
    trials: list[Trial] = []
    lines: dict[Key, int] = {}
    for line, row in read_rows(path):
        report.found()
        made = row if isinstance(row, str) else _trial(row)
        if isinstance(made, Trial):
            key = key_of(made)
            if key in lines:
                made = f"the same attempt as in line {lines[key]}; the first counts"
            lines.setdefault(key, line)
        if isinstance(made, str):
            report.item("failed")
            report.problem(path.name, line, None, "failed", "bad-row", made)
            continue
        trials.append(made)
        unknown = sorted(row.keys() - _KNOWN) if isinstance(row, Mapping) else []
        report.item("warned" if unknown else "ok")
        if unknown:
            told = f"unknown fields were dropped: {', '.join(unknown)}"
            report.problem(path.name, line, made.task, "warning", "unknown-field", told)
    return trials, report.build()


def key_of(trial: Trial) -> Key:
    """What identifies an attempt."""
    return trial.benchmark, trial.task, trial.method, trial.backbone, trial.attempt


def as_row(trial: Trial) -> dict[str, object]:
    """A trial as a line of the file; what is not known is left out."""
    fields = (*_IDS, "attempt", "state", *_AMOUNTS, *_TEXTS, *_COUNTS)
    values = {name: getattr(trial, name) for name in fields}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _trial(row: Mapping[str, object]) -> Trial | str:
    """The trial of a row, or what is wrong with it."""
    values: dict[str, Any] = {name: read_id(row.get(name)) for name in _IDS}
    for name in _IDS:
        if values[name] is None:
            return f"expected a text in `{name}`, got {shown(row.get(name))}"
    if row.get("state") not in _STATES:
        return (
            f"expected one of {', '.join(_STATES)} in `state`, got"
            f" {shown(row.get('state'))}"
        )
    values["state"] = row["state"]
    values["attempt"] = row.get("attempt", 1)
    for name in _TEXTS:
        given = row.get(name, "")
        if not isinstance(given, str):
            return f"expected a text in `{name}`, got {shown(given)}"
        values[name] = clean_text(given).text
    for name in (*_COUNTS, *_AMOUNTS):
        values[name] = row.get(name)
    return _numbers_fault(values) or Trial(**values)


def _numbers_fault(values: Mapping[str, object]) -> str:
    """What is wrong with the numbers of a trial; '' if nothing is."""
    for name in ("attempt", *_COUNTS):
        least = 1 if name == "attempt" else 0
        given = values[name]
        if given is None and name != "attempt":
            continue
        if type(given) is not int or given < least:
            return (
                f"expected a whole number from {least} in `{name}`, got {shown(given)}"
            )
    for name in _AMOUNTS:
        given = values[name]
        if given is None:
            continue
        if isinstance(given, bool) or not isinstance(given, int | float):
            return f"expected a number in `{name}`, got {shown(given)}"
        most = 1 if name == "reward" else math.inf
        if not 0 <= given <= most or math.isinf(cast(float, given)):
            return f"expected a number from 0 to {most} in `{name}`, got {shown(given)}"
    return ""
