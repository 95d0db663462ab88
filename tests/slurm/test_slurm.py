"""The sample on a real Slurm of two nodes on this host: `make test-slurm`.

The cluster is Debian's Slurm without accounting; its GPU is a device node that computes
nothing, so what encodes runs on the CPU of the node that has it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.workflow.conftest import Workflow, built, records, sample_copy

__all__ = ["built", "records"]

HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(
        os.environ.get("SKILLMILL_SLURM") != "1" or shutil.which("slurmd") is None,
        reason="starts a Slurm of its own, as root: make test-slurm",
    ),
]

#: What the encoder runs in; they ask for a GPU.
ENCODING = {"vectors", "rankings"}


@pytest.fixture
def cluster(tmp_path):
    """A running Slurm; its folder."""
    folder = tmp_path / "slurm"
    subprocess.run(["bash", HERE / "start.sh", folder], check=True)
    yield folder
    subprocess.run(["bash", HERE / "stop.sh", folder], check=True)


@pytest.fixture
def flow(tmp_path):
    """The sample with record stores of its own, so that jobs encode."""
    return sample_copy(tmp_path / "flow", tmp_path / "records")


def command(flow: Workflow) -> list[str]:
    """Run on Slurm; asked often, since jobs here are short."""
    return [
        sys.executable, "-m", "skillmill", "run",
        "--snakefile", str(REPOSITORY / "Snakefile"), "--configfile", "overlay.yaml",
        "--profile", "slurm", "--seconds-between-status-checks", "1",
        "--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "10",
    ]  # fmt: skip


def started(flow: Workflow, run: str) -> subprocess.Popen:
    """A run on Slurm in the background; what it says is in `said`."""
    (flow.root / "overlay.yaml").write_text(f"records: {flow.records}\n")
    with (flow.root / "said").open("w") as said:
        return subprocess.Popen(
            command(flow), cwd=flow.root, env=flow.environment(run), stdout=said,
            stderr=subprocess.STDOUT,
        )  # fmt: skip


def submissions() -> list[dict[str, str]]:
    """What Slurm knows of every job of this cluster, in order."""
    said = subprocess.run(
        ["scontrol", "show", "job", "-o"], capture_output=True, text=True, check=True
    ).stdout
    jobs = [
        dict(re.findall(r"(\S+?)=(.*?)(?= \S+?=|$)", line))
        for line in said.splitlines()
        if "JobId=" in line
    ]
    return sorted(jobs, key=lambda job: int(job["JobId"]))


def has_gpu(job: dict[str, str]) -> bool:
    """Whether Slurm gave the job a GPU."""
    return "gpu" in job.get("TresPerJob", "")


def job_table(jobs: list[dict[str, str]]) -> str:
    """Rule or group, node, partition, GPU, memory, seconds, restarts; one a line."""
    lines = [
        f"{'rule or group':34} {'node':4} {'part.':5} {'GPU':3} {'memory':>7}"
        f" {'time':>8} {'restarts':>8} state"
    ]
    for job in jobs:
        gpu = "1" if has_gpu(job) else "-"
        name = job["Comment"].removeprefix("rule_")
        lines.append(
            f"{name[:34]:34} {job['NodeList']:4} {job['Partition']:5} {gpu:3}"
            f" {job['MinMemoryNode']:>7} {job['RunTime']:>8} {job['Restarts']:>8}"
            f" {job['JobState']}"
        )
    return "\n".join(lines)


def equal(flow: Workflow, other: Workflow) -> None:
    """Every artifact and the page have the same bytes in both."""
    mine = {p.relative_to(flow.root): p.read_bytes() for p in flow.stores()}
    theirs = {p.relative_to(other.root): p.read_bytes() for p in other.stores()}
    assert mine.keys() == theirs.keys()
    assert [str(k) for k in mine if mine[k] != theirs[k]] == []
    page = Path("results", "report.html")
    assert (flow.root / page).read_bytes() == (other.root / page).read_bytes()


def test_slurm_gives_the_same_bytes_as_this_machine(cluster, flow, built, capsys):
    process = started(flow, "slurm")
    assert process.wait() == 0, (flow.root / "said").read_text()[-6000:]
    jobs = submissions()
    with capsys.disabled():
        sys.stdout.write(f"\n{job_table(jobs)}\n")
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    rules = [job.rule for job in flow.jobs("slurm")]
    assert len(jobs) < len(rules)
    with_gpu = [job for job in jobs if has_gpu(job)]
    assert {job["Partition"] for job in with_gpu} == {"gpu"}
    assert {job["NodeList"] for job in with_gpu} == {"n2"}
    assert len(with_gpu) == sum(rule in ENCODING for rule in rules)
    assert {job["Partition"] for job in jobs if job not in with_gpu} == {"cpu"}
    assert sum(job.computed for job in flow.jobs("slurm")) > 300
    equal(flow, built)
    again = started(flow, "again")
    assert again.wait() == 0
    assert "nothing to do" in (flow.root / "said").read_text()


def test_a_node_that_dies_in_the_middle_is_survived(cluster, flow, built, capsys):
    process = started(flow, "slurm")
    node, lost = busy_node(process)
    kill_node(cluster, node, lost)
    assert process.wait() == 0, (flow.root / "said").read_text()[-6000:]
    jobs = submissions()
    with capsys.disabled():
        sys.stdout.write(f"\nkilled {node}, job {lost}\n{job_table(jobs)}\n")
    states = subprocess.run(
        ["sinfo", "-h", "-N", "-n", node, "-o", "%T"], capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    assert "down" in states
    again = [job for job in jobs if job["JobId"] in lost]
    assert {job["NodeList"] for job in again} == {"n2"}
    assert min(int(job["Restarts"]) for job in again) >= 1
    equal(flow, built)


def busy_node(process: subprocess.Popen) -> tuple[str, list[str]]:
    """The node without GPU once a job has run on it for a moment, and its jobs."""
    while process.poll() is None:
        running = [
            job
            for job in submissions_or_none()
            if job["JobState"] == "RUNNING" and job["NodeList"] == "n1"
        ]
        if running:
            time.sleep(4)
            return "n1", [job["JobId"] for job in running]
        time.sleep(0.2)
    raise AssertionError("no job ran on n1")


def submissions_or_none() -> list[dict[str, str]]:
    """As `submissions`; [] while there is none."""
    try:
        return submissions()
    except subprocess.CalledProcessError:
        return []


def kill_node(cluster: Path, node: str, jobs: list[str]) -> None:
    """End a node's daemon and all that runs on it, at once, as if it lost power."""
    doomed = [int((cluster / "run" / f"slurmd-{node}.pid").read_text())]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            environ = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(f"SLURM_JOB_ID={job}".encode() in environ for job in jobs) or any(
            line.startswith(f"slurmstepd: [{job}.".encode()) for job in jobs
        ):
            doomed.append(int(folder.name))
    for pid in doomed:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
