"""What one edit costs against a clean build: jobs, seconds, rows that models computed.

    python -m benchmarks.edits

The sample, built in a folder of its own by the real workflow, two jobs at a time, each
of its two conversations in a shard of its own. The clean build is the second one: its
models' rows are recorded, as they are for the edits.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from skillmill.store.runs import JobRow, read_jobs

REPOSITORY = Path(__file__).resolve().parent.parent
SEEDS = REPOSITORY / "src" / "skillmill" / "skills" / "seeds"


def first_skill(root: Path) -> Path:
    """The first SKILL.md of the library."""
    return sorted((root / "data" / "sample" / "library").rglob("SKILL.md"))[0]


def edit_description(root: Path) -> None:
    """Put a word into the description of one skill."""
    text = first_skill(root).read_text(encoding="utf-8")
    new = text.replace("description: ", "description: Carefully reworded. ", 1)
    first_skill(root).write_text(new, encoding="utf-8")


def edit_body(root: Path) -> None:
    """Add a line to the body of one skill."""
    with first_skill(root).open("a", encoding="utf-8") as file:
        file.write("\nOne more line.\n")


def add_skill(root: Path) -> None:
    """Add a skill."""
    folder = root / "data" / "sample" / "library" / "added" / "kiln-log"
    folder.mkdir(parents=True)
    folder.joinpath("SKILL.md").write_text(
        "---\nname: kiln-log\ndescription: Keep a log of kiln firings.\n---\nBody.\n"
    )


def delete_skill(root: Path) -> None:
    """Delete a skill that no task needs."""
    tasks = (root / "data" / "sample" / "tasks.jsonl").read_text(encoding="utf-8")
    needed = {s for line in tasks.splitlines() for s in json.loads(line)["relevant"]}
    library = root / "data" / "sample" / "library"
    for file in sorted(library.rglob("SKILL.md")):
        if file.parent.relative_to(library).as_posix() not in needed:
            shutil.rmtree(file.parent)
            return
    raise SystemExit("every skill of the sample is needed by a task")


def edit_retrieval_skill(root: Path) -> None:
    """Change the prose of one retrieval skill."""
    file = root / "seeds" / "surface-fact.md"
    file.write_text(file.read_text(encoding="utf-8") + "\n\n", encoding="utf-8")


def edit_turn(root: Path) -> None:
    """Change what somebody said once."""
    file = root / "data" / "sample" / "conversations.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[3])
    row["text"] += " And the kiln was cold."
    lines[3] = json.dumps(row, ensure_ascii=False)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def touch_all(root: Path) -> None:
    """Touch every input."""
    for file in (root / "data").rglob("*"):
        file.touch()


EDITS: list[Callable[[Path], None]] = [
    edit_description, edit_body, add_skill, delete_skill, edit_retrieval_skill,
    edit_turn, touch_all,
]  # fmt: skip


def build(root: Path, name: str, cores: int = 2) -> tuple[float, list[JobRow]]:
    """Build everything in a folder with an `overlay.yaml`; wall seconds and jobs."""
    started = time.monotonic()
    subprocess.run(
        [
            sys.executable, "-m", "skillmill", "run", "--snakefile",
            str(REPOSITORY / "Snakefile"), "--configfile", "overlay.yaml",
            "--cores", str(cores), "--quiet", "all",
        ],
        cwd=root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "SKILLMILL_RUN": name},
    )  # fmt: skip
    return time.monotonic() - started, read_jobs(root / "records", name)


def run(root: Path, name: str) -> tuple[int, float, float, int]:
    """Jobs, wall seconds, seconds within scripts and computed rows of one run."""
    wall, jobs = build(root, name)
    return (
        len(jobs),
        wall,
        sum(job.seconds for job in jobs),
        sum(job.computed for job in jobs),
    )


def main() -> None:
    """Print a row for the clean build and one for each edit."""
    with tempfile.TemporaryDirectory(prefix="skillmill-edits-") as name:
        root = Path(name)
        shutil.copytree(REPOSITORY / "data" / "sample", root / "data" / "sample")
        shutil.copytree(SEEDS, root / "seeds")
        overlay = "memory: {skills: [seeds], shards: 2}\n"
        root.joinpath("overlay.yaml").write_text(overlay)
        print(f"{'edit':22}{'jobs':>5}{'wall s':>8}{'scripts s':>10}{'computed':>9}")
        show("first build", run(root, "first"))
        shutil.rmtree(root / "results")
        show("clean build", run(root, "clean"))
        for edit in EDITS:  # one on top of the other
            edit(root)
            show(edit.__name__, run(root, edit.__name__))


def show(name: str, row: tuple[int, float, float, int]) -> None:
    """Print one row."""
    jobs, wall, scripts, computed = row
    print(f"{name:22}{jobs:>5}{wall:>8.1f}{scripts:>10.1f}{computed:>9}", flush=True)


if __name__ == "__main__":
    main()
