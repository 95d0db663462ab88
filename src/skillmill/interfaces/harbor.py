"""SkillsBench through harbor: task folders with retrieved skills, results read back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillmill.data.discovery import system_path
from skillmill.data.harborjob import load_jobs
from skillmill.data.harbortask import HarborTask, find_tasks, write_task
from skillmill.data.relevance import load_predictions
from skillmill.data.skillfile import load_library
from skillmill.evaluate.downstream.strata import check_strata
from skillmill.interfaces.predicted import predicted
from skillmill.settings.downstream import SkillsBench
from skillmill.store import trials
from skillmill.types import LoadReport, Trial

_ANY = SkillsBench()


@dataclass(frozen=True, slots=True)
class Written:
    """Tasks that were written, those without a prediction, skills put into them."""

    tasks: int
    without: tuple[str, ...]
    skills: int


def write_tasks(
    tasks: Path,
    library: Path,
    predictions: Path | None,
    budget: int,
    target: Path,
    protocol: SkillsBench = _ANY,
) -> Written:
    """Write each task with the first `budget` skills predicted for it.

    Without predictions every skill of the library goes into every task (load-all). A
    task that was predicted nothing is written without skills: it must count, too.

    Raises
    ------
    InputError
        If a folder or file cannot be read, a predicted skill is not in the library, or
        the tasks are not those of the split that the protocol expects.
    """
    found = find_tasks(tasks)
    _check_split(found, protocol)
    folders = skill_folders(library)
    chosen = load_predictions(predictions)[0] if predictions else None
    wanted = {task.id: _chosen(task, chosen, folders, budget) for task in found}
    for task in found:
        write_task(task, [(s, folders[s]) for s in wanted[task.id]], target)
    lacking = () if chosen is None else tuple(t.id for t in found if t.id not in chosen)
    return Written(len(found), lacking, sum(map(len, wanted.values())))


def read_results(
    jobs: Sequence[Path],
    tasks: Path | None,
    method: str,
    backbone: str | None,
    protocol: SkillsBench = _ANY,
) -> tuple[list[Trial], list[LoadReport]]:
    """The trials of jobs, with stratum and domain from the task folders.

    The stratum is the difficulty, by the protocol's name for it, the domain the
    category, both as `task.toml` writes them.

    Raises
    ------
    InputError
        As the loaders; if the task folders are not the split that the protocol expects.
    """
    found, reports = load_jobs(jobs, method, backbone)
    labels: dict[str, HarborTask] = {}
    if tasks:
        own = find_tasks(tasks)
        _check_split(own, protocol)
        labels = {task.id: task for task in own}
    return [_labelled(trial, labels, protocol) for trial in found], reports


def _check_split(tasks: Sequence[HarborTask], protocol: SkillsBench) -> None:
    """Refuse other tasks than the protocol's split."""
    check_strata(
        [_stratum(task, protocol) for task in tasks],
        protocol.strata,
        "task folders",
        "downstream.skillsbench.strata",
    )


def _stratum(task: HarborTask, protocol: SkillsBench) -> str:
    return protocol.names.get(task.difficulty, task.difficulty)


def keep(
    found: Sequence[Trial], records: Path, study: str, *, replace_known: bool
) -> trials.Kept:
    """Add trials to the log of a study."""
    return trials.keep_trials(records, study, found, replace=replace_known)


def _labelled(
    trial: Trial, labels: Mapping[str, HarborTask], protocol: SkillsBench
) -> Trial:
    task = labels.get(trial.task)
    if task is None:
        return trial
    stratum = _stratum(task, protocol)
    return replace(trial, stratum=stratum, domain=task.category)


def skill_folders(library: Path) -> dict[str, Path]:
    """Folder of each skill of a library, by its folder, its copies' and its name.

    Raises
    ------
    InputError
        If there is no skill.
    """
    skills, _ = load_library(library, ids="name")
    return {
        name: system_path(library, skill.path).parent
        for skill in skills
        for name in (skill.id, *skill.aliases)
    }


def _chosen(
    task: HarborTask,
    predictions: Mapping[str, Sequence[str]] | None,
    folders: Mapping[str, Path],
    budget: int,
) -> list[str]:
    """Skills of a task, each once, in the order predicted."""
    if predictions is None:
        return list(folders)
    return predicted(predictions.get(task.id, ()), budget, folders, "task", task.id)
