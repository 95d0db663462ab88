"""Rule `tasks`: task file in, tasks whose ground truth is in the catalogue out.

Tables: task, relevant (task, skill), load_count, load_problem, passage (kind `task`:
part 0 the whole text, then its sentences).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.data.standins import load_standins, mark_original
from skillmill.data.tasks import load_tasks
from skillmill.evaluate.downstream.strata import check_strata
from skillmill.interfaces.job import Counts, count_report, job
from skillmill.library.passages import task_passages
from skillmill.store import artifact, catalogue, load, passages

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

#: What a category that is a difficulty begins with.
DIFFICULTY = "difficulty:"


def main(
    tasks_path: Path,
    catalogue_path: Path,
    standins_path: Path | None,
    failed_share: float,
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
    split: Mapping[str, Any] | None = None,
) -> None:
    """Read the tasks, resolve their skills by id or alias, write them.

    `split` is that of a benchmark, which they have to be (`settings.downstream`).
    """
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills = catalogue.load_skills(db)
    known = {name: skill.id for skill in skills for name in (skill.id, *skill.aliases)}
    tasks, report = load_tasks(tasks_path, known)
    count_report(counts, report, failed_share)
    if split:
        strata = [stratum(task.categories, split["names"]) for task in tasks]
        check_strata(strata, split["strata"], tasks_path.name, split["key"])
    if standins_path is not None:
        tasks = mark_original(tasks, load_standins(standins_path))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "tasks", counts.states)
        catalogue.save_tasks(db, tasks)
        passages.save_passages(db, "task", task_passages(tasks))
        load.save_report(db, report)


def stratum(categories: Sequence[str], names: Mapping[str, str]) -> str:
    """The stratum of a task by its difficulty; '' where it has none."""
    told = [c.removeprefix(DIFFICULTY) for c in categories if c.startswith(DIFFICULTY)]
    return names.get(told[0], told[0]) if told else ""


def _one(path: str | list[str] | None) -> Path | None:
    """A path; None where the rule has no such input."""
    return Path(path) if isinstance(path, str) and path else None


if __name__ == "__main__":
    with job(snakemake) as this:
        main(
            tasks_path=Path(snakemake.input.tasks[0]),
            catalogue_path=Path(snakemake.input.catalogue),
            standins_path=_one(snakemake.input.get("standins")),
            failed_share=this.failed_share,
            output=Path(snakemake.output.tasks),
            provenance=this.provenance("tasks"),
            counts=this.counts,
            split=snakemake.params.split,
        )
