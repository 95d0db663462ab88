"""What input files hold, as a param of the rule that reads them, and their times.

Snakemake compares the content of an input only where it is newer than what was made
of it. A file that was put back from a backup, unpacked or copied with its time looks
older, and would be taken for the one that was read.
"""

import hashlib
import os
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from skillmill.errors import InputError

#: How such a param begins; `why` tells it from a setting by that.
PREFIX = "given:"

#: Seconds that a file's time may lie ahead: the first output is written later.
_AHEAD = 2.0


def contents(files: Iterable[str]) -> str:
    """A short hash of the content of files, in whatever order they are given.

    Names do not count: Snakemake itself sees a file that joins, leaves or is renamed.
    One that cannot be read counts as empty; the rule that reads it will say so.
    """
    total = hashlib.sha256()
    for digest in sorted(map(_content, files)):
        total.update(digest)
    return PREFIX + total.hexdigest()[:12]


def check_times(files: Sequence[Path]) -> None:
    """Refuse input files whose time has not come yet.

    What is made of one would be older than the file, which Snakemake takes for clocks
    that disagree: it throws the output away and ends the run. Archives bring such
    times, since some hold the hour without its zone.

    Raises
    ------
    InputError
        Naming the first file, its time, and how many there are.
    """
    now = time.time()
    ahead = [file for file in files if file.stat().st_mtime > now + _AHEAD]
    if not ahead:
        return
    moment = datetime.fromtimestamp(ahead[0].stat().st_mtime)
    others = f" (and {len(ahead) - 1} others)" if len(ahead) > 1 else ""
    raise InputError(
        f"{ahead[0]}{others}: expected a file changed in the past, found one of"
        f" {moment.isoformat(' ', 'seconds')} while the clock of this machine stands at"
        f" {datetime.fromtimestamp(now).isoformat(' ', 'seconds')}; `touch` it, or copy"
        " it if it is not yours, or mend the clock",
        record=str(ahead[0]),
    )


def _content(file: str) -> bytes:
    try:
        stat = os.stat(file)
        # ctime is set by every write and cannot be set back.
        state = stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
        return _hash(file, state)
    except OSError:
        return b""


@lru_cache(maxsize=1 << 17)
def _hash(file: str, state: tuple[int, ...]) -> bytes:
    """Hash of a file in a state, so that many rules read it once."""
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
