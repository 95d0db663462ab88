"""Incremental equals clean through the stage functions, all in one process.

`make soak` runs many more sequences (SKILLMILL_SOAK), and through Snakemake, too.
"""

import json
import os
import shutil
from collections import Counter

import pytest
import spacy

from tests.workflow.conftest import SAMPLE
from tests.workflow.editor import Editor
from tests.workflow.stages import Stages

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.model]

SEQUENCES = int(os.environ.get("SKILLMILL_SOAK", "2"))
STEPS = 3

#: Intervals from few resamples and one draw: the same code in a tenth of the time.
QUICK = {
    "encoder": {"backend": "onnx"},
    "evaluation": {"bootstrap": 20},
    "library": {"edges": {"arms": {"draws": 1}}},
    "memory": {"skills": ["src/skillmill/skills/seeds/fused-clues.md",
                          "src/skillmill/skills/seeds/entity-focus.md"]},
}  # fmt: skip

#: Of each conversation, to keep a build short.
TURNS, QUESTIONS = 24, 5


@pytest.fixture(scope="module", autouse=True)
def one_pipeline():
    """spaCy's pipeline is loaded once, not once a job."""
    load, loaded = spacy.load, {}

    def once(name, exclude=(), disable=()):
        key = name, *exclude, *disable
        if key not in loaded:
            loaded[key] = load(name, exclude=exclude, disable=disable)
        return loaded[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "load", once)
        yield


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Record stores that all sequences share."""
    return tmp_path_factory.mktemp("records")


def small_sample(root, records):
    """The sample's library, and the beginning of its conversations."""
    shutil.copytree(SAMPLE, root / "data" / "sample")
    file = root / "data" / "sample" / "conversations.jsonl"
    kept, counts = [], {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = row["conversation"], row["type"]
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= (TURNS if row["type"] == "turn" else QUESTIONS):
            kept.append(line)
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return Stages(root, records, json.loads(json.dumps(QUICK)))


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_after_any_edits_every_store_equals_that_of_a_clean_build(
    tmp_path, records, seed
):
    mine = small_sample(tmp_path / "mine", records)
    editor = Editor(mine.root, seed, mine.config)
    everything = mine.build()
    for _ in range(STEPS):
        editor.edit()
        editor.edit()
        assert len(mine.build()) <= 4 * len(everything)
    clean = Stages(tmp_path / "clean", records, mine.config)
    shutil.copytree(mine.root / "data", clean.root / "data")
    clean.build()
    found, wanted = mine.dumps(), clean.dumps()
    assert found.keys() == wanted.keys(), editor.done
    differing = [name for name in found if found[name] != wanted[name]]
    assert differing == [], editor.done


def test_only_what_an_edit_reaches_is_made_again(tmp_path, records):
    flow = small_sample(tmp_path / "flow", records)
    flow.config["memory"]["shards"] = 2  # a conversation each
    assert flow.build().count("atoms") == 2
    assert flow.build() == []
    editor = Editor(flow.root, 7)
    editor.touch()
    assert flow.build() == []
    editor.body()
    ran = set(flow.build())
    assert "catalogue" in ran
    assert not ran & {"conversations", "atoms", "entities", "rollouts", "memory_store"}
    editor.say()
    ran = Counter(flow.build())
    assert {"conversations", "atoms", "rollouts", "memory_scores"} <= ran.keys()
    assert (ran["atoms"], ran["vectors"], ran["answers"]) == (1, 1, 1)
    assert not ran.keys() & {"catalogue", "rankings", "edges", "library_scores"}
