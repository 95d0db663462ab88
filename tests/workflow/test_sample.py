"""The main job on the shipped sample, as a user runs it."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise

import pytest
from click.testing import CliRunner
from werkzeug import Response

from skillmill.interfaces.cli import main
from tests.interfaces.test_docs_commands import PAGES, commands
from tests.interfaces.test_doctor import able
from tests.workflow.belongings import lay_out

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

LIBRARY_ARMS = {"keyword", "semantic", "hybrid", "hybrid+late"}
SEEDS = {"semantic-clue", "surface-fact", "entity-focus"}


def show(flow, *arguments):
    """Rows of `skillmill show scores --json`."""
    done = subprocess.run(
        [sys.executable, "-m", "skillmill", "show", "scores", "--json", *arguments],
        cwd=flow.root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def stamps(flow):
    return {p: p.stat().st_mtime_ns for p in flow.stores()}


def test_the_sample_is_built_and_says_where_the_report_is(built):
    assert (built.root / "results" / "report.html").stat().st_size > 10_000
    assert {job.state for job in built.jobs("first")} == {"ok"}
    assert {job.failed for job in built.jobs("first")} == {0}


def test_every_arm_has_its_rows_behind_one_door(built):
    rows = show(built, "--study", "sample")
    assert set(rows[0]) == {
        "track", "study", "arm", "split", "category", "metric", "k", "n",
        "value", "low", "high", "heuristic",
    }  # fmt: skip
    arms = {row["arm"] for row in rows}
    assert arms >= LIBRARY_ARMS | SEEDS
    assert all(row["study"] == "sample" for row in rows)
    for row in rows:
        if row["value"] is not None:
            least = -1 if "_difference" in row["metric"] else 0
            assert least <= row["low"] <= row["value"] <= row["high"] <= 1
    (one,) = show(
        built, "--arm", "hybrid", "--metric", "recall", "--k", "5", "--category", "all"
    )
    assert (one["n"], one["split"]) == (12, "all")


def test_the_sample_tells_the_rankers_apart(built):
    """No arm is perfect, and on one phrasing they differ by 8 points or more."""
    rows = [r for r in show(built, "--track", "library", "--metric", "recall")
            if r["k"] == 5]  # fmt: skip
    pooled = {r["arm"]: r["value"] for r in rows if r["category"] == "all"}
    assert set(pooled) > LIBRARY_ARMS
    assert max(pooled.values()) < 1.0
    spreads = {}
    for phrasing in ("direct", "paraphrase", "indirect"):
        values = [
            r["value"]
            for r in rows
            if r["category"] == phrasing and r["arm"] in LIBRARY_ARMS
        ]
        spreads[phrasing] = max(values) - min(values)
    assert max(spreads.values()) >= 0.08, spreads


def test_the_four_kinds_of_question_are_scored_and_adversarial_apart(built):
    rows = [r for r in show(built, "--track", "memory", "--arm", "semantic-clue",
                            "--metric", "recall", "--k", "10")]  # fmt: skip
    n = {r["category"]: r["n"] for r in rows if r["split"] == "all"}
    kinds = ("multi-hop", "temporal", "open-domain", "single-hop")
    assert all(n[kind] > 0 for kind in kinds)
    assert n["all"] == sum(n[kind] for kind in kinds) >= 40


def test_a_second_run_says_nothing_to_do(copied):
    before = stamps(copied)
    done = copied.run(run="second")
    assert "nothing to do" in done.stdout.lower()
    assert copied.jobs("second") == []
    assert stamps(copied) == before


def test_touching_a_file_reruns_nothing(copied):
    for path in [
        *copied.root.rglob("SKILL.md"),
        *(copied.root / "data" / "sample").glob("*.jsonl"),
    ]:
        os.utime(path)
    copied.run(run="touched")
    assert copied.jobs("touched") == []


def test_a_copied_store_of_any_size_reruns_nothing_u08(copied):
    """Snakemake compares files over 1 MB by time unless told otherwise."""
    large = [path for path in copied.stores() if path.stat().st_size > 1_000_000]
    assert large
    for path in copied.stores():
        path.write_bytes(path.read_bytes())
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 100))
    said = copied.run("--dry-run", run="copied-stores")
    assert "Nothing to be done" in said.stdout + said.stderr


def test_a_dry_run_leaves_every_time_stamp_u07(copied):
    before = stamps(copied)
    copied.run("--dry-run", run="dry")
    assert stamps(copied) == before


def test_editing_one_skill_embeds_exactly_one_text(copied):
    """Once as a vector, once as token vectors for late interaction."""
    skill = next(iter(sorted(copied.root.rglob("SKILL.md"))))
    text = skill.read_text(encoding="utf-8")
    assert "description:" in text
    edited = text.replace("description: ", "description: Freshly reworded. ", 1)
    skill.write_text(edited, encoding="utf-8")
    copied.run(run="edited")
    computed = {job.rule: job.computed for job in copied.jobs("edited")}
    assert computed["vectors"] == computed["rankings"] == 1
    assert sum(computed.values()) == 2
    memory = {"conversations", "atoms", "entities", "rollouts", "memory_scores"}
    assert not memory & computed.keys()


def test_editing_only_a_body_embeds_nothing_and_is_compared_with_before(copied):
    (copied.root / "results").joinpath("sample").rename(copied.root / "before")
    shutil.copytree(copied.root / "before", copied.root / "results" / "sample")
    copied.config["report"] = {"compare": "before"}
    skill = next(iter(sorted(copied.root.rglob("SKILL.md"))))
    skill.write_text(skill.read_text(encoding="utf-8") + "\nOne more line.\n")
    copied.run(run="body")
    assert sum(job.computed for job in copied.jobs("body")) == 0
    page = (copied.root / "results/sample/report.html").read_text(encoding="utf-8")
    assert "Compared with <bdi>before</bdi>" in page
    assert "not as in the other run" in page


def test_a_store_of_before_that_cannot_be_read_spoils_no_other_target(copied):
    (copied.root / "results/sample/memory/scores.sqlite").write_bytes(b"of before")
    catalogue = "results/sample/library/catalogue.sqlite"
    done = copied.run(catalogue, "--forcerun", "catalogue", run="single")
    assert [job.rule for job in copied.jobs("single")] == ["catalogue"]
    assert "note: no summary of sample" in done.stdout + done.stderr
    assert "memory/scores.sqlite" in done.stdout + done.stderr


def test_forcing_everything_computes_nothing_again(copied):
    before = copied.dumps()
    copied.run("--forceall", run="forced")
    assert sum(job.computed for job in copied.jobs("forced")) == 0
    assert sum(job.reused for job in copied.jobs("forced")) > 100
    # torch alone takes 400 MB, spaCy's pipeline 200: neither was imported.
    modelled = {"vectors", "entities", "rankings"}
    peaks = {j.rule: j.peak_mb for j in copied.jobs("forced") if j.rule in modelled}
    assert peaks.keys() == modelled
    assert max(peaks.values()) < 250
    assert copied.dumps() == before


def test_a_clean_build_elsewhere_is_equal_byte_for_byte(built, tmp_path):
    other = built.clone(tmp_path / "other")
    other.run(run="other")
    mine = {p.relative_to(built.root): p.read_bytes() for p in built.stores()}
    theirs = {p.relative_to(other.root): p.read_bytes() for p in other.stores()}
    assert mine.keys() == theirs.keys()
    assert [str(k) for k in mine if mine[k] != theirs[k]] == []
    page = "results/sample/report.html"
    assert (built.root / page).read_bytes() == (other.root / page).read_bytes()


def answer_everything(server):
    """A chat endpoint that does all that `doctor` asks of one."""

    def reply(request):
        body = json.loads(request.data) if request.data else {}
        found = able((request.path, body))
        return Response(json.dumps(found), content_type="application/json")

    server.expect_request(re.compile("/v1/.*")).respond_with_handler(reply)


def examples(command=main, path=()):
    """Every command line that the help shows, and the file that takes its output."""
    for name, child in getattr(command, "commands", {}).items():
        yield from examples(child, (*path, name))
    found = re.search(
        r"Example: skillmill (.*?)(?:\n\s*\n|$)", command.help or "", re.S
    )
    if found and not command.hidden:
        words, _, output = " ".join(found[1].split()).partition(" > ")
        yield words, output


#: Needs a language model that plays (tests/interfaces/test_households.py scripts one);
#: needs a hundred skills.
UNRUN = {"downstream alfworld", "queries calibrate"}
#: Exit code 1 is what a check found.
CHECKS = {"lint", "queries check"}


def run_example(words, address):
    """Exit code and output of an example, as a reader in a folder of their own."""
    name = " ".join(words[: 2 if words[0] in main.commands and hasattr(
        main.commands[words[0]], "commands") else 1])  # fmt: skip
    words = [w.replace("http://localhost:8000/v1", address) for w in words]
    if name in ("mcp", "run"):
        done = subprocess.run(
            [sys.executable, "-m", "skillmill", *words], capture_output=True,
            text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return name, done.returncode, done.stdout, done.stdout + done.stderr
    if name == "add":
        words = [*map(os.path.expanduser, words), "--no-run"]
    done = CliRunner().invoke(main, words)
    return name, done.exit_code, done.stdout, done.output


#: Start Snakemake or a server, or wait for a model: the examples of the help run them.
STARTING = {"run", "why", "mcp", "add", "init"}


def runnable(words):
    """Whether a command of a page can run on the sample and what lies beside it."""
    command, rest = main.commands.get(words[0]), words[1:]
    if command is None or words[0] in STARTING or " ".join(words[:2]) in UNRUN:
        return False
    if hasattr(command, "commands"):
        command, rest = command.commands.get(rest[0]) if rest else None, rest[1:]
    if command is None or (not rest and any(one.required for one in command.params)):
        return False  # only named
    known = (
        {"sample", "locomo"} if {"trie", "evolution"} & {*words[1:2]} else {"sample"}
    )
    studies = {w for before, w in pairwise(words) if before == "--study"}
    other = {"x", "FILE", "overlay.yaml", "theirs.json"}
    text = " ".join(words)
    return studies <= known and not other & set(words) and not re.search(
        r"\[|results/(locomo|x)", text
    )  # fmt: skip


@pytest.fixture
def home(built, tmp_path, monkeypatch):
    """A folder with the sample's results and all that examples name, worked in."""
    lay_out(tmp_path, built.root / "results", built.records)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SKILLMILL_RUN", raising=False)
    return tmp_path


def test_the_commands_of_readme_and_docs_run_on_the_sample(home):
    ran, failed = set(), []
    for words in [words for page in PAGES for words in commands(page)]:
        if " ".join(words) in ran or not runnable(words):
            continue
        done = CliRunner().invoke(main, [*map(os.path.expanduser, words)])
        if done.exit_code:
            failed.append((words, done.output))
        ran.add(" ".join(words))
    assert failed == [], "\n".join(f"{w}: {o[-150:]}" for w, o in failed)
    assert len(ran) >= 30


def test_every_example_of_the_help_runs(home, httpserver):
    answer_everything(httpserver)
    ran = set()
    for example, output in examples():
        words = shlex.split(example)
        if " ".join(words[:2]) in UNRUN:
            continue
        name, code, stdout, said = run_example(words, httpserver.url_for("/v1"))
        assert code in ({0, 1} if name in CHECKS else {0}), (example, said)
        assert said or name == "mcp", example
        if "--json" in words:
            assert all(json.loads(line) for line in stdout.splitlines()), example
        if output:
            (home / output).write_text(stdout, encoding="utf-8")
        ran.add(name)
    assert len(ran) == sum(1 for _ in examples()) - len(UNRUN)
