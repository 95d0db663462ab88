"""Who holds the lock of a working directory, and whether that run lives."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skillmill.store.shards import host_name

#: The environment variable that holds the token of the run that a process belongs to.
TOKEN = "SKILLMILL_LOCK"

_PROCESSES = Path("/proc")
#: No process was started then.
NEVER = -2

Life = Literal["alive", "orphans", "dead", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock.

    `started` is when the process was started, in the kernel's ticks, so that another
    process that got its number later is told from it; 0 where the system does not say.
    `since` is for people.
    """

    host: str
    pid: int
    started: int
    token: str
    since: str

    def life(self) -> Life:
        """Whether it lives, has left jobs behind, is dead, or cannot be seen."""
        if self.host != host_name():
            return "elsewhere"
        if is_alive(self.pid, self.started):
            return "alive"
        return "orphans" if self.orphans() else "dead"

    def orphans(self) -> list[int]:
        """Processes of this host that the holder's run has started, sorted."""
        wanted = f"{TOKEN}={self.token}".encode()
        found = []
        for folder in _PROCESSES.glob("[0-9]*"):
            # Processes end while we look, and those of others cannot be looked into.
            with suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return sorted(pid for pid in found if pid != os.getpid())


def is_alive(pid: int, started: int) -> bool:
    """Whether a process of this host lives, and is the one that was started then."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    now = start_of(pid)
    return now == started or not (now and started)


def start_of(pid: int) -> int:
    """When a process was started, in ticks since the machine was; 0 if unknown.

    A zombie has ended: it counts as started at -1.
    """
    try:
        stat = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8")
    except OSError:
        return 0
    # The name in brackets may hold blanks and brackets itself.
    fields = stat.rpartition(")")[2].split()
    return -1 if fields[0] in "ZX" else int(fields[19])
