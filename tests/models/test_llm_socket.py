"""The shapes that only a real connection has, and those that matter most, over one."""

import threading

import pytest
from pytest_httpserver import HTTPServer

from skillmill.models.llm import ChatClient
from tests.models.endpoint import (
    FakeTime,
    Label,
    MemoryReplies,
    RawServer,
    Reply,
    Script,
    refuses,
    request,
    requests,
    rng,
    says,
    settings,
)

GOOD = says('{"label": "cause"}')
HTML = Reply(headers={"content-type": "text/html"}, body=b"<p>Log in</p>")


@pytest.fixture(scope="module")
def server():
    with HTTPServer(host="127.0.0.1", threaded=True) as http:
        yield http


def ask(server, script, questions=None, **changes):
    server.clear()
    server.expect_request("/v1/chat/completions").respond_with_handler(script.serve)
    role = settings(base_url=server.url_for("/v1"), **changes)
    with ChatClient(
        {"linker": role}, MemoryReplies(), rng=rng(), clock=FakeTime().clock
    ) as chat:
        return chat.ask_many(questions or [request()])


@pytest.mark.parametrize(
    ("steps", "calls"),
    [
        ([GOOD], 1),
        ([says('```json\n{"label": "cause"}\n```')], 1),
        ([says('Here: {"label": "cause"} - done.')], 1),
        ([says('{"label": "cause",\n "why": ""}')], 1),
        ([says('{"label": "reason"}'), GOOD], 2),
        ([says('{"label": "cau'), GOOD], 2),
        ([says('{"label": "cause"}', "tool_calls", message={"tool_calls": []})], 1),
        ([refuses(400), GOOD], 2),
        ([refuses(400), refuses(400), GOOD], 3),
        ([refuses(429, headers={"retry-after": "1"}), GOOD], 2),
        ([refuses(500), GOOD], 2),
        ([Reply(reset=True), GOOD], 2),
        ([Reply(body=GOOD.body, cut=True), GOOD], 2),
        ([Reply(body=GOOD.body[:40]), GOOD], 2),
    ],
)
def test_a_reply_comes_in_the_end(server, steps, calls):
    script = Script(*steps)
    [outcome] = ask(server, script)
    assert outcome.value == Label(label="cause"), outcome
    assert len(script.asked) == calls


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        (says('{"label": "cause"}', "length"), "length", 1),
        (Reply(body=b'{"choices": []}'), "no-choices", 1),
        (refuses(401), "unauthorised", 1),
        (refuses(404), "not-found", 1),
        (HTML, "content-type", 1),
        (refuses(429), "rate-limit", 3),
        (Reply(reset=True), "connection", 3),
        (Reply(body=GOOD.body, cut=True), "connection", 3),
        (says("They are related."), "no-json", 2),
    ],
)
def test_a_failure_has_its_reason(server, reply, reason, calls):
    script = Script(reply)
    [outcome] = ask(server, script, max_tries=3)
    assert (outcome.state, outcome.reason) == ("failed", reason), outcome
    assert len(script.asked) == calls


@pytest.mark.parametrize(("resets", "state"), [(2, "ok"), (3, "failed")])
def test_a_reset_connection_is_tried_again(resets, state):
    raw = RawServer(resets, GOOD)
    role = settings(base_url=raw.url, max_tries=3)
    with ChatClient(
        {"linker": role}, MemoryReplies(), rng=rng(), clock=FakeTime().clock
    ) as chat:
        [outcome] = chat.ask_many([request()])
    raw.close()
    assert outcome.state == state, outcome
    assert raw.connections == 3
    assert outcome.reason == ("" if state == "ok" else "connection")


def test_silence_is_a_time_out(server):
    script = Script(Reply(delay=0.6, body=GOOD.body), GOOD)
    [outcome] = ask(server, script, timeout_s=0.2)
    assert outcome.state == "ok"
    assert len(script.asked) == 2


def test_a_drip_is_a_time_out(server):
    script = Script(says(drip=0.05), GOOD)
    [outcome] = ask(server, script, timeout_s=0.3)
    assert outcome.state == "ok"
    assert len(script.asked) == 2


def test_nobody_listens(server):
    role = settings(base_url="http://127.0.0.1:9/v1", max_tries=2)
    with ChatClient(
        {"linker": role}, MemoryReplies(), rng=rng(), clock=FakeTime().clock
    ) as chat:
        [outcome] = chat.ask_many([request()])
    assert outcome.reason == "connection"
    assert "after 2 requests" in outcome.message


def test_one_connection_pool_serves_many_questions_and_threads(server):
    script = Script(says(delay=0.002))
    server.clear()
    server.expect_request("/v1/chat/completions").respond_with_handler(script.serve)
    role = settings(base_url=server.url_for("/v1"), concurrency=4)
    done = []
    with ChatClient({"linker": role}, MemoryReplies(), rng=rng()) as chat:

        def work(number):
            asked = [request(f"{number}-{n}") for n in range(10)]
            done.extend(chat.ask_many(asked))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [outcome.state for outcome in done] == ["ok"] * 40
    assert len(script.asked) == 40


def test_the_client_can_be_used_after_a_failed_batch(server):
    script = Script(refuses(413), GOOD)
    outcomes = ask(server, script, requests(2), concurrency=1)
    assert [outcome.state for outcome in outcomes] == ["failed", "ok"]
