"""What the examples of the help name that is the reader's own, made on the spot."""

import csv
import json
import shutil
from pathlib import Path

from skillmill.evolve.storing import rows_of
from skillmill.store import artifact, evolution
from tests.conftest import REPOSITORY
from tests.evolve.test_step import OURS, evolved

SKILL = "---\nname: {0}\ndescription: All about {0}.\n---\nRead the {0}.\n"
TASK = 'version = "1.0"\n[metadata]\ndifficulty = "easy"\ncategory = "office"\n'
CHAT = "[25/08/2024, 09:12:01] Ada: Good morning\n[25/08/2024, 09:13:10] Ben: Hi\n"
EDGES = """\
- source: finance/pair-up
  target: finance/line-reader
  relation: requires
"""


def lay_out(home: Path, results: Path, records: Path) -> None:
    """Fill a folder with all that the examples name, but for what they make."""
    for name in ("data", "configs"):
        (home / name).symlink_to(REPOSITORY / name)
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "results").symlink_to(results)
    shutil.copytree(results, home / "results")
    shutil.copytree(records, home / "records")
    shutil.copytree(REPOSITORY / "data" / "sample" / "library", home / "skills")
    library = results / "sample" / "library" / "library.sqlite"
    shutil.copy(library, home / "library.sqlite")
    _texts(home)
    _verdicts(home)
    _harbor(home)
    _evolution(home / "results" / "locomo" / "evolution" / "default" / "run-0")


def _texts(home: Path) -> None:
    tasks = home / "data" / "sample" / "tasks.jsonl"
    trial = {"benchmark": "alfworld", "task": "t", "method": "trace", "backbone": "m",
             "attempt": 1, "state": "success", "stratum": "easy"}  # fmt: skip
    asked = [json.loads(line) for line in tasks.read_text("utf-8").splitlines()]
    calls = [
        {"version": 1, "task": "t", "step": n, "skill": skill, "outcome": "ok"}
        for n, skill in enumerate(("finance/line-reader", "finance/pair-up"))
    ]
    texts = {
        "my.jsonl": tasks.read_text(encoding="utf-8"),
        "relevance.json": json.dumps(
            {row["id"]: {"gt_skill_ids": row["relevant"]} for row in asked}
        ),
        "my-edges.yaml": EDGES,
        "calls.jsonl": "".join(f"{json.dumps(call)}\n" for call in calls),
        "runs.jsonl": json.dumps(trial),
        "chat.txt": CHAT,
        "skillmill.yaml": "library:\n  path: skills\n  tasks: null\n",
        "downloads/pdf-tools/SKILL.md": SKILL.format("pdf-tools"),
    }
    for name, text in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")


def _verdicts(home: Path) -> None:
    """The sample of edges that the build drew, judged."""
    drawn = home / "results" / "sample" / "library" / "edge_sample.csv"
    with drawn.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (home / "judged.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"verdict": "correct"} for row in rows)


def _harbor(home: Path) -> None:
    """A task of SkillsBench's form, and the result of a trial of it."""
    task = home / "tasks" / "supplier-bills"
    own = task / "environment" / "skills" / "leaked"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text(SKILL.format("leaked"), encoding="utf-8")
    (task / "task.toml").write_text(TASK, encoding="utf-8")
    (task / "instruction.md").write_text("Sort the bills.\n", encoding="utf-8")
    trial = home / "jobs" / "one" / "supplier-bills__x"
    trial.mkdir(parents=True)
    row = {
        "task_name": "supplier-bills",
        "trial_name": trial.name,
        "agent_info": {"name": "agent", "model_info": {"name": "m", "provider": "p"}},
        "agent_result": {"n_input_tokens": 90, "n_output_tokens": 10, "cost_usd": None},
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": None,
        "started_at": "2026-01-29T05:47:41Z",
        "finished_at": "2026-01-29T05:47:59.500000Z",
    }
    (trial / "result.json").write_text(json.dumps(row), encoding="utf-8")


def _evolution(folder: Path) -> None:
    """The stores of a short run."""
    for step, state in enumerate(evolved(OURS, steps=4)):
        provenance = artifact.Provenance("evolution", "locomo", "1", "code")
        with artifact.writing(folder / f"step-{step}.sqlite", provenance) as db:
            evolution.save_evolution(db, rows_of(state))
