"""Waits before a retry, worked by hand."""

import numpy as np
import pytest

from skillmill.models.retry import Patience, asked_wait, is_transient, next_wait
from tests.models.endpoint import FakeTime, rng

#: 2001-09-09 01:46:40 UTC
WALL = 1e9


@pytest.mark.parametrize(
    ("status", "expected"),
    [(400, False), (401, False), (403, False), (404, False), (408, True), (409, True),
     (422, False), (429, True), (500, True), (503, True), (529, True), (600, False)],
)  # fmt: skip
def test_only_what_may_pass_is_tried_again_u70(status, expected):
    assert is_transient(status) is expected


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "2"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:47:10 GMT"}, 30.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:46:10 GMT"}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
    ],
)
def test_what_a_server_asks_for_is_read(headers, seconds):
    assert asked_wait(headers, WALL) == seconds


class Middle:
    """A generator that always draws the upper end."""

    def uniform(self, low, high):
        return high


@pytest.mark.parametrize(
    ("tries", "status", "asked", "seconds"),
    [(1, 500, None, 0.5), (2, 500, None, 1.0), (4, None, None, 4.0),
     (20, 500, None, 60.0), (1, 429, None, 2.0), (3, 429, None, 8.0),
     (1, 429, 2.0, 2.2), (1, 429, 3600.0, 66.0), (5000, 500, None, 60.0)],
)  # fmt: skip
def test_waits_double_up_to_a_cap_unless_the_server_asks(tries, status, asked, seconds):
    assert next_wait(tries, status, asked, Middle()) == pytest.approx(seconds)


def test_the_jitter_comes_from_the_generator():
    first = [next_wait(3, 500, None, rng()) for _ in range(2)]
    assert (
        first[0]
        == first[1]
        == pytest.approx(2.0 * np.random.default_rng(0).uniform(0.5, 1))
    )
    assert next_wait(3, 500, None, np.random.default_rng(1)) != first[0]
    assert all(1.0 <= next_wait(3, 500, None, rng()) <= 2.0 for _ in range(5))


def test_patience_counts_from_the_first_try_and_ends_with_tries_or_time():
    time = FakeTime()
    patience = Patience(max_tries=3, max_seconds=10.0, clock=time.clock)
    time.seconds += 100
    patience.begin()
    assert patience.seconds_left == 10.0
    time.seconds += 4
    patience.begin()
    patience.tries = 2
    assert patience.seconds_left == 6.0
    assert patience.allows(5.9)
    assert not patience.allows(6.0)
    patience.tries = 3
    assert not patience.allows(0.1)
