"""What the next run would do and why, from the reasons that Snakemake gives."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from skillmill.errors import InputError
from skillmill.interfaces.contents import PREFIX

#: How Snakemake begins a reason -> our word for it.
KINDS = {
    "Missing output files": "missing",
    "Incomplete output files": "incomplete",
    "Updated input files": "input changed",
    "Input files updated by another job": "follows",
    "Set of input files has changed since last execution": "inputs added or removed",
    "Code has changed since last execution": "code changed",
    "Params have changed since last execution": "settings changed",
    "Software environment definition has changed since last execution": (
        "environment changed"
    ),
    "Forced execution": "forced",
}

_RULE = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$", re.MULTILINE)
_FIELD = re.compile(r"^    (output|reason): (.*)$", re.MULTILINE)
_PARAMS = re.compile(r"before: (.*?) now: (.*?)\s*$")
_CODE = re.compile(r"'[0-9a-f]{12}'")
_GIVEN = re.compile(rf"'{PREFIX}[0-9a-f]{{12}}'(?:, )?")
_NOTHING = "<nothing exclusive>"

#: Of an input of which Snakemake does not say which one it is.
OLDER = "content, though no file is newer"

#: Files and characters of a reason on a line.
SHOWN, WIDTH = 3, 160


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason: a word of `KINDS`, and the files or settings it names."""

    kind: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rerun:
    """A job that would run."""

    rule: str
    outputs: tuple[str, ...]
    causes: tuple[Cause, ...]

    @property
    def follows(self) -> bool:
        """Whether it would run only because of jobs before it."""
        return all(cause.kind == "follows" for cause in self.causes)


def read_plan(said: str) -> list[Rerun]:
    """Jobs that a dry run of Snakemake announces, in its order; targets left out.

    Raises
    ------
    InputError
        If a job is announced without a reason: Snakemake says it in other words.
    """
    starts = list(_RULE.finditer(said))
    jobs = []
    for match, following in zip_longest(starts, starts[1:]):
        end = following.start() if following else len(said)
        fields = dict(_FIELD.findall(said[match.end() : end]))
        if "output" not in fields:
            continue  # a target such as `all`
        if "reason" not in fields:
            raise InputError(
                f"rule {match[1]}: expected a reason in Snakemake's dry run, found"
                " none; look at `skillmill run --dry-run`",
                record=match[1],
            )
        causes = tuple(_causes(fields["reason"]))
        jobs.append(Rerun(match[1], tuple(fields["output"].split(", ")), causes))
    return jobs


def _causes(reason: str) -> Iterator[Cause]:
    """The parts of Snakemake's reason."""
    begins = "|".join(map(re.escape, KINDS))
    places = [m.start() for m in re.finditer(rf"(?:^|(?<=; ))(?:{begins})", reason)]
    if not places:
        yield Cause("other", (reason,))
    for start, end in zip_longest(places, places[1:]):
        begin, _, rest = reason[start:end].removesuffix("; ").partition(": ")
        kind = KINDS[begin]
        if kind == "settings changed":
            yield _of_params(rest)
        else:
            yield Cause(kind, tuple(rest.split(", ")) if rest else ())


def _of_params(rest: str) -> Cause:
    """What changed among the params; the package's code is one of them."""
    match = _PARAMS.search(rest)
    if match is None:
        return Cause("settings changed", (rest,))
    before, now = (_GIVEN.sub("", part) for part in match.groups())
    if not before + now:
        return Cause("input changed", (OLDER,))
    before, now = ("" if part == _NOTHING else part for part in (before, now))
    if _CODE.fullmatch(before) and _CODE.fullmatch(now):
        return Cause("code changed")
    return Cause("settings changed", (f"before: {before}", f"now: {now}"))


def plan_lines(jobs: Sequence[Rerun]) -> Iterator[str]:
    """Lines for a person: what runs for a reason of its own, then what follows."""
    if not jobs:
        yield "nothing would run"
        return
    yield f"{len(jobs)} jobs would run"
    for job in jobs:
        if job.follows:
            continue
        yield f"{job.rule}  {_some(job.outputs)}"
        for cause in job.causes:
            yield f"    {cause.kind}{_told(cause)}"
    following = Counter(job.rule for job in jobs if job.follows)
    if following:
        names = (f"{rule} x {n}" if n > 1 else rule for rule, n in following.items())
        yield f"after them, because of what they make: {', '.join(names)}"


def plan_rows(jobs: Sequence[Rerun]) -> Iterator[dict[str, object]]:
    """Rows for a machine, one a job."""
    for job in jobs:
        yield {
            "rule": job.rule,
            "outputs": list(job.outputs),
            "follows": job.follows,
            "causes": [
                {"kind": cause.kind, "details": list(cause.details)}
                for cause in job.causes
            ],
        }


def _told(cause: Cause) -> str:
    return f": {_some(cause.details)}" if cause.details else ""


def _some(names: Sequence[str]) -> str:
    """A few names, each cut short, and how many more there are."""
    shown = [n if len(n) <= WIDTH else f"{n[:WIDTH]}..." for n in names[:SHOWN]]
    more = len(names) - SHOWN
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
