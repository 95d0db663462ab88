"""A memory without any model, by the stage functions in a process of its own."""

import json
import os
import subprocess
import sys

import pytest

from skillmill.store.artifact import reading
from skillmill.store.load import load_outcomes
from tests.conftest import REPOSITORY
from tests.workflow.conftest import sample_copy

pytestmark = pytest.mark.workflow

#: Whatever would run a model, or draw a tagger in.
MODELS = {"torch", "onnxruntime", "spacy", "sentence_transformers", "transformers"}

BUILD = f"""
import json, sys
from pathlib import Path
from tests.workflow.stages import LEFT_OUT, Stages
LEFT_OUT |= {{"answers", "answer_scores"}}  # the stand-in reader parses sentences
stages = Stages(Path("."), Path("records"), json.loads(sys.argv[1]))
ran = stages.build()
try:
    Stages(Path("."), Path("records"), {{"memory": {{"entities": ["noun"]}}}}).build()
except SystemExit as stopped:
    assert stopped.code == 3
from click.testing import CliRunner
from skillmill.interfaces.cli import main
asked = ["recall", "Where is the kiln?", "--study", "sample",
         "--conversation", "ferry-and-kiln"]
done = CliRunner().invoke(main, asked)
assert done.exit_code == 0, done.output
refused = CliRunner().invoke(main, [*asked, "--skill", "semantic-clue"])
print(json.dumps([ran, done.stdout, refused.output,
                  sorted({MODELS!r} & set(sys.modules))]))
"""

KEYWORDS = {
    "library": {"path": None},
    "evaluation": {"bootstrap": 20},
    "memory": {"vectors": False, "entities": [],
               "skills": ["src/skillmill/skills/words"]},
}  # fmt: skip


def test_keywords_and_dates_build_and_answer_without_any_model(tmp_path):
    """No vectors, no tags; what is left out is counted as skipped, with the setting."""
    sample_copy(tmp_path, tmp_path / "records")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, json.dumps(KEYWORDS)], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{REPOSITORY / 'src'}:{REPOSITORY}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    ran, found, refused, imported = json.loads(done.stdout.splitlines()[-1])
    assert imported == []
    assert {"atoms", "memory_store", "rollouts", "turns", "comparisons"} <= set(ran)
    assert not {"vectors", "tokens"} & set(ran)
    assert "kiln" in found
    assert "built without vectors; set memory.vectors to true" in refused
    # With the shipped skills, among which is the literal search, before any job runs.
    assert "'entity-focus-literal' step" in done.stderr
    assert "searches named entities, which the memory is built" in done.stderr
    assert "add 'ner' to memory.entities" in done.stderr
    with reading(tmp_path / "results/sample/memory/0/memory.sqlite", "memory") as db:
        skipped = {o.stage for o in load_outcomes(db) if o.state == "skipped"}
    assert {"vectors", "ner", "noun"} <= skipped
