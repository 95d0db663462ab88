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


def told_batches(stage: str, rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Slices of `size` rows, in order, telling how far it is when one comes back.

    A slice counts as done when the next one is asked for.
    """
    started = told = time.monotonic()
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
        done, now = min(start + size, len(rows)), time.monotonic()
        if now - told >= EVERY and done < len(rows):
            told = now
            line = progress_line(stage, done, len(rows), now - started)
            logging.info("%s", line)
            sys.stderr.write(f"{line}\n")


def progress_line(stage: str, done: int, total: int, seconds: float) -> str:
    """One line: `vectors: 640 of 5,000 rows, 32 a second, 2 min 16 s left`."""
    rate = done / seconds
    left = round((total - done) / rate)
    minutes, rest = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    said = f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
    pace = f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{stage}: {done:,} of {total:,} rows, {pace} a second, {said} left"
