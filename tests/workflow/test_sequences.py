"""Incremental equals clean through the stage functions, all in one process.

`make soak` runs many more sequences (SKILLMILL_SOAK), and through Snakemake, too.
"""

import json
import os
import shutil
from collections import Counter

import pytest
import spacy

from tests.workflow.conftest import QUICK, small_inputs
from tests.workflow.editor import Editor
from tests.workflow.stages import Stages

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.model]

SEQUENCES = int(os.environ.get("SKILLMILL_SOAK", "2"))
STEPS = 3


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


def small_stages(root, records):
    """The stage functions on the small sample."""
    small_inputs(root)
    return Stages(root, records, json.loads(json.dumps(QUICK)))


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_after_any_edits_every_store_equals_that_of_a_clean_build(
    tmp_path, records, seed
):
    mine = small_stages(tmp_path / "mine", records)
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
    flow = small_stages(tmp_path / "flow", records)
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
