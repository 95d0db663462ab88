"""Killed, damaged and badly fed: a clear sentence, and nothing lost."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from skillmill.interfaces.runlock import LOCK, only_run
from skillmill.interfaces.why import OLDER
from tests.workflow.chain import stage_by_stage
from tests.workflow.conftest import Workflow, recorded_rows, small_sample

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def failing(flow, *arguments):
    """A run that must fail; everything it said."""
    done = flow.run(*arguments, code=1, run="failing")
    return done.stdout + done.stderr


@pytest.mark.model
def test_a_killed_first_build_continues_and_repeats_nothing_recorded(tmp_path):
    """kill -9 of the whole run at a random moment, again and again; U11."""
    flow = small_sample(tmp_path / "flow", tmp_path / "records")
    flow.write_overlay()
    rng = random.Random(5)
    for _ in range(3):
        process = subprocess.Popen(
            flow.command("library", "memory"),
            cwd=flow.root,
            env=flow.environment("killed"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(rng.uniform(4, 16))
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            break
        process.wait()
    recorded = recorded_rows(tmp_path / "records")
    flow.run("library", "memory", run="again")
    everything = recorded_rows(tmp_path / "records")
    assert everything >= recorded
    computed = sum(job.computed for job in flow.jobs("again"))
    assert computed == len(everything - recorded)
    clean = flow.clone(tmp_path / "clean")
    stage_by_stage(clean.root, flow, ["library", "memory"])
    assert recorded_rows(tmp_path / "records") == everything
    assert flow.dumps() == clean.dumps()
    assert not list((flow.root / "results").rglob("*.tmp"))


def test_two_runs_at_once_the_second_is_refused_and_nothing_is_harmed_u11(copied):
    before = copied.dumps()
    first = subprocess.Popen(
        copied.command("--forcerun", "edge_sample"), cwd=copied.root,
        env=copied.environment("one"), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while not (copied.root / LOCK).exists() and first.poll() is None:
            time.sleep(0.02)
        said = failing(copied)
        by_hand = subprocess.run(
            [sys.executable, "-m", "skillmill", "unlock", "--force"],
            cwd=copied.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        assert first.wait() == 0
    assert f"that of process {first.pid}" in said
    assert "wait for it" in said
    assert by_hand.returncode == 7
    assert f"kill {first.pid}" in by_hand.stderr
    assert copied.dumps() == before
    assert not (copied.root / LOCK).exists()


def test_plain_snakemake_is_refused_while_a_run_is_at_work(copied):
    copied.root.joinpath("overlay.yaml").write_text(f"records: {copied.records}\n")
    with only_run(copied.root):
        done = subprocess.run(
            [
                sys.executable, "-m", "snakemake", "-s", copied.code / "Snakefile",
                "--cores", "1", "--forcerun", "edge_sample", "--configfile",
                "overlay.yaml",
            ],
            cwd=copied.root, capture_output=True, text=True, check=False,
            env=copied.environment("plain"),
        )  # fmt: skip
    assert done.returncode != 0
    assert f"that of process {os.getpid()}" in done.stdout + done.stderr
    assert copied.jobs("plain") == []


def why(flow):
    """Jobs that would run, by rule."""
    flow.write_overlay()
    done = subprocess.run(
        [sys.executable, "-m", "skillmill", "why", "--json", *flow.command()[4:]],
        cwd=flow.root, env=flow.environment("why"), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return {row["rule"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_why_names_the_edited_file_and_what_follows(copied):
    skill = sorted((copied.root / "data" / "sample" / "library").rglob("SKILL.md"))[0]
    skill.write_text(skill.read_text(encoding="utf-8") + "\nMore.\n")
    rows = why(copied)
    assert rows["catalogue"]["causes"] == [
        {"kind": "input changed", "details": [str(skill.relative_to(copied.root))]}
    ]
    assert not rows["catalogue"]["follows"]
    assert all(row["follows"] for rule, row in rows.items() if rule != "catalogue")
    assert not rows.keys() & {"conversations", "atoms", "rollouts", "all"}
    assert copied.jobs("why") == []
    # From a backup, with its time: older than all that was made of the other one.
    os.utime(skill, (10**9, 10**9))
    assert why(copied)["catalogue"]["causes"] == [
        {"kind": "input changed", "details": [OLDER]}
    ]


def test_a_corrupt_artifact_is_named_with_the_way_out(copied):
    store = copied.root / "results" / "sample" / "library" / "catalogue.sqlite"
    store.write_bytes(b"not a database" * 100)
    os.utime(store, (store.stat().st_atime, store.stat().st_mtime + 10))
    said = failing(copied)
    assert "results/sample/library/catalogue.sqlite" in said
    assert "delete it" in said
    store.unlink()
    copied.run(run="mended")


def test_a_failed_job_leaves_what_was_built_and_is_made_again(copied):
    """Snakemake deletes outputs before a job starts; they are put back, out of date."""
    before = copied.dumps()
    tasks = copied.root / "data" / "sample" / "tasks.jsonl"
    good = tasks.read_text(encoding="utf-8")
    tasks.write_text("{ broken", encoding="utf-8")
    failing(copied)
    assert copied.dumps() == before
    # Nothing but the failed job's own note says now that its store is of other tasks.
    causes = why(copied)["tasks"]["causes"]
    assert [cause["kind"] for cause in causes] == ["input changed"]
    tasks.write_text(good, encoding="utf-8")
    copied.run(run="mended")
    assert copied.dumps() == before


def test_a_run_log_that_cannot_be_written_fails_no_job(copied, tmp_path):
    records = tmp_path / "other-records"
    records.mkdir()
    (records / "runs.sqlite").write_bytes(b"not a database" * 100)
    copied.records = records
    said = copied.run("--forcerun", "similar", run="logless")
    assert "warning: " in said.stderr
    assert "runs.sqlite" in said.stderr


def test_blanks_and_signs_in_paths_are_names(copied):
    sample = copied.root / "data" / "sample"
    odd = copied.root / "data" / "odd 'sample' $HOME [x] *"
    sample.rename(odd)
    copied.config = {
        "library": {"path": str(odd / "library"), "tasks": str(odd / "tasks.jsonl")},
        "memory": {"path": str(odd / "conversations.jsonl")},
    }
    copied.run(run="odd")
    assert {job.state for job in copied.jobs("odd")} == {"ok"}


def test_braces_in_a_path_are_refused_by_name(copied):
    """Snakemake would take them for a wildcard, and for nothing to do."""
    library = copied.root / "data" / "sample" / "library"
    (library / "finance").rename(library / "fin {shard} ance")
    said = failing(copied)
    assert "fin {shard} ance" in said
    assert "rename it" in said


@pytest.mark.parametrize(
    ("config", "parts"),
    [
        (
            {"library": {"path": "nowhere"}},
            ["library.path", "nowhere", "mend the path"],
        ),
        (
            {"library": {"ranker": {"dense_wieght": 1}}},
            ["library.ranker.dense_wieght", "library.ranker.dense_weight"],
        ),
        ({"memory": {"budget": 0}}, ["memory.budget", "got 0"]),
        ({"memory": {"skills": ["no.md"]}}, ["memory.skills", "no.md"]),
    ],
)
def test_a_bad_configuration_is_one_clear_sentence(copied, config, parts):
    before = copied.dumps()
    copied.config = config
    said = failing(copied)
    for part in parts:
        assert part in said
    assert (
        copied.dumps().items()
        >= {name: dump for name, dump in before.items() if "scores" not in name}.items()
    )


def test_an_empty_library_is_refused(copied):
    shutil.rmtree(copied.root / "data" / "sample" / "library")
    (copied.root / "data" / "sample" / "library").mkdir()
    said = failing(copied)
    assert "no SKILL.md" in said
    assert "data/sample/library" in said


def test_a_library_that_lost_most_of_its_skills_is_refused_until_allowed_u17(copied):
    library = copied.root / "data" / "sample" / "library"
    groups = sorted(path for path in library.iterdir() if path.is_dir())
    for folder in groups[1:]:
        shutil.rmtree(folder)
    before = copied.dumps()
    said = failing(copied, "--dry-run")
    assert "are gone, more than library.removals = 0.5 allows" in said
    assert copied.dumps() == before
    copied.run("results/sample/library/catalogue.sqlite", "--allow-removals")
    kept = copied.dumps()["results/sample/library/catalogue.sqlite"]
    assert groups[0].name in kept
    assert groups[1].name not in kept


def test_a_library_of_broken_files_stops_and_names_the_first(copied):
    for path in (copied.root / "data" / "sample" / "library").rglob("SKILL.md"):
        path.write_bytes(b"\xff\xfe\xfa\x00\xd8")
    said = failing(copied)
    assert "limits.failed_share" in said
    assert "SKILL.md" in said


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("{}", ["conversations.jsonl"]),
        ("not json\n", ["conversations.jsonl", "1"]),
        (json.dumps([1, 2]), ["conversations.jsonl"]),
        ("", ["conversations.jsonl"]),
    ],
)
@pytest.mark.parametrize("form", ["locomo", "chatlog"])
def test_conversations_that_are_none_are_refused(copied, content, parts, form):
    file = copied.root / "data" / "sample" / "conversations.jsonl"
    file.write_text(content)
    copied.config = {"memory": {"format": form}}
    said = failing(copied, "memory")
    for part in parts:
        assert part in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_an_unreadable_skill_is_counted_as_failed(copied):
    path = sorted((copied.root / "data" / "sample" / "library").rglob("SKILL.md"))[0]
    path.chmod(0)
    copied.run(run="unreadable")
    (job,) = [j for j in copied.jobs("unreadable") if j.rule == "catalogue"]
    assert job.failed == 1


def test_works_from_any_working_directory_u05(tmp_path, records):
    """The shipped sample is found from elsewhere."""
    flow = Workflow(tmp_path, records)
    flow.run("--dry-run", run="elsewhere")
    assert not (tmp_path / "results").exists()


def test_a_package_that_cannot_be_imported_is_said_in_one_sentence_u05(tmp_path):
    done = subprocess.run(
        [
            sys.executable, "-c",
            "import sys; sys.modules['skillmill'] = None\n"
            "from snakemake.cli import main; sys.exit(main(sys.argv[1:]))",
            "-s", str(Workflow(tmp_path, tmp_path).code / "Snakefile"), "-n",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "the package skillmill cannot be imported" in done.stdout + done.stderr
    assert "pip install -e" in done.stdout + done.stderr
