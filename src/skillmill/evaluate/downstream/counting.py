"""Which attempt of each task counts: one attempt, at most one infrastructure retry.

SkillTrace, appendix: infrastructure retries are limited to one, and invalid or
incomplete trials are errors, never successes.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from skillmill.errors import InputError
from skillmill.types import Trial

#: Leaves of a task's tree -> stratum of ALFWorld (SkillTrace, section 4.1).
STRATA = {1: "easy", 2: "medium"}
HARDEST = "hard"

#: What belongs to a task, whoever tries it.
_FACTS = ("stratum", "domain", "leaves")

#: Why a trial that never was counts as an error.
NO_TRIAL = "no-trial"


@dataclass(frozen=True, slots=True)
class Counting:
    """What counts: so many retries after errors, and what an invalid trial is.

    As `failure` an error is among the failures, with a reward of 0 and its reason; as
    `error` it is counted apart. Either way it is no success.
    """

    retries: int = 1
    invalid: Literal["error", "failure"] = "error"


@dataclass(frozen=True, slots=True)
class Counted:
    """The attempt that counts for a task, a method and a backbone.

    `retried` tells that an infrastructure error came before it; `ignored` attempts came
    after one that counts, or after the last retry.
    """

    trial: Trial
    retried: bool = False
    ignored: int = 0


def stratum_of(leaves: int) -> str:
    """Stratum of a task by the number of its atomic requirements.

    Raises
    ------
    ValueError
        If there is no requirement at all.
    """
    if leaves < 1:
        raise ValueError(f"expected at least one leaf, got {leaves}")
    return STRATA.get(leaves, HARDEST)


def counted(trials: Iterable[Trial], counting: Counting = Counting()) -> list[Counted]:
    """One attempt for each task, method and backbone, sorted by these.

    The first counts, unless it is an error and a retry follows. A task that another
    method or backbone tried, and this one did not, is an error with the reason
    `no-trial`: a method cannot gain by leaving tasks out.

    Raises
    ------
    InputError
        If there are trials of several benchmarks, or two trials put a task into
        different strata, domains or numbers of leaves.
    """
    attempts: dict[tuple[str, str, str], list[Trial]] = defaultdict(list)
    for trial in trials:
        attempts[trial.task, trial.method, trial.backbone].append(trial)
    every = [trial for rows in attempts.values() for trial in rows]
    tasks = _task_facts(every)
    found = {key: _which_counts(rows, counting) for key, rows in attempts.items()}
    pairs = sorted({(method, backbone) for _, method, backbone in attempts})
    for task, fact in tasks.items():
        for method, backbone in pairs:
            absent = Trial(
                every[0].benchmark, task, method, backbone, 1, "error", reason=NO_TRIAL
            )
            key = task, method, backbone
            found[key] = _with_facts(found.get(key, Counted(absent)), fact)
    return [_valued(found[key], counting) for key in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What trials say of their task."""

    stratum: str
    domain: str
    leaves: int | None


def _which_counts(rows: Sequence[Trial], counting: Counting) -> Counted:
    ordered = sorted(rows, key=lambda trial: trial.attempt)
    place = 0
    while (
        ordered[place].state == "error"
        and place < counting.retries
        and place + 1 < len(ordered)
    ):
        place += 1
    ignored = len(ordered) - place - 1
    return Counted(ordered[place], retried=place > 0, ignored=ignored)


def _valued(row: Counted, counting: Counting) -> Counted:
    """The same, its error a failure where errors are to be failures."""
    if row.trial.state != "error" or counting.invalid == "error":
        return row
    return replace(row, trial=replace(row.trial, state="failure", reward=0.0))


def _task_facts(trials: Sequence[Trial]) -> dict[str, _Facts]:
    """Stratum, domain and leaves of each task, the same for every method."""
    benchmarks = sorted({trial.benchmark for trial in trials})
    if len(benchmarks) > 1:
        raise InputError(
            f"trials of {' and '.join(benchmarks)} cannot be pooled; give each"
            " benchmark a study of its own",
            record=benchmarks[0],
        )
    told: dict[str, dict[str, set[object]]] = {}
    for trial in trials:
        own = told.setdefault(trial.task, {n: set() for n in _FACTS})
        for name, values in own.items():
            value = getattr(trial, name)
            if value not in (None, ""):
                values.add(value)
    for task, own in told.items():
        for name, values in own.items():
            if len(values) > 1:
                raise InputError(
                    f"task {task!r}: expected one {name}, got"
                    f" {', '.join(sorted(map(repr, values)))}; strata must be the same"
                    " for every method, so mend the result files",
                    record=task,
                )
    return {task: _facts(own) for task, own in told.items()}


def _facts(told: dict[str, set[object]]) -> _Facts:
    def one(name: str) -> object:
        return next(iter(told[name]), None)

    leaves = one("leaves")
    count = leaves if isinstance(leaves, int) else None
    stratum = str(one("stratum") or "")
    if not stratum and count:
        stratum = stratum_of(count)
    return _Facts(stratum, str(one("domain") or ""), count)


def _with_facts(row: Counted, facts: _Facts) -> Counted:
    """The same with what any trial says of the task."""
    known = replace(
        row.trial, stratum=facts.stratum, domain=facts.domain, leaves=facts.leaves
    )
    return replace(row, trial=known)
