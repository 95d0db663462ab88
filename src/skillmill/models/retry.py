"""When a request is sent again, and how long is waited before that.

This is the only layer that retries; the HTTP client below it never does.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

import numpy as np

#: Statuses that may pass: time-out, conflict, rate limit, and every server error.
_TRANSIENT = frozenset({408, 409, 429})

FIRST_WAIT_S = 0.5
#: A rate limit counts by the minute: shorter waits would only use up the tries.
FIRST_RATE_WAIT_S = 2.0
#: The longest single wait, whatever a server asks for.
LONGEST_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the client sees it, so that tests need not wait.

    `now` and `wall` are seconds, of a clock that never jumps and since 1970.
    """

    now: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


def is_transient(status: int) -> bool:
    """Whether the same request may succeed later."""
    return status in _TRANSIENT or 500 <= status <= 599


def asked_wait(headers: Mapping[str, str], wall: float) -> float | None:
    """Read how long a server asks to wait, in seconds; None if it says nothing.

    `retry-after-ms` comes first, then `Retry-After` in seconds or as an HTTP date;
    what cannot be read, or lies in the past, counts as nothing. `headers` must find
    names in lower case.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        try:
            seconds = float(text) / unit
        except ValueError:
            seconds = _until(text, wall)
        if math.isfinite(seconds) and seconds > 0:
            return seconds
    return None


def next_wait(
    tries: int, status: int | None, asked: float | None, rng: np.random.Generator
) -> float:
    """Choose the wait after so many tries, in seconds.

    What the server asked for, up to `LONGEST_WAIT_S`, and up to a tenth more so that
    not all come back at once; else doubling from `FIRST_WAIT_S` (`FIRST_RATE_WAIT_S`
    for status 429), times a random factor from 0.5 to 1.
    """
    if asked is not None:
        return min(asked, LONGEST_WAIT_S) * float(rng.uniform(1.0, 1.1))
    first = FIRST_RATE_WAIT_S if status == 429 else FIRST_WAIT_S
    doubled = first * 2.0 ** min(tries - 1, 30)
    return min(doubled, LONGEST_WAIT_S) * float(rng.uniform(0.5, 1.0))


class Patience:
    """What one question has left of its tries and its time."""

    def __init__(self, max_tries: int, max_seconds: float, clock: Clock) -> None:
        self.tries = 0
        self._max_tries = max_tries
        self._max_seconds = max_seconds
        self._clock = clock
        self._started: float | None = None

    def begin(self) -> None:
        """Start the time, once: waiting for others before the first try is free."""
        if self._started is None:
            self._started = self._clock.now()

    @property
    def spent_seconds(self) -> float:
        """Time since the first try."""
        return 0.0 if self._started is None else self._clock.now() - self._started

    @property
    def seconds_left(self) -> float:
        """Time that is left, at least 0."""
        return max(0.0, self._max_seconds - self.spent_seconds)

    @property
    def tries_left(self) -> int:
        """Tries that are left."""
        return self._max_tries - self.tries

    def allows(self, wait: float) -> bool:
        """Whether there is a try left after such a wait, and time for it."""
        return self.tries_left > 0 and wait < self.seconds_left


class Pause:
    """A time until which nobody sends to an endpoint, shared by all its workers."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = -math.inf

    def extend(self, seconds: float) -> None:
        """Ask everybody to wait for so long from now, or longer if so asked before."""
        self._until = max(self._until, self._clock.now() + seconds)

    async def passed(self, rng: np.random.Generator) -> None:
        """Return when nobody asks to wait any more; each a little later than others."""
        while (left := self._until - self._clock.now()) > 0:
            await self._clock.sleep(left * float(rng.uniform(1.0, 1.1)))


def _until(text: str, wall: float) -> float:
    """Seconds until an HTTP date; nan if it is none."""
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return math.nan
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return date.timestamp() - wall
