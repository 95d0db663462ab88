"""Results of harbor: one `result.json` in the folder of each trial of a job.

The file as harbor writes it (`TrialResult`): `task_name`, `trial_name`, `agent_info`,
`agent_result` (tokens, cost), `verifier_result.rewards`, `exception_info`,
`started_at`, `finished_at`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from skillmill.data.jsontext import parse_json, read_id, read_text_file, shown
from skillmill.data.loadreport import ReportBuilder, source_name
from skillmill.errors import InputError
from skillmill.types import LoadReport, Trial

BENCHMARK = "skillsbench"
RESULT = "result.json"
#: The agent had its time and did not end: that is no fault of the infrastructure.
_OUT_OF_TIME = "AgentTimeoutError"
#: The least reward that is a success: all tests of the verifier passed.
_WHOLE = 1.0


def load_jobs(
    folders: Iterable[Path], method: str, backbone: str | None = None
) -> tuple[list[Trial], list[LoadReport]]:
    """Load the trials of jobs, by task and time; attempts numbered in that order.

    Parameters
    ----------
    folders : iterable of Path
        Of a job each, or of jobs.
    method : str
        What chose the skills of these jobs.
    backbone : str, optional
        The agent's model; None: as harbor names it.

    Returns
    -------
    trials : list of Trial
        Success is a reward of 1. An exception, or no reward, is an error, but for an
        agent that ran out of its time: the verifier still judges what it left.
    reports : list of LoadReport
        For each folder. Failed is a file that is no result of a trial.

    Raises
    ------
    InputError
        If a folder holds no result.
    """
    dated: list[tuple[str, str, str, Trial]] = []
    reports = []
    for folder in folders:
        mine, report = _load(folder, method, backbone)
        dated += mine
        reports.append(report)
    counts: dict[tuple[str, str], int] = {}
    trials = []
    for task, _, _, trial in sorted(dated, key=lambda row: row[:3]):
        key = task, trial.backbone
        counts[key] = counts.get(key, 0) + 1
        trials.append(replace(trial, attempt=counts[key]))
    return trials, reports


def _load(
    folder: Path, method: str, backbone: str | None
) -> tuple[list[tuple[str, str, str, Trial]], LoadReport]:
    report = ReportBuilder(source_name(folder))
    found = []
    for path in sorted(folder.rglob(RESULT)):
        name = path.relative_to(folder).as_posix()
        made = _read(path, method, backbone)
        if made is None:
            continue
        report.found()
        if isinstance(made, str):
            report.item("failed")
            report.problem(name, None, None, "failed", "bad-result", made)
            continue
        report.item("ok")
        found.append((made[1].task, made[0], name, made[1]))
    built = report.build()
    if not built.found:
        raise InputError(
            f"{folder}: expected {RESULT} of harbor's trials below it, found none; name"
            " the folder of a job",
            record=str(folder),
        )
    return found, built


def _read(
    path: Path, method: str, backbone: str | None
) -> tuple[str, Trial] | str | None:
    """When it began, and the trial; why it is none; None for a job's own result."""
    try:
        row = parse_json(read_text_file(path), path.name)
    except InputError as error:
        return str(error)
    if not isinstance(row, Mapping):
        return f"expected a JSON object, got {shown(row)}"
    if "task_name" not in row and "trial_name" not in row:
        return None
    task = read_id(row.get("task_name"))
    if task is None:
        return f"expected a text in `task_name`, got {shown(row.get('task_name'))}"
    model = _part(_part(row, "agent_info"), "model_info")
    name = backbone or read_id(model.get("name"))
    if name is None:
        return f"task {task!r}: no model is named; say which with --backbone"
    trial = _trial(row, task.rsplit("/", 1)[-1], method, name)
    return str(row.get("started_at") or ""), trial


def _trial(row: Mapping[str, object], task: str, method: str, backbone: str) -> Trial:
    told = _part(row, "agent_result")
    reward = _reward(_part(_part(row, "verifier_result"), "rewards"))
    broke = read_id(_part(row, "exception_info").get("exception_type")) or ""
    base = Trial(
        BENCHMARK,
        task,
        method,
        backbone,
        1,
        "failure",
        reward,
        prompt_tokens=_count(told.get("n_input_tokens")),
        completion_tokens=_count(told.get("n_output_tokens")),
        seconds=_seconds(row.get("started_at"), row.get("finished_at")),
        usd=_amount(told.get("cost_usd")),
    )
    if broke not in ("", _OUT_OF_TIME):
        return replace(base, state="error", reward=None, reason=broke)
    if reward is None and not broke:
        return replace(base, state="error", reason="no-reward")
    worth = reward or 0.0
    return replace(
        base,
        state="success" if worth >= _WHOLE else "failure",
        reward=worth,
        reason="agent-timeout" if broke else "",
    )


def _part(row: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = row.get(key)
    return found if isinstance(found, Mapping) else {}


def _reward(rewards: Mapping[str, object]) -> float | None:
    """The reward called so, or the only one; None unless in [0, 1]."""
    given = rewards.get("reward")
    if given is None and len(rewards) == 1:
        given = next(iter(rewards.values()))
    value = _amount(given)
    return value if value is not None and value <= 1 else None


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < math.inf else None


def _seconds(start: object, end: object) -> float | None:
    """Seconds between two ISO 8601 moments; None if either is none."""
    try:
        moments = [datetime.fromisoformat(str(value)) for value in (start, end)]
    except ValueError:
        return None
    first, last = (
        moment if moment.tzinfo else moment.replace(tzinfo=UTC) for moment in moments
    )
    took = (last - first).total_seconds()
    return round(took, 3) if took >= 0 else None
