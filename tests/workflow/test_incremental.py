"""After any sequence of edits the artifacts equal those of a clean build."""

import os
import shutil

import pytest

from tests.workflow.chain import Chain
from tests.workflow.editor import Editor

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

#: Sequences of edits, and kills among them; `make soak` runs more.
RUNS = int(os.environ.get("SKILLMILL_SOAK_RUNS", "6"))
KILLS = int(os.environ.get("SKILLMILL_SOAK_KILLS", "3"))


@pytest.mark.model
@pytest.mark.timeout(600 + 120 * RUNS)
def test_after_any_edits_and_kills_every_store_equals_that_of_a_clean_build(tmp_path):
    chain = Chain(tmp_path, 1, RUNS, KILLS)
    for _ in range(RUNS):
        said = chain.sequence()
        os.write(2, f"{said}\n".encode())
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(chain.kills.items()))
    os.write(2, f"{RUNS} sequences, {KILLS} kills ({kinds}): no difference\n".encode())
    assert chain.kills.total() >= KILLS


def test_fresh_records_give_the_same_bytes(copied, tmp_path):
    """A vector does not depend on the texts that it was encoded with."""
    editor = Editor(copied.root, 3)
    for _ in range(2):
        editor.describe()
        editor.say()
        copied.run(run="edit-3")
    fresh = copied.clone(tmp_path / "fresh")
    fresh.records = tmp_path / "records"
    fresh.run(run="fresh")
    assert sum(job.computed for job in fresh.jobs("fresh")) > 300
    mine, theirs = copied.dumps(), fresh.dumps()
    assert [name for name in mine if mine[name] != theirs[name]] == []


def test_a_deleted_skill_leaves_no_trace_u16(copied):
    """No ghost in the catalogue, vectors, edges or rankings: all is as it was."""
    before = copied.dumps()
    folder = copied.root / "data" / "sample" / "library" / "added" / "ghost-of-harbour"
    folder.mkdir(parents=True)
    folder.joinpath("SKILL.md").write_text(
        "---\nname: ghost\ndescription: Read invoices and contour lines.\n---\nBoo.\n"
    )
    copied.run(run="haunted")
    haunted = copied.dumps()
    assert {n for n in haunted if "ghost-of-harbour" in haunted[n]} >= {
        f"results/sample/library/{name}.sqlite"
        for name in ("catalogue", "vectors", "rankings")
    }
    shutil.rmtree(folder.parent)
    copied.run(run="exorcised")
    assert copied.dumps() == before
