"""What input files hold, as a param of the rule that reads them.

Snakemake compares the content of an input only where it is newer than what was made
of it. A file that was put back from a backup, unpacked or copied with its time looks
older, and would be taken for the one that was read.
"""

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache

#: How such a param begins; `why` tells it from a setting by that.
PREFIX = "given:"


def contents(files: Iterable[str]) -> str:
    """A short hash of the content of files, in whatever order they are given.

    Names do not count: Snakemake itself sees a file that joins, leaves or is renamed.
    One that cannot be read counts as empty; the rule that reads it will say so.
    """
    total = hashlib.sha256()
    for digest in sorted(map(_content, files)):
        total.update(digest)
    return PREFIX + total.hexdigest()[:12]


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
