"""What one edited skill costs among all of the registry, against a clean build.

    SKILLMILL_DATA=<folder> OMP_NUM_THREADS=1 python -m benchmarks.edit_library
        [--distractors all] [--records FOLDER] [--cores 2]

Builds SkillsBench's skills among so many registry skills in a folder of its own, every
stage of the library track with its measurements, by the real workflow; puts two words
into one description; builds again. Both sides are in one run: CPU seconds of all
processes, wall seconds, jobs, and texts that the encoder read, then the share of the
edit in the clean build. With `--records` the vectors recorded there are used, so that
the clean build lacks the encoding: the share is then an upper bound. Asserts nothing.
"""

import argparse
import os
import resource
import shutil
import tempfile
from pathlib import Path

import yaml
from benchmarks.edits import build

DATA = "{data_root}/skillsbench"


def overlay(distractors: str) -> dict[str, object]:
    """The study."""
    count = distractors if distractors == "all" else int(distractors)
    return {
        "study": "edited",
        "library": {
            "path": "skills",
            "tasks": f"{DATA}/tasks.jsonl",
            "standins": f"{DATA}/not_redistributed.json",
            "distractors": {
                "path": "{data_root}/registry/registry.jsonl.gz",
                "count": count,
            },
        },
        "memory": {"path": None},
    }


def cpu() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(root: Path, name: str, cores: int) -> tuple[float, float, int, int]:
    """CPU and wall seconds, jobs and computed rows of one run."""
    before = cpu()
    wall, jobs = build(root, name, cores=cores)
    return cpu() - before, wall, len(jobs), sum(job.computed for job in jobs)


def edit(root: Path) -> None:
    """Put two words into the description of a skill."""
    for file in sorted((root / "skills").rglob("SKILL.md")):
        text = file.read_text(encoding="utf-8")
        if "\ndescription: " in text:
            new = text.replace(
                "\ndescription: ", "\ndescription: Carefully reworded ", 1
            )
            file.write_text(new, encoding="utf-8")
            return
    raise SystemExit("no skill has a description on its own line")


def main() -> None:
    """Print a row for each side, and the share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--distractors", default="all")
    parser.add_argument("--records", type=Path)
    parser.add_argument("--cores", type=int, default=2, help="Jobs at a time.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="skillmill-edit-") as name:
        root = Path(name)
        source = Path(os.environ["SKILLMILL_DATA"]) / "skillsbench" / "skills"
        shutil.copytree(source, root / "skills")
        if options.records:
            shutil.copytree(options.records / "vectors", root / "records" / "vectors")
        text = yaml.safe_dump(overlay(options.distractors))
        (root / "overlay.yaml").write_text(text)
        print(f"{'build':8}{'CPU s':>8}{'wall s':>8}{'jobs':>6}{'computed':>10}")
        clean = show("clean", run(root, "clean", options.cores))
        edit(root)
        edited = show("edit", run(root, "edit", options.cores))
        used, wall = (e / c for e, c in zip(edited, clean, strict=True))
        print(f"share of the clean build: CPU {used:.1%}, wall {wall:.1%}")


def show(name: str, row: tuple[float, float, int, int]) -> tuple[float, float]:
    """Print one row; its CPU and wall seconds."""
    used, wall, jobs, computed = row
    print(f"{name:8}{used:>8.1f}{wall:>8.1f}{jobs:>6}{computed:>10}", flush=True)
    return used, wall


if __name__ == "__main__":
    main()
