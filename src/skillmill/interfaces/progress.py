"""How far a long stage is: rows done of all, rows a second, time left.

Told on stderr and in the job's log, at most every few seconds, so that a stage which is
done at once says nothing.
"""

import logging
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

#: Seconds between two lines.
EVERY = 10.0


class Progress:
    """How far a stage of `total` rows is, told as its rows come to an end."""

    def __init__(self, stage: str, total: int) -> None:
        self._stage, self._total, self._done = stage, total, 0
        self._started = self._told = time.monotonic()

    def step(self, rows: int = 1) -> None:
        """So many rows more are done."""
        self._done += rows
        now = time.monotonic()
        if now - self._told >= EVERY and self._done < self._total:
            self._told = now
            seconds = now - self._started
            line = progress_line(self._stage, self._done, self._total, seconds)
            logging.info("%s", line)
            sys.stderr.write(f"{line}\n")


def told_batches(stage: str, rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Slices of `size` rows, in order, telling how far it is when one comes back.

    A slice counts as done when the next one is asked for.
    """
    progress = Progress(stage, len(rows))
    for start in range(0, len(rows), size):
        batch = rows[start : start + size]
        yield batch
        progress.step(len(batch))


def progress_line(stage: str, done: int, total: int, seconds: float) -> str:
    """One line: `vectors: 640 of 5,000 rows, 32 a second, 2 min 16 s left`."""
    rate = done / seconds
    left = round((total - done) / rate)
    minutes, rest = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    said = f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
    pace = f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{stage}: {done:,} of {total:,} rows, {pace} a second, {said} left"
