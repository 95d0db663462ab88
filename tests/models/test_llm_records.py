"""Paid work survives: kill -9, reruns, repairs, other processes, other threads."""

import json
import signal
import subprocess
import sys
import threading
import time as real_time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import field_validator
from pytest_httpserver import HTTPServer

from skillmill.errors import LimitError, ModelError
from skillmill.models.llm import ChatClient
from skillmill.models.usage import Budget
from skillmill.store.replies import ReplyRecords
from skillmill.store.reply_transfer import import_replies
from skillmill.store.reply_upkeep import merge_replies, reply_counts
from tests.conftest import REPOSITORY
from tests.models.asking import client
from tests.models.endpoint import (
    FakeTime,
    Label,
    MemoryReplies,
    Script,
    refuses,
    request,
    requests,
    rng,
    says,
    settings,
)

GOOD = says('{"label": "cause"}')

#: A run of its own process: folder, base URL, number of questions, concurrency.
PROGRAM = """
import sys
from pathlib import Path
from skillmill.models.llm import ChatClient
from skillmill.store.replies import ReplyRecords
from tests.models.asking import client
from tests.models.endpoint import requests, rng, settings

folder, url, count, concurrency = sys.argv[1:]
role = settings(base_url=url, concurrency=int(concurrency))
with ReplyRecords(Path(folder)) as replies, ChatClient(
    {"linker": role}, replies, rng=rng()
) as client:
    outcomes = client.ask_many(requests(int(count)))
print(*[outcome.state for outcome in outcomes])
"""


def run_program(folder, url, count, concurrency=1):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), url, str(count), str(concurrency)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def server():
    with HTTPServer(host="127.0.0.1", threaded=True) as http:
        yield http


def serve(server, script):
    server.expect_request("/v1/chat/completions").respond_with_handler(script.serve)
    return server.url_for("/v1")


@pytest.mark.parametrize("answered", [1, 4])
def test_after_kill_9_only_what_was_not_answered_is_asked_again(
    server, tmp_path, answered
):
    """Nine questions, killed while one more than `answered` is under way."""
    release, arrived = threading.Event(), threading.Event()

    def answer(body):
        if len(script.asked) == answered + 1:
            arrived.set()
            release.wait(30)
        return GOOD

    script = Script(answer)
    url = serve(server, script)
    process = run_program(tmp_path, url, 9)
    assert arrived.wait(30), process.communicate()
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    release.set()
    assert len(script.asked) == answered + 1
    rerun = run_program(tmp_path, url, 9)
    out, err = rerun.communicate(timeout=60)
    assert out.split() == ["ok"] * 9, err
    assert len(script.asked) == answered + 1 + (9 - answered)
    # A third time nothing is asked, as under --forceall.
    role = settings(base_url=url)
    with (
        ReplyRecords(tmp_path) as replies,
        ChatClient({"linker": role}, replies, rng=rng()) as chat,
    ):
        assert all(outcome.from_record for outcome in chat.ask_many(requests(9)))
    assert len(script.asked) == answered + 1 + (9 - answered)


@pytest.mark.slow
def test_eight_processes_at_once_lose_nothing(server, tmp_path):
    script = Script(says(delay=0.005))
    url = serve(server, script)
    processes = [run_program(tmp_path, url, 12, 4) for _ in range(8)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert out.split() == ["ok"] * 12, err
    [counted] = reply_counts(tmp_path)
    assert counted.replies == len(script.asked)
    assert 12 <= counted.replies <= 96
    merge_replies(tmp_path)
    with client(Script(refuses(500)), ReplyRecords(tmp_path), base_url=url) as chat:
        assert all(outcome.from_record for outcome in chat.ask_many(requests(12)))
        assert chat.ledger.total().calls == 0


def test_each_question_that_ends_is_told_of_and_recorded_ones_are_no_wait():
    """Of three questions one is recorded: two are begun, and told of as they end."""
    replies, begun, ended = MemoryReplies(), [], []

    def begin(stage, total):
        begun.append((stage, total))
        return lambda: ended.append(stage)

    with client(Script(GOOD), replies) as chat:
        chat.ask_many(requests(1))
    script, time = Script(GOOD), FakeTime()
    with ChatClient(
        {"linker": settings()}, replies, rng=rng(), clock=time.clock,
        http_client=script.client(time.clock), begin=begin,
    ) as chat:  # fmt: skip
        outcomes = chat.ask_many(requests(3))
    assert [one.from_record for one in outcomes] == [True, False, False]
    assert begun == [(outcomes[0].stage, 2)]
    assert ended == [outcomes[0].stage] * 2


def test_a_server_that_breaks_down_at_the_tenth_is_asked_once_more_u02(tmp_path):
    broken = Script(*[GOOD] * 9, refuses(500))
    with (
        ReplyRecords(tmp_path) as replies,
        client(broken, replies, concurrency=1) as chat,
    ):
        states = [outcome.state for outcome in chat.ask_many(requests(10))]
    assert states == ["ok"] * 9 + ["failed"]
    mended = Script(GOOD)
    with ReplyRecords(tmp_path) as replies, client(mended, replies) as chat:
        assert all(outcome.state == "ok" for outcome in chat.ask_many(requests(10)))
    assert len(mended.asked) == 1
    with ReplyRecords(tmp_path) as replies, client(mended, replies) as chat:
        assert all(outcome.from_record for outcome in chat.ask_many(requests(10)))
    assert len(mended.asked) == 1


def test_a_repaired_reply_is_read_back_without_a_call_u02():
    replies, script = MemoryReplies(), Script(says('{"label": "reason"}'), GOOD)
    with client(script, replies) as chat:
        [first] = chat.ask_many([request()])
    for mode in ("live", "replay"):
        with client(script, replies, mode=mode) as chat:
            [outcome] = chat.ask_many([request()])
        assert outcome.from_record
        assert outcome.value == Label(label="cause")
        # Both replies count, however they came.
        assert outcome.usage.tokens == first.usage.tokens == 50
    assert len(script.asked) == 2


def test_a_run_that_ends_before_a_repair_goes_on_with_the_repair():
    replies, script = MemoryReplies(), Script(says('{"label": "reason"}'), GOOD)
    with (
        client(script, replies, budget=Budget(calls=1)) as chat,
        pytest.raises(LimitError),
    ):
        chat.ask_many([request()])
    with client(script, replies) as chat:
        [outcome] = chat.ask_many([request()])
    assert outcome.state == "ok"
    assert outcome.usage.tokens == 50
    assert len(script.asked) == 2
    assert len(script.asked[1]["messages"]) == 3


@pytest.mark.parametrize("bad", [says("", "length"), says("Hm."), refuses(413)])
def test_a_failure_is_asked_again_in_a_new_run_and_replayed_as_one(bad):
    replies, script = MemoryReplies(), Script(bad)
    with client(script, replies) as chat:
        [first] = chat.ask_many([request()])
    with client(script, replies, mode="replay") as chat:
        [replayed] = chat.ask_many([request()])
    assert (replayed.state, replayed.reason) == ("failed", first.reason)
    assert replayed.from_record
    before = len(script.asked)
    with client(Script(GOOD), replies) as chat:
        assert chat.ask_many([request()])[0].state == "ok"
    assert len(script.asked) == before
    with client(script, replies, mode="replay") as chat:
        assert chat.ask_many([request()])[0].state == "ok"


def test_equal_questions_of_a_batch_are_asked_once():
    script = Script(GOOD)
    questions = [request(f"r{n}", text="the same") for n in range(10)]
    with client(script, MemoryReplies()) as chat:
        outcomes = chat.ask_many(questions)
    assert len(script.asked) == 1
    assert [outcome.record for outcome in outcomes] == [q.record for q in questions]
    assert [outcome.from_record for outcome in outcomes] == [False] + [True] * 9
    assert chat.ledger.total().calls == 1


def test_equal_questions_of_a_batch_fail_together():
    script = Script(refuses(413))
    with client(script, MemoryReplies()) as chat:
        outcomes = chat.ask_many([request(f"r{n}", text="same") for n in range(10)])
    assert len(script.asked) == 1
    assert {outcome.reason for outcome in outcomes} == {"refused"}


def test_equal_questions_of_eight_threads_are_asked_once(tmp_path):
    script = Script(says(delay=0.05))
    with (
        ReplyRecords(tmp_path) as replies,
        client(script, replies) as chat,
        ThreadPoolExecutor(8) as pool,
    ):
        outcomes = list(pool.map(lambda _: chat.ask_many([request()])[0], range(8)))
    assert len(script.asked) == 1
    assert {outcome.state for outcome in outcomes} == {"ok"}
    assert sum(not outcome.from_record for outcome in outcomes) == 1


def test_samples_are_apart_above_temperature_0_and_one_at_0():
    warm = [request(sample=n) for n in range(3)]
    for temperature, calls in [(0.7, 3), (None, 3), (0.0, 1)]:
        script, replies = Script(GOOD), MemoryReplies()
        with client(script, replies, temperature=temperature) as chat:
            chat.ask_many(warm)
            assert all(outcome.from_record for outcome in chat.ask_many(warm))
        assert len(script.asked) == calls


def test_a_server_that_drops_the_temperature_gets_each_sample():
    """It was to be 0, it is not sent, so replies may differ."""

    def answer(body):
        return refuses(400, param="temperature") if "temperature" in body else GOOD

    script, replies = Script(answer), MemoryReplies()
    warm = [request(sample=n) for n in range(3)]
    with client(script, replies, temperature=0.0) as chat:
        chat.ask_many(warm)
    with client(script, replies, temperature=0.0) as chat:
        assert all(outcome.from_record for outcome in chat.ask_many(warm))
    assert len(script.asked) == 1 + 3


def test_another_version_of_a_prompt_is_another_question():
    script, replies = Script(GOOD), MemoryReplies()
    for version in ("1", "2", "1"):
        with client(script, replies) as chat:
            chat.ask_many([request(version=version)])
    assert len(script.asked) == 2


def test_a_reply_that_a_stricter_model_refuses_is_asked_for_again():
    """The request is the same, since a schema does not tell what a validator wants."""
    schema = Label.model_json_schema()

    class Stricter(Label):
        @field_validator("why")
        @classmethod
        def told(cls, why):
            if not why:
                raise ValueError("say why")
            return why

        @classmethod
        def model_json_schema(cls, **_):
            return schema

    script = Script(
        says('{"label": "cause", "why": ""}'), says('{"label": "cause", "why": "rain"}')
    )
    replies = MemoryReplies()
    with client(script, replies) as chat:
        chat.ask_many([request()])
        [outcome] = chat.ask_many([request(reply_model=Stricter)])
        assert outcome.value.why == "rain"
    with client(script, replies) as chat:
        assert chat.ask_many([request(reply_model=Stricter)])[0].from_record
    assert len(script.asked) == 2


def test_a_reply_that_another_process_got_meanwhile_is_used(tmp_path):
    with ReplyRecords(tmp_path) as mine, ReplyRecords(tmp_path) as theirs:
        script = Script(GOOD)
        with client(script, theirs) as other:
            other.ask_many([request("r1")])

        class Late:
            """Shows what the other process wrote only at the second look."""

            looks = 0

            def __getattr__(self, name):
                return getattr(mine, name)

            def known(self, keys):
                self.looks += 1
                return mine.known(keys) if self.looks > 2 else {}

        with client(script, Late()) as chat:
            [outcome] = chat.ask_many([request("r1")])
        assert outcome.from_record
        assert len(script.asked) == 1


def test_a_store_that_cannot_be_written_stops_the_calls(tmp_path):
    class Full(MemoryReplies):
        def add(self, row):
            raise ModelError("the disk is full")

    script = Script(says(delay=0.01))
    with (
        client(script, Full(), concurrency=3) as chat,
        pytest.raises(ModelError, match="disk is full"),
    ):
        chat.ask_many(requests(50))
    assert len(script.asked) <= 3


def test_three_thousand_recorded_replies_a_second_are_read_back(tmp_path):
    """Counted in seconds of this process, so that a busy machine does not matter."""
    count, prompt = 1000, "some words of a prompt " * 130
    questions = [request(f"r{n}", text=f"{prompt}{n}") for n in range(count)]
    reply = says('{"label": "cause", "why": "' + "because " * 60 + '"}')
    script, memory = Script(reply), MemoryReplies()
    with client(script, memory, concurrency=64) as chat:
        chat.ask_many(questions)
    lines = [json.dumps({"reply": {**row, "created": "2030"}}) for row in memory.rows]
    (tmp_path / "all.jsonl").write_text("\n".join(lines), encoding="utf-8")
    import_replies(tmp_path, tmp_path / "all.jsonl")
    with ReplyRecords(tmp_path) as replies, client(script, replies) as chat:
        chat.ask_many(questions[:1])
        started = real_time.process_time()
        outcomes = chat.ask_many(questions)
        rate = count / (real_time.process_time() - started)
    assert all(outcome.from_record for outcome in outcomes)
    assert len(script.asked) == count
    assert rate > 3000
