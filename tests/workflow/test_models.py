"""Language models through Snakemake: keys, replay, budget, costs, estimate (U71)."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from skillmill.store import artifact
from skillmill.store.costs import read_costs
from skillmill.store.usage import load_usage
from tests.library.linker import Linker
from tests.workflow.chain import stage_by_stage
from tests.workflow.conftest import sample_copy

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

EDGES = "results/sample/library/edges.sqlite"
PAGE = "results/sample/report.html"
KEY = "sk-linker-4711-never-to-be-kept"


class Gate(Linker):
    """A linker that wants the key, and shows it in each refusal."""

    refused = ""

    def __init__(self):
        super().__init__()
        self.answered = []
        self.dying = {}

    def serve(self, request):
        """A reply; in the place of that after so many others, what `dying` says."""
        if end := self.dying.pop(len(self.answered), None):
            end()
            request.environ["werkzeug.socket"].close()
            return Response(status=500)
        response = self._checked(request)
        if response.status_code == 200:
            self.answered.append(self.asked[-1])
        return response

    def _checked(self, request):
        if self.refused and self.refused in json.loads(request.get_data()):
            error = {"message": "Unsupported.", "param": self.refused}
            headers = {"content-type": "application/json"}
            return Response(json.dumps({"error": error}), 400, headers)
        sent = request.headers.get("authorization", "")
        if self.status == 401 or sent != f"Bearer {KEY}":
            body = {"error": {"message": f"Incorrect API key provided: {sent}"}}
            headers = {"content-type": "application/json", "x-request-key": sent}
            return Response(json.dumps(body), 401, headers)
        return super().serve(request)

    def listen(self, port=0):
        """A server that asks this one, at a port that is free or was its own."""
        server = HTTPServer(host="127.0.0.1", port=port, threaded=True)
        server.expect_request("/v1/chat/completions").respond_with_handler(self.serve)
        server.start()
        return server


@pytest.fixture
def linker():
    return Gate()


@pytest.fixture
def flow(tmp_path, records, linker, monkeypatch):
    """The sample's library, its edges emitted by the scripted endpoint."""
    monkeypatch.setenv("LINKER_KEY", KEY)
    made = sample_copy(tmp_path / "run", tmp_path / "records")
    if (records / "vectors").exists():
        shutil.copytree(records / "vectors", made.records / "vectors")
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(linker.serve)
        # In the default alone: a role has what it does not set itself from there.
        default = {
            "base_url": server.url_for("/v1"),
            "key_variable": "LINKER_KEY",
            "max_tries": 1,
            "concurrency": 1,
            "price_in": 1.0,
            "price_out": 2.0,
        }
        made.config = {
            "memory": {"path": None},
            "models": {
                "mode": "live",
                "default": default,
                "roles": {"emit_edges": {"model": "tiny"}},
            },
        }
        yield made


def tell(flow, *arguments):
    """Rows that a command prints, of this flow's records and configuration."""
    done = subprocess.run(
        [sys.executable, "-m", "skillmill", *arguments, "--json"],
        cwd=flow.root, env=flow.environment(""),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_key_that_is_used_and_refused_is_kept_nowhere_u71(flow, linker):
    linker.status = 401
    refused = flow.run(EDGES, run="refused", code=1)
    assert "401" in refused.stdout + refused.stderr
    # With --verbose Snakemake itself prints its tracebacks.
    verbose = subprocess.run(
        [*flow.command(EDGES), "--verbose"],
        cwd=flow.root, env=flow.environment("verbose"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" in verbose.stdout + verbose.stderr
    linker.status = 200
    built = flow.run("library", PAGE, "--verbose", "--printshellcmds", run="built")
    assert len(linker.asked) == 24
    for done in (refused, verbose, built):
        assert KEY not in done.stdout + done.stderr
    places = [flow.root / name for name in ("results", "logs", ".snakemake", "data")]
    found = [f for place in (*places, flow.records) for f in place.rglob("*")]
    names = {
        str(f.relative_to(flow.root)) for f in found if f.is_relative_to(flow.root)
    }
    assert {EDGES, PAGE, "logs/sample/edges.log"} <= names
    assert any(name.startswith(".snakemake/log/") for name in names)
    assert (flow.records / "replies").is_dir()
    for file in found:
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_costs_are_told_before_and_after_and_recorded_replies_cost_nothing(
    flow, linker, tmp_path
):
    flow.run("results/sample/library/similar.sqlite", run="before")
    overlay = ("--configfile", "overlay.yaml")
    [expected] = tell(flow, "estimate", *overlay)
    assert linker.asked == []
    flow.run(EDGES, PAGE, run="first")
    [spent] = tell(flow, "show", "costs", "--records", str(flow.records))
    assert expected["calls"] == spent["calls"] == len(linker.asked) == 24
    usd = (spent["prompt_tokens"] + 2 * spent["completion_tokens"]) / 1e6
    assert spent["usd"] == pytest.approx(usd)
    assert expected["usd"] > usd  # replies may have been as long as max_tokens
    page = (flow.root / PAGE).read_text(encoding="utf-8")
    [section] = re.findall(r'<section id="usage".*?</section>', page, re.DOTALL)
    assert f"{spent['prompt_tokens']:,}" in section
    assert f"{usd:.4f}" in section
    # A clean build from the records costs nothing, and says the same.
    other = flow.clone(tmp_path / "other")
    other.run(EDGES, PAGE, run="again")
    assert len(linker.asked) == 24
    again = [row for row in read_costs(flow.records) if row.run == "again"]
    assert [(row.recorded, row.calls, row.usd) for row in again] == [(24, 0, 0.0)]
    assert (other.root / PAGE).read_bytes() == (flow.root / PAGE).read_bytes()
    with artifact.reading(flow.root / EDGES, "skill-graph") as db:
        [used] = load_usage(db)
    assert (used.replies, used.prompt_tokens) == (24, spent["prompt_tokens"])
    [expected] = tell(flow, "estimate", *overlay)
    assert (expected["recorded"], expected["calls"], expected["usd"]) == (24, 0, 0.0)


def test_a_replay_without_a_reply_names_role_stage_and_record(flow, linker):
    flow.run(EDGES, run="live")
    flow.config["models"]["mode"] = "replay"
    flow.run("--forcerun", "edges", "--", EDGES, run="replay")
    assert len(linker.asked) == 24
    built = (flow.root / EDGES).read_bytes()
    path = flow.root / "data/sample/library/finance/chaser/SKILL.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("description: ", "description: Rarely, ", 1))
    done = flow.run(EDGES, run="missing", code=1)
    said = done.stdout + done.stderr
    assert re.search(r"replay: \d+ of 24 replies are not recorded", said)
    assert "role 'emit_edges', stage 'emit_edges', record '" in said
    assert "`skillmill replies import`" in said
    assert len(linker.asked) == 24
    assert (flow.root / EDGES).read_bytes() == built


def test_a_budget_a_dead_endpoint_and_a_kill_each_end_a_run_and_the_next_goes_on(
    flow, linker, tmp_path
):
    """In the middle of a batch; what was answered is never asked for again."""
    server = linker.listen()
    role = flow.config["models"]["roles"]["emit_edges"]
    role["base_url"] = server.url_for("/v1")
    flow.config["models"]["budget"] = {"calls": 8}
    done = flow.run(EDGES, run="budget", code=1)
    assert "the budget of 8 calls is spent" in done.stdout + done.stderr
    assert len(linker.answered) == 8

    flow.config["models"]["budget"] = {}
    stopping = threading.Thread(target=server.stop)
    linker.dying[15] = stopping.start
    done = flow.run(EDGES, run="dead", code=1)
    stopping.join()
    said = done.stdout + done.stderr
    assert f"at {role['base_url']}" in said
    assert len(linker.answered) == 15

    server = linker.listen(server.port)
    process = subprocess.Popen(
        flow.command(EDGES), cwd=flow.root, env=flow.environment("killed"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    linker.dying[20] = lambda: os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    flow.run(EDGES, run="end")
    assert len(linker.answered) == len(set(linker.answered)) == 24
    assert [job.computed for job in flow.jobs("end") if job.rule == "edges"] == [4]

    other = flow.clone(tmp_path / "other")
    stage_by_stage(other.root, flow, [EDGES])
    server.stop()
    assert len(linker.answered) == 24
    assert (other.root / EDGES).read_bytes() == (flow.root / EDGES).read_bytes()


def test_a_refused_parameter_is_in_the_provenance_also_of_a_recorded_run_u73(
    flow, linker, tmp_path
):
    linker.refused = "temperature"
    flow.run(EDGES, run="first")
    with artifact.reading(flow.root / EDGES, "skill-graph") as db:
        models = artifact.load_provenance(db).models
    assert models["emit_edges"] == "tiny"
    assert "refuses 'temperature', which is not sent" in models["emit_edges endpoint"]
    assert "replies may differ from call to call" in models["emit_edges endpoint"]
    other = flow.clone(tmp_path / "other")
    other.run(EDGES, run="again")
    assert len(linker.asked) == 24
    assert (other.root / EDGES).read_bytes() == (flow.root / EDGES).read_bytes()


def test_what_shapes_no_reply_runs_no_job_again(flow, linker):
    flow.run(EDGES, run="first")
    flow.config["models"]["roles"]["emit_edges"] |= {"timeout_s": 9.0, "max_tries": 2}
    flow.config["models"]["budget"] = {"calls": 1}
    flow.run(EDGES, run="again")
    assert flow.jobs("again") == []
    flow.config["models"]["roles"]["emit_edges"]["max_tokens"] = 512
    flow.config["models"]["budget"] = {}
    flow.run(EDGES, run="shaped")
    assert [job.computed for job in flow.jobs("shaped")] == [24]
