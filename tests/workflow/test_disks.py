"""A full disk, a folder that cannot be written: afterwards one command goes on."""

import os
import resource
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.workflow.conftest import recorded_rows, small_sample
from tests.workflow.stages import Stages

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.model]

TARGET = "results/sample/library/rankings.sqlite"

#: Room for a catalogue and vectors, not for the token vectors that follow them.
ROOM = 1_100_000
LARGEST = 300_000


class Disk:
    """A small disk, or where none may be mounted a limit on the size of files."""

    def __init__(self, place, stack):
        self.place = place
        place.mkdir()
        self.mounted = self.mount(f"size={ROOM}")
        if self.mounted:
            stack.callback(self.unmount)

    def mount(self, options):
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.place],
            capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 0

    def unmount(self):
        subprocess.run(["umount", self.place], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.place], check=True)

    def limits(self):
        """Options of a process for which the disk is full."""
        if self.mounted:
            return {}
        limit = (LARGEST, LARGEST)
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)}

    def grow(self):
        if self.mounted:
            self.remount("size=100m")


@pytest.fixture
def disk(tmp_path):
    if shutil.which("mount") is None:
        pytest.skip("needs the command mount")
    with ExitStack() as stack:
        yield Disk(tmp_path / "disk", stack)


def refused(flow, **options):
    """What a run says that must fail."""
    done = flow.run(TARGET, code=1, run="failing", **options)
    return done.stdout + done.stderr


def test_after_a_full_disk_and_a_read_only_one_a_run_goes_on_and_pays_nothing_twice(
    tmp_path, disk
):
    flow = small_sample(tmp_path / "flow", disk.place / "records")
    (flow.root / "results").symlink_to(disk.place / "results")
    (disk.place / "results").mkdir()
    said = refused(flow, **disk.limits())
    causes = [line for line in said.splitlines() if line.startswith("error: ")]
    assert any("free the disk" in line for line in causes)
    paid = recorded_rows(flow.records)
    assert paid, "the disk was full before anything was paid"
    built = flow.dumps()
    assert built
    assert TARGET not in built
    disk.grow()
    if disk.mounted:
        disk.remount("ro")
        said = refused(flow)
        assert "Read-only file system" in said
        assert flow.dumps() == built
        disk.remount("rw")
    flow.run(TARGET, run="again")
    everything = recorded_rows(flow.records)
    assert everything > paid
    again = flow.jobs("again")
    assert sum(job.computed for job in again) == len(everything - paid)
    assert not {"catalogue", "tasks"} & {job.rule for job in again}
    clean = Stages(tmp_path / "clean", flow.records, flow.config, targets=(TARGET,))
    shutil.copytree(flow.root / "data", clean.root / "data")
    clean.build()
    theirs, mine = clean.dumps(), flow.dumps()
    assert {name: mine.get(name) for name in theirs} == theirs
    # Conversations are dealt out as the workflow is read, whatever is asked for.
    assert {Path(name).name for name in mine.keys() - theirs.keys()} <= {
        "conversations.sqlite"
    }
    assert recorded_rows(flow.records) == everything


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to every folder")
def test_results_that_may_not_be_written_are_named(copied):
    folder = copied.root / "results" / "sample" / "library"
    before = copied.dumps()
    folder.chmod(0o555)
    try:
        said = copied.run("--forcerun", "similar", code=1)
    finally:
        folder.chmod(0o755)
    assert str(folder.relative_to(copied.root)) in said.stdout + said.stderr
    assert copied.dumps() == before
