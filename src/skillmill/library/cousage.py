"""What a log of skill calls shows: what is used together, and what follows what."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Literal, get_args

from skillmill.data.jsonrows import Row, read_rows
from skillmill.data.jsontext import read_id, shown
from skillmill.data.loadreport import Remark, ReportBuilder, outcome_of, source_name
from skillmill.library.declared import Names
from skillmill.library.vocabulary import pair_of
from skillmill.types import Edge, LoadReport

#: Version of the log's rows that is read.
CALL_VERSION = 1

CallOutcome = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One use of a skill: the `step`-th call for a task, and how it ended."""

    task: str
    step: int
    skill: str
    outcome: CallOutcome


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """What makes an edge of a log.

    `support` is the least number of tasks, `direction` the least share of these in
    which the one skill came directly before the other and not after it.
    """

    support: int = 2
    direction: float = 0.8


def load_calls(path: Path, names: Names) -> tuple[list[Call], LoadReport]:
    """Read and check a log of calls, one JSON object a line.

    A row has `version` (1), `task`, `step` (a whole number, once a task), `skill` and
    `outcome` (`ok`, `failed` or `skipped`), in any order of rows and keys; further
    keys are ignored.

    Returns
    -------
    calls : list of Call
        Sorted by task and step. A skill that `names` does not know is left out with a
        warning, for logs outlive skills.
    report : LoadReport
        Every problem with its line; a row that is no call has failed.

    Raises
    ------
    InputError
        If the file is missing or unreadable, or no line of it is a JSON object.
    """
    report = ReportBuilder(source_name(path))
    calls: list[Call] = []
    lines: dict[tuple[str, int], int] = {}
    for line, row in read_rows(path):
        report.found()
        call, remark = _read_call(row, line, names, lines)
        record = call.task if call else None
        problems = [remark.at(path.name, record)] if remark else []
        report.item(outcome_of(problems))
        for problem in problems:
            report.add(problem)
        if call and not remark:
            calls.append(call)
    return sorted(calls), report.build()


def sequences(calls: Iterable[Call]) -> dict[str, tuple[str, ...]]:
    """The skills that worked for each task, in order; the same twice in a row is one.

    Tasks are sorted; one without any such call is absent.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for call in sorted(calls):
        if call.outcome == "ok" and found[call.task][-1:] != [call.skill]:
            found[call.task].append(call.skill)
    return {task: tuple(skills) for task, skills in sorted(found.items()) if skills}


class CoUsage:
    """Which skills were used for the same task, and one directly after the other.

    Each is counted once a task, so that one task that loops does not outvote others.

    Parameters
    ----------
    used : mapping of str to sequence of str
        Task -> its skills in order, as `sequences` gives them.
    """

    def __init__(self, used: Mapping[str, Sequence[str]]) -> None:
        self.used = used
        self.together: Counter[tuple[str, str]] = Counter()
        self.next: Counter[tuple[str, str]] = Counter()
        for skills in used.values():
            self.together.update(combinations(sorted({*skills}), 2))
            self.next.update({*pairwise(skills)})

    def without(self, task: str) -> "CoUsage":
        """The same without one task, to measure on that task what the others show."""
        return CoUsage({name: s for name, s in self.used.items() if name != task})

    def skills(self) -> set[str]:
        """Every skill that was used."""
        return {skill for skills in self.used.values() for skill in skills}

    def neighbours(self) -> dict[str, list[tuple[str, float]]]:
        """For each skill those used with it and for how many tasks, most first."""
        found: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for (one, other), n in self.together.items():
            found[one].append((other, float(n)))
            found[other].append((one, float(n)))
        for pairs in found.values():
            pairs.sort(key=lambda pair: (-pair[1], pair[0]))
        return dict(sorted(found.items()))

    def edges(self, settings: LearningSettings) -> list[Edge]:
        """Edges with provenance `learned`, sorted by source, target.

        `precedes` where one skill came directly before the other for enough tasks and
        seldom after it, the weight its share; else `complements` where both were used
        for enough tasks, the weight their Jaccard index. Use shows no more than that
        (Comparative paper, section 2.2).
        """
        tasks = Counter(skill for skills in self.used.values() for skill in {*skills})
        edges = []
        for one, other in sorted({*self.together}):
            forward, back = self.next[one, other], self.next[other, one]
            first, second = (one, other) if forward >= back else (other, one)
            most = max(forward, back)
            share = most / (forward + back) if most else 0.0
            both = self.together[one, other]
            if most >= settings.support and share >= settings.direction:
                weight = round(share, 6)
                edges.append(Edge(first, second, "precedes", weight, "learned"))
            elif both >= settings.support:
                weight = round(both / (tasks[one] + tasks[other] - both), 6)
                ends = pair_of(one, other)
                edges.append(Edge(*ends, "complements", weight, "learned"))
        return sorted(edges, key=lambda edge: (edge.source, edge.target))


def _read_call(
    row: Row, line: int, names: Names, lines: dict[tuple[str, int], int]
) -> tuple[Call | None, Remark | None]:
    """A call, or why the line is none, or both where its skill is not known."""
    if isinstance(row, str):
        return None, Remark(line, "bad-row", row, "failed")
    task, step = read_id(row.get("task")), row.get("step")
    skill, outcome = read_id(row.get("skill")), row.get("outcome")
    wrong = [
        f"`{key}` must be {what}, got {shown(row.get(key))}"
        for key, what, fits in (
            ("version", CALL_VERSION, row.get("version") == CALL_VERSION),
            ("task", "an id", task is not None),
            ("step", "a whole number", type(step) is int and step >= 0),
            ("skill", "an id", skill is not None),
            ("outcome", "ok, failed or skipped", outcome in get_args(CallOutcome)),
        )
        if not fits
    ]
    if wrong or task is None or skill is None or not isinstance(step, int):
        return None, Remark(line, "bad-call", "; ".join(wrong), "failed")
    earlier = lines.setdefault((task, step), line)
    if earlier != line:
        message = f"task {task!r} has step {step} in line {earlier} already"
        return None, Remark(line, "repeated-step", message, "failed")
    known = names.find(skill)
    call = Call(task, step, known or skill, outcome)  # type: ignore[arg-type]
    if known is None:
        message = f"no skill of the library is {skill!r}; the call is left out"
        return call, Remark(line, "unknown-skill", message)
    return call, None
