"""Faults of the endpoint: tried again within bounds, or given up at once."""

import logging

import pytest

from tests.models.asking import ask
from tests.models.endpoint import (
    FakeTime,
    Label,
    Reply,
    Script,
    refuses,
    requests,
    says,
)

GOOD = says('{"label": "cause"}')
CAUSE = Label(label="cause")


@pytest.fixture
def time():
    return FakeTime()


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (refuses(500), "server-error"),
        (refuses(503), "server-error"),
        (refuses(408), "server-error"),
        (refuses(409), "server-error"),
        (refuses(429), "rate-limit"),
        (Reply(reset=True), "connection"),
        (Reply(cut=True), "connection"),
        (Reply(body=b'{"choices": [{"mess'), "body-cut"),
    ],
)
def test_what_may_pass_is_tried_again_and_bounded_u70(first, reason, time):
    script = Script(first, GOOD)
    outcome, _ = ask(script, time)
    assert outcome.value == CAUSE
    assert len(script.asked) == 2
    assert script.formats == ["json_schema"] * 2
    for_ever = Script(first)
    outcome, _ = ask(for_ever, max_tries=3)
    assert (outcome.state, outcome.reason) == ("failed", reason)
    assert len(for_ever.asked) <= 5
    assert " requests in " in outcome.message


@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, "unauthorised"), (403, "forbidden"), (404, "not-found"), (413, "refused")],
)
def test_what_cannot_pass_is_sent_once_u70(status, reason, time):
    script = Script(refuses(status))
    outcome, _ = ask(script, time)
    assert (outcome.state, outcome.reason) == ("failed", reason)
    assert len(script.asked) == 1
    assert time.waits == []


def test_always_429_ends_after_the_tries_and_says_so_u70(time, caplog):
    caplog.set_level(logging.INFO, "skillmill")
    script = Script(refuses(429))
    outcome, _ = ask(script, time, max_tries=6, max_seconds=600)
    assert len(script.asked) == 6
    assert outcome.reason == "rate-limit"
    assert "6 requests in" in outcome.message
    # 2, 4, 8, 16, 32 seconds, each times 0.5 to 1 and a tenth more at the most.
    assert 31 <= time.seconds - 1000 <= 62 * 1.1
    assert "try 1 of 6 failed (status 429" in caplog.text
    assert "given up after 6 tries" in caplog.text


def test_the_total_time_ends_it_before_the_tries_do_u70(time):
    script = Script(refuses(500))
    outcome, _ = ask(script, time, max_tries=100, max_seconds=20)
    assert outcome.state == "failed"
    assert time.seconds - 1000 <= 20
    assert 4 < len(script.asked) < 12


def test_retry_after_is_honoured_twice_then_the_reply_comes_u70(time):
    busy = refuses(429, headers={"retry-after": "2"})
    script = Script(busy, busy, GOOD)
    outcome, _ = ask(script, time)
    assert outcome.value == CAUSE
    gaps = [b - a for a, b in zip(script.times, script.times[1:], strict=False)]
    assert all(2.0 <= gap <= 2.0 * 1.1 * 1.1 for gap in gaps)


def test_a_429_makes_all_workers_wait_u70(time):
    """Four are under way; the first to be turned away holds up the others."""
    busy = refuses(429, headers={"retry-after": "30"})
    script = Script(GOOD, busy, GOOD)
    outcomes, _ = ask(script, time, questions=requests(20), concurrency=4)
    assert all(outcome.state == "ok" for outcome in outcomes)
    start = script.times[0]
    early = [at for at in script.times if at - start < 30]
    # One that finds out what the endpoint can do, then the four that were under way.
    assert len(early) <= 1 + 4
    assert len(script.asked) == 21


def test_a_time_out_is_tried_again(time):
    script = Script(Reply(delay=5.0), GOOD)
    outcome, _ = ask(script, time, timeout_s=0.05)
    assert outcome.value == CAUSE
    assert len(script.asked) == 2


def test_a_body_that_drips_does_not_hold_on_for_ever():
    """Each byte comes in time; the whole does not."""
    slow = says(drip=0.02)
    script = Script(slow)
    outcome, _ = ask(script, timeout_s=0.1, max_tries=2)
    assert (outcome.state, outcome.reason) == ("failed", "time-out")
    assert "no whole reply within 0.1 s" in outcome.message


def test_a_wrong_key_stops_the_rest_before_they_are_sent():
    script = Script(refuses(401, "who are you?"))
    outcomes, _ = ask(script, questions=requests(30))
    assert len(script.asked) == 1
    assert [outcome.state for outcome in outcomes] == ["failed"] + ["skipped"] * 29
    assert outcomes[29].reason == "endpoint-down"
    assert "who are you?" in outcomes[29].message


def test_an_endpoint_that_is_down_is_given_up_after_some_questions(time):
    script = Script(Reply(reset=True))
    outcomes, _ = ask(script, time, questions=requests(100), max_tries=2)
    states = [outcome.state for outcome in outcomes]
    assert states.count("failed") == 8
    assert states.count("skipped") == 92
    assert len(script.asked) == 16
