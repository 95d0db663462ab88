"""SkillsBench through harbor: folders out, results in."""

import json

import pytest
from click.testing import CliRunner

from skillmill.data.harborjob import load_jobs
from skillmill.data.harbortask import find_tasks
from skillmill.errors import InputError
from skillmill.interfaces.cli import main
from skillmill.interfaces.harbor import write_tasks

TOML = 'version = "1.0"\n[metadata]\ndifficulty = "{}"\ncategory = "{}"\n'


@pytest.fixture
def tasks(tmp_path):
    """Two task folders with skills of their own."""
    for name, difficulty, category in (
        ("scan", "hard", "engineering"),
        ("mail", "easy", "office"),
    ):
        folder = tmp_path / "tasks" / name
        own = folder / "environment" / "skills" / "leaked"
        own.mkdir(parents=True)
        (own / "SKILL.md").write_text("---\nname: leaked\ndescription: d\n---\n")
        (folder / "environment" / "Dockerfile").write_text("COPY skills /skills\n")
        (folder / "tests").mkdir()
        (folder / "tests" / "test.sh").write_text("exit 0\n")
        (folder / "task.toml").write_text(TOML.format(difficulty, category))
        (folder / "instruction.md").write_text(f"Do {name}.\n")
    return tmp_path / "tasks"


@pytest.fixture
def library(tmp_path):
    """Three skills, two of which end in the same name."""
    for name in ("a/mesh", "b/mesh", "mail"):
        folder = tmp_path / "library" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: x\ndescription: {name}.\n---\n")
        (folder / "run.py").write_text("1\n")
    return tmp_path / "library"


def predicted(tmp_path, value):
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(value))
    return path


def inside(folder):
    return sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()
    )


def test_a_task_gets_the_predicted_skills_in_place_of_its_own(tmp_path, tasks, library):
    bundle = predicted(tmp_path, {"scan": ["a/mesh", "mail", "b/mesh", "mail"]})
    done = write_tasks(tasks, library, bundle, 3, tmp_path / "out")
    assert (done.tasks, done.skills, done.without) == (2, 3, ("mail",))
    assert inside(tmp_path / "out" / "scan") == [
        "environment/Dockerfile",
        "environment/skills/a-mesh/SKILL.md",
        "environment/skills/a-mesh/run.py",
        "environment/skills/b-mesh/SKILL.md",
        "environment/skills/b-mesh/run.py",
        "environment/skills/mail/SKILL.md",
        "environment/skills/mail/run.py",
        "instruction.md",
        "task.toml",
        "tests/test.sh",
    ]
    assert (tmp_path / "out" / "mail" / "environment" / "skills").is_dir()
    assert inside(tasks / "scan").count("environment/skills/leaked/SKILL.md") == 1


def test_the_budget_cuts_and_no_predictions_means_all_skills(tmp_path, tasks, library):
    bundle = predicted(tmp_path, {"scan": ["mail", "a/mesh"], "mail": []})
    assert write_tasks(tasks, library, bundle, 1, tmp_path / "one").skills == 1
    assert write_tasks(tasks, library, None, 1, tmp_path / "all").skills == 6


def test_what_is_there_is_not_overwritten_and_unknown_skills_are_refused(
    tmp_path, tasks, library
):
    bundle = predicted(tmp_path, {"scan": ["nothing"]})
    with pytest.raises(InputError, match="'nothing' is not in the library"):
        write_tasks(tasks, library, bundle, 5, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    write_tasks(tasks, library, None, 5, tmp_path / "out")
    with pytest.raises(InputError, match="is there already"):
        write_tasks(tasks, library, None, 5, tmp_path / "out")


def test_a_link_to_elsewhere_is_not_copied(tmp_path, tasks, library):
    (tmp_path / "secret").write_text("key")
    (library / "mail" / "key").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="is a link to outside of 'mail'"):
        write_tasks(tasks, library, None, 5, tmp_path / "out")


def test_a_folder_without_tasks_or_with_a_broken_one_is_refused(tmp_path, tasks):
    with pytest.raises(InputError, match=r"expected task folders with a task\.toml"):
        find_tasks(tmp_path)
    (tasks / "mail" / "task.toml").write_text("[metadata\n")
    with pytest.raises(InputError, match="mail: expected"):
        find_tasks(tasks)


def result(folder, task, reward=None, broke=None, start="2026-01-29T05:47:41", **more):
    """One trial's result.json, in the shape that harbor writes."""
    place = folder / more.pop("place", f"{task}__x")
    place.mkdir(parents=True)
    row = {
        "task_name": task,
        "trial_name": place.name,
        "agent_info": {"name": "agent", "model_info": {"name": "m", "provider": "p"}},
        "agent_result": {"n_input_tokens": 90, "n_output_tokens": 10, "cost_usd": None},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": broke and {"exception_type": broke},
        "started_at": f"{start}Z",
        "finished_at": f"{start[:-2]}59.500000Z",
    }
    (place / "result.json").write_text(json.dumps(row | more))


def test_results_become_trials_and_errors_no_successes(tmp_path):
    jobs = tmp_path / "job"
    result(jobs, "scan", 1.0)
    result(jobs, "mail", 0.5)
    result(jobs, "late", None, "AgentTimeoutError")
    result(jobs, "just", 1.0, "AgentTimeoutError")
    result(jobs, "down", None, "DockerBuildError")
    result(jobs, "odd", 1.0, "VerifierTimeoutError")
    result(jobs, "none")
    (jobs / "result.json").write_text('{"n_total_trials": 6}')
    (jobs / "bad").mkdir()
    (jobs / "bad" / "result.json").write_text("{")
    found, reports = load_jobs([jobs], "trace")
    assert {t.task: (t.state, t.reward, t.reason) for t in found} == {
        "scan": ("success", 1.0, ""),
        "mail": ("failure", 0.5, ""),
        "late": ("failure", 0.0, "agent-timeout"),
        "just": ("success", 1.0, "agent-timeout"),
        "down": ("error", None, "DockerBuildError"),
        "odd": ("error", None, "VerifierTimeoutError"),
        "none": ("error", None, "no-reward"),
    }
    scan = next(t for t in found if t.task == "scan")
    assert (scan.prompt_tokens, scan.completion_tokens, scan.seconds) == (90, 10, 18.5)
    assert (scan.benchmark, scan.method, scan.backbone) == ("skillsbench", "trace", "m")
    assert (reports[0].found, reports[0].failed) == (8, 1)


def test_attempts_are_numbered_by_time_over_all_jobs(tmp_path):
    result(tmp_path / "b", "scan", 1.0, start="2026-01-29T06:00:00")
    result(
        tmp_path / "a", "scan", None, "DockerBuildError", start="2026-01-29T07:00:00"
    )
    found, _ = load_jobs([tmp_path / "a", tmp_path / "b"], "trace", "named")
    assert [(t.attempt, t.state, t.backbone) for t in found] == [
        (1, "success", "named"),
        (2, "error", "named"),
    ]


def test_a_result_without_a_model_asks_for_one_and_no_result_is_refused(tmp_path):
    result(tmp_path / "job", "scan", 1.0, agent_info={"name": "oracle"})
    _, reports = load_jobs([tmp_path / "job"], "trace")
    assert "--backbone" in reports[0].problems[0].message
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"expected result\.json"):
        load_jobs([tmp_path / "empty"], "trace")


def test_the_commands_from_folders_to_a_table(tmp_path, tasks, library):
    run = CliRunner().invoke
    bundle = str(predicted(tmp_path, {"scan": ["mail"]}))
    out = str(tmp_path / "out")
    written = ["downstream", "skillsbench-write", str(tasks), out, "--library"]
    done = run(main, [*written, str(library), "--predictions", bundle])
    assert done.exit_code == 0, done.stderr
    assert "1 tasks have no prediction" in done.stderr
    result(tmp_path / "job", "scan", 1.0)
    result(tmp_path / "job", "mail", None, "DockerBuildError")
    own = ["--study", "sb", "--records", str(tmp_path / "records")]
    read = ["downstream", "skillsbench-read", str(tmp_path / "job"), *own]
    done = run(main, [*read, "--method", "hybrid", "--tasks", str(tasks)])
    assert done.exit_code == 0, done.stderr
    assert "2 trials added, 0 were there" in done.stderr
    done = run(main, ["downstream", "show", "--table", "domains", "--json", *own])
    rows = {
        r["part"]: (r["success"], r["errors"])
        for r in map(json.loads, done.stdout.splitlines())
    }
    assert rows == {"engineering": (1, 0), "office": (0, 1)}
