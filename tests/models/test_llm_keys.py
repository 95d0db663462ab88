"""A key that is used appears nowhere (U71)."""

import base64
import logging
import subprocess
import sys
import traceback

import pytest

from skillmill.errors import ConfigError
from skillmill.models.endpoint import Address, Secret, read_address, read_secret
from skillmill.models.llm import ChatClient
from skillmill.store.replies import ReplyRecords
from skillmill.store.reply_transfer import export_replies
from tests.conftest import REPOSITORY
from tests.models.endpoint import (
    FakeTime,
    MemoryReplies,
    Reply,
    Script,
    refuses,
    request,
    requests,
    rng,
    says,
    settings,
)

KEY = "sk-test-123"
VARIABLE = "TINY_MODEL_KEY"
PASSWORD = "pass+word/9"
HERE = Address("http://model.test/v1")

#: A run that goes as wrong as it can, with everything logged.
PROGRAM = """
import logging, sys, traceback
from pathlib import Path
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from skillmill.models.failures import check_failed_share
from skillmill.models.llm import ChatClient
from skillmill.store.replies import ReplyRecords
from tests.models.endpoint import *

key = "sk-test-" + "123"

def answer(body):
    number = len(script.asked)
    if number == 1:
        return refuses(400, f"{key} may not use json_schema")
    if number == 2:
        return says('{"label": "cause", "why": "your key is ' + key + '"}')
    if number == 3:
        return Reply(429, {"x-key": key}, key.encode())
    return refuses(401, f"Incorrect API key provided: {key}", header=f"Bearer {key}")

script = Script(answer)
time = FakeTime()
settings = settings(key_variable="TINY_MODEL_KEY", extra={"user": key})
with ReplyRecords(Path(sys.argv[1])) as replies, ChatClient(
    {"linker": settings}, replies, rng=rng(), http_client=script.client(),
    clock=time.clock,
) as client:
    outcomes = client.ask_many(requests(9))
    sent = script.headers[-1]["authorization"]
    assert sent == "Bearer " + key, "the key was not sent"
    print(outcomes, client, client.notes, client.ledger.rows(), settings, vars(client))
    print(outcomes, file=sys.stderr)
    try:
        check_failed_share(outcomes, 0.2, stage="relations", model="tiny")
    except Exception:
        traceback.print_exc()
        raise
"""


def test_a_run_full_of_401_with_everything_logged_shows_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, KEY)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "records")],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"LimitError" in done.stderr, done.stderr.decode()
    assert b"DEBUG" in done.stdout
    assert b"Incorrect API key provided: ***" in done.stdout
    export_replies(tmp_path / "records", tmp_path / "replies.jsonl")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    for text in [done.stdout, done.stderr, *(path.read_bytes() for path in files)]:
        assert KEY.encode() not in text


def test_credentials_in_the_url_are_sent_and_shown_nowhere(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    basic = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    script = Script(refuses(401, f"wrong: {PASSWORD} {basic} pass%2Bword%2F9"))
    role = settings(base_url="https://me:pass%2Bword%2F9@Model.TEST:443/v1/")
    with (
        ReplyRecords(tmp_path) as replies,
        ChatClient(
            {"linker": role}, replies, rng=rng(), http_client=script.client()
        ) as chat,
    ):
        outcomes = chat.ask_many(requests(2))
    assert script.headers[0]["authorization"] == f"Basic {basic}"
    stored = b"".join(
        path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )
    seen = f"{outcomes} {role} {caplog.text} {stored!r}"
    assert "https://model.test/v1" in seen
    for secret in (PASSWORD, basic, "pass%2Bword%2F9"):
        assert secret not in seen


def test_a_connection_that_fails_says_so_without_the_key(monkeypatch):
    monkeypatch.setenv(VARIABLE, KEY)

    def broken(body):
        raise OSError(f"could not send Bearer {KEY}")

    time, script = FakeTime(), Script(broken)
    with ChatClient(
        {"linker": settings(key_variable=VARIABLE, max_tries=2)},
        MemoryReplies(), rng=rng(), http_client=script.client(), clock=time.clock,
    ) as chat:  # fmt: skip
        [outcome] = chat.ask_many([request()])
    assert outcome.reason == "connection"
    assert "could not send Bearer ***" in outcome.message
    assert KEY not in str(outcome)


def test_without_a_key_no_header_is_sent_whatever_the_environment_holds(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    script = Script(says())
    with ChatClient(
        {"linker": settings()}, MemoryReplies(), rng=rng(), http_client=script.client()
    ) as chat:
        assert chat.ask_many([request()])[0].state == "ok"
    assert "authorization" not in script.headers[0]
    assert KEY not in str(script.headers)


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_a_key_that_is_not_set_is_told_by_its_variable_before_anything_is_sent(
    value, monkeypatch
):
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    script = Script(says())
    with (
        ChatClient(
            {"linker": settings(key_variable=VARIABLE)},
            MemoryReplies(),
            rng=rng(),
            http_client=script.client(),
        ) as chat,
        pytest.raises(ConfigError, match=f"'linker'.*http://model.test/v1.*{VARIABLE}"),
    ):
        chat.ask_many([request()])
    assert script.asked == []


def test_a_recorded_run_needs_no_key(monkeypatch):
    monkeypatch.setenv(VARIABLE, KEY)
    replies, script = MemoryReplies(), Script(says())
    role = settings(key_variable=VARIABLE)
    with ChatClient(
        {"linker": role}, replies, rng=rng(), http_client=script.client()
    ) as chat:
        chat.ask_many(requests(3))
    monkeypatch.delenv(VARIABLE)
    for mode in ("live", "replay"):
        with ChatClient({"linker": role}, replies, rng=rng(), mode=mode) as chat:
            assert all(outcome.from_record for outcome in chat.ask_many(requests(3)))


def test_a_key_with_a_newline_inside_is_refused_and_not_shown(monkeypatch):
    monkeypatch.setenv(VARIABLE, "sk-test\n-123")
    with pytest.raises(ConfigError, match="copy it again") as caught:
        read_secret(HERE, VARIABLE, "linker")
    assert "sk-test" not in "".join(traceback.format_exception(caught.value))


def test_a_key_and_credentials_in_the_url_are_one_too_many(monkeypatch):
    monkeypatch.setenv(VARIABLE, KEY)
    address = read_address("http://me:pass%2Bword%2F9@model.test/v1")
    with pytest.raises(ConfigError, match="leave one out") as caught:
        read_secret(address, VARIABLE, "linker")
    assert PASSWORD not in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_word_that_a_local_server_takes_for_a_key_stays_in_replies(monkeypatch):
    """Masking `lm-studio` in replies would spoil honest text."""
    for word in ("EMPTY", "none", "lm-studio"):
        secret = Secret(f"Bearer {word}", word)
        assert secret.mask_reply(f"say {word}") == f"say {word}"
    assert Secret("Bearer x", KEY).mask_reply(f"say {KEY}") == "say ***"
    assert Secret("Bearer x", "lm-studio").mask("say lm-studio") == "say ***"
    assert KEY not in repr(Secret(f"Bearer {KEY}", KEY))


def test_a_url_that_cannot_be_read_is_not_repeated_in_the_traceback():
    with pytest.raises(ConfigError) as caught:
        read_address(f"http://me:{PASSWORD}@model.test/v1")
    assert (
        "pass"
        not in "".join(traceback.format_exception(caught.value)).split("File")[-1]
    )


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Localhost:8000/v1/", "http://localhost:8000/v1"),
        ("https://api.example:443/v1", "https://api.example/v1"),
        ("http://me:word@h:80", "http://h"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
    ],
)
def test_one_endpoint_has_one_name(url, expected):
    assert read_address(url).url == expected


def test_a_reply_in_which_the_server_shows_the_key_is_masked_alike_live_and_recorded(
    monkeypatch,
):
    monkeypatch.setenv(VARIABLE, KEY)
    body = says('{"label": "cause", "why": "' + KEY + '"}').body
    replies, script = MemoryReplies(), Script(Reply(body=body))
    with ChatClient(
        {"linker": settings(key_variable=VARIABLE)},
        replies, rng=rng(), http_client=script.client(),
    ) as chat:  # fmt: skip
        first, second = (chat.ask_many([request()])[0] for _ in range(2))
    assert first.value == second.value
    assert first.value.why == "***"
