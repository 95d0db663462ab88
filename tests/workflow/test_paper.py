"""The overlays of the paper plan their jobs without data, models or keys."""

import os
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STATE = "results/erskill-locomo/evolution/default/run-0/step-12.sqlite"


@pytest.mark.parametrize(
    ("name", "data", "rules"),
    [
        ("erskill-locomo", "locomo", {"evolve_step": 60, "evolution_scores": 1}),
        ("erskill-perltqa", "perltqa", {"memory_scores": 1}),
        ("erskill-longmemeval", "longmemeval", {"transferred": 20, "memory_scores": 1}),
        ("skilltrace", "skillsbench", {"tasks": 1, "traces": 1, "trace_scores": 1}),
    ],
)
def test_an_overlay_of_the_paper_dry_runs(tmp_path, name, data, rules):
    folder = tmp_path / "data" / data
    (folder / "skills" / "one").mkdir(parents=True)
    for file in ("some.json", "tasks.jsonl", "not_redistributed.json"):
        (folder / file).write_text("[]")
    (folder / "skills" / "one" / "SKILL.md").write_text("---\nname: one\n---\n")
    state = tmp_path / STATE
    state.parent.mkdir(parents=True)
    state.touch()
    overlay = REPOSITORY / "configs" / "paper" / f"{name}.yaml"
    done = subprocess.run(
        [
            sys.executable, "-m", "snakemake", "-s", str(REPOSITORY / "Snakefile"),
            "--workflow-profile", str(REPOSITORY / "profiles" / "default"),
            "-n", "-d", str(tmp_path), "--configfile", str(overlay),
            "--", *(["memory", "evolution"] if "erskill" in name else ["library"]),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "SKILLMILL_DATA": str(tmp_path / "data")},
        cwd=tmp_path,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    counts = {line[0]: line[1] for line in lines if len(line) == 2}
    assert {rule: int(counts[rule]) for rule in rules} == rules
