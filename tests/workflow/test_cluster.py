"""What a cluster and another workflow rely on: resources, profiles, modules, scale."""

import os
import resource
import subprocess
import sys

import pytest
import yaml
from yte import process_yaml

from skillmill.store.artifact import kind_of
from skillmill.store.runs import read_jobs
from tests.conftest import REPOSITORY
from tests.workflow.conftest import Workflow
from tests.workflow.stages import Planned

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PROFILE = REPOSITORY / "profiles" / "slurm" / "config.yaml"


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """Jobs of the sample, planned; nothing is run."""
    root = tmp_path_factory.mktemp("planned")
    before = os.getcwd()
    os.chdir(root)
    try:
        with Planned({}, root / "records") as (found, _):
            yield found
    finally:
        os.chdir(before)


def profile(monkeypatch, **variables):
    """The Slurm profile as Snakemake reads it."""
    for name in ("SKILLMILL_CPU_PARTITION", "SKILLMILL_GPU_PARTITION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return process_yaml(PROFILE.read_text(), require_use_yte=True)


def test_memory_and_time_grow_with_each_attempt_u13(jobs):
    assert len(jobs) > 15
    for job in jobs:
        first = {name: job.resources[name] for name in ("mem_mb", "runtime")}
        assert min(first.values()) > 0
        job.attempt = 3
        job.reset_params_and_resources()
        assert {name: job.resources[name] for name in first} == {
            name: 3 * value for name, value in first.items()
        }, job.rule.name


def test_the_slurm_profile_names_rules_that_exist(jobs, monkeypatch):
    rules = {rule.name for rule in jobs[0].dag.workflow.rules}
    read = profile(monkeypatch)
    named = set(read["groups"]) | set(read["set-resources"])
    assert named <= rules


def test_no_group_holds_a_rule_that_joins_shards(jobs, monkeypatch):
    """One job would then hold every shard."""
    groups = profile(monkeypatch)["groups"]
    in_shards = {
        job.rule.name for job in jobs if "shard" in dict(job.wildcards.items())
    }
    for group in set(groups.values()):
        members = {rule for rule in groups if groups[rule] == group}
        members &= {job.rule.name for job in jobs}
        assert members <= in_shards or not members & in_shards, group


def test_status_is_asked_of_squeue_so_that_no_accounting_is_needed_u13(monkeypatch):
    assert profile(monkeypatch)["slurm-status-command"] == "squeue"


@pytest.mark.parametrize(
    ("variables", "partition", "gpus"),
    [
        ({}, "gpu", 1),
        ({"SKILLMILL_GPU_PARTITION": "a100"}, "a100", 1),
        ({"SKILLMILL_GPU_PARTITION": "", "SKILLMILL_CPU_PARTITION": "long"}, "long", 0),
    ],
)
def test_what_encodes_goes_where_the_gpus_are(monkeypatch, variables, partition, gpus):
    read = profile(monkeypatch, **variables)
    assert read["set-resources"]["vectors"] == {
        "slurm_partition": partition, "gpu": gpus,
    }  # fmt: skip


def test_another_workflow_uses_this_one_as_a_module_u05(tmp_path, records):
    """From a folder of its own, with a section of its own configuration."""
    config = {"skillmill": {"study": "guest", "records": str(records)}}
    (tmp_path / "guest.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / "Snakefile").write_text(
        'configfile: "guest.yaml"\n'
        "module skillmill:\n"
        f'    snakefile: "{REPOSITORY / "Snakefile"}"\n'
        '    config: config["skillmill"]\n'
        "use rule * from skillmill as skillmill_*\n"
        "rule sizes:\n"
        "    default_target: True\n"
        '    input: "results/guest/library/tasks.sqlite",'
        ' "results/guest/memory/0/atoms.sqlite"\n'
        '    output: "sizes.txt"\n'
        '    shell: "wc -c {input} > {output}"\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2"], cwd=tmp_path,
        env=Workflow(tmp_path, records).environment("guest"), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert len((tmp_path / "sizes.txt").read_text().splitlines()) == 3
    assert kind_of(tmp_path / "results" / "guest" / "library" / "tasks.sqlite")
    ran = {job.rule: job.state for job in read_jobs(records) if job.study == "guest"}
    assert ran == {
        f"skillmill_{rule}": "ok" for rule in ("catalogue", "tasks", "atoms")
    }


def test_ten_thousand_skills_make_no_more_jobs_and_plan_in_seconds_u10(
    tmp_path, records
):
    library = tmp_path / "library"
    for number in range(10_000):
        folder = library / f"part-{number % 100}" / f"skill-{number}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(
            f"---\nname: skill-{number}\ndescription: Does thing {number}.\n---\n"
        )
    flow = Workflow(tmp_path, records, config={"library": {"path": str(library)}})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = flow.run("--dry-run", "--quiet", "rules", run="many")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    few = Workflow(tmp_path, records)
    assert total_jobs(said) == total_jobs(few.run("--dry-run", run="few"))
    # Seconds of CPU, so that another job on the machine does not count.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 9
    files = [path for path in (tmp_path / ".snakemake").rglob("*") if path.is_file()]
    assert len(files) < 50


def total_jobs(done) -> int:
    lines = (done.stdout + done.stderr).splitlines()
    return int(next(line for line in lines if line.startswith("total")).split()[1])


def test_the_image_takes_the_pinned_torch_and_nothing_that_was_built_here():
    steps = (REPOSITORY / "Containerfile").read_text()
    pins = (REPOSITORY / "constraints.txt").read_text().splitlines()
    [torch] = [pin for pin in pins if pin.startswith("torch==")]
    assert f"pip install --no-cache-dir {torch} " in steps
    assert "FROM python:3.11-slim" in steps
    left_out = set((REPOSITORY / ".dockerignore").read_text().split())
    assert {".git", ".venv*", "results", "records", "logs"} <= left_out
    assert not left_out & {path.name for path in REPOSITORY.iterdir() if path.is_file()}
    assert not left_out & {"src", "scripts", "rules", "profiles", "configs", "data"}
