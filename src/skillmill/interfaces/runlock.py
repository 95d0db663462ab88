"""One run at a time in a working directory, and no lock that a dead run leaves behind.

The lock is a file that says who runs: host, process, when that process was started and
a token. The token is in the environment of everything that the run starts, so that jobs
which outlive a killed run are seen, too. A lock whose processes are all dead is taken
over without a word; one of a living process is never broken. Of a process on another
host nothing is known, so it counts as alive until `skillmill unlock --force`.
"""

import atexit
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from skillmill.errors import BusyError
from skillmill.interfaces.lockholder import NEVER, TOKEN, Holder, Life, start_of
from skillmill.store.shards import host_name

#: Where the lock lies, and Snakemake's own ones, below the working directory.
LOCK = Path(".skillmill-run.lock")
SNAKEMAKE_LOCKS = Path(".snakemake", "locks")

_WAIT_SECONDS = 0.5


@contextmanager
def only_run(folder: Path) -> Iterator[str]:
    """Hold the lock of a working directory; its token, for the processes to start.

    A dead run's lock is taken over. Jobs that a killed run has left behind are waited
    for: what they are about to record would be paid for twice.

    Raises
    ------
    BusyError
        If another run holds the lock.
    """
    token = take(folder)
    try:
        yield token
    finally:
        release(folder, token)


def take(folder: Path) -> str:
    """Take the lock for this process; see `only_run`.

    Raises
    ------
    BusyError
        If another run holds it, or it cannot be written.
    """
    mine = Holder(
        host=host_name(),
        pid=os.getpid(),
        started=start_of(os.getpid()),
        token=secrets.token_hex(8),
        since=time.strftime("%Y-%m-%d %H:%M:%S"),
    )
    told = False
    while not _create(folder / LOCK, mine):
        holder = holder_of(folder)
        if holder is None:
            continue
        life = holder.life()
        if life == "orphans":
            if not told:
                _tell_orphans(holder)
            told = True
            time.sleep(_WAIT_SECONDS)
        elif life == "dead":
            _remove(folder / LOCK, holder)
        else:
            raise BusyError(busy_message(folder, holder, life), record=str(folder))
    return mine.token


def claim(folder: Path) -> None:
    """Take the lock until this process ends, unless the run it belongs to holds it.

    Raises
    ------
    BusyError
        As `take`.
    """
    holder = holder_of(folder)
    if holder is not None and holder.token == os.environ.get(TOKEN):
        return
    token = take(folder)
    os.environ[TOKEN] = token
    atexit.register(release, folder, token)


def release(folder: Path, token: str) -> None:
    """Give the lock back, if it is still held by this process.

    Where Snakemake alone was killed its jobs go on: then the lock stays, as that of a
    dead run, and the next run waits for them.
    """
    holder = holder_of(folder)
    if holder is None or (holder.token, holder.pid) != (token, os.getpid()):
        return
    if left := holder.orphans():
        _leave(folder / LOCK, holder)
        jobs = " ".join(map(str, left))
        sys.stderr.write(
            "the run has ended and some of its jobs have not; the next run waits for"
            f" them (`kill {jobs}` ends them; what they have recorded is kept)\n"
        )
    else:
        (folder / LOCK).unlink(missing_ok=True)


def holder_of(folder: Path) -> Holder | None:
    """Who holds the lock of a working directory; None if nobody does."""
    try:
        found = json.loads((folder / LOCK).read_text(encoding="utf-8"))
        return Holder(**found)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        # Cut short by a full disk or a power cut: nobody can be found alive by it.
        return Holder(host=host_name(), pid=0, started=0, token="", since="unknown")


def unlock(folder: Path, *, force: bool = False) -> str:
    """Drop the locks of a dead run, Snakemake's own among them; what was done.

    Parameters
    ----------
    folder : Path
        The working directory.
    force : bool
        Also drop the lock of a run on another host. Never that of a living process.

    Raises
    ------
    BusyError
        If the lock's holder lives, or may live.
    """
    holder = holder_of(folder)
    if holder is not None:
        life = holder.life()
        if life in ("alive", "orphans") or (life == "elsewhere" and not force):
            raise BusyError(busy_message(folder, holder, life), record=str(folder))
        _remove(folder / LOCK, holder)
    left = folder / SNAKEMAKE_LOCKS
    had = left.is_dir() and any(left.iterdir())
    shutil.rmtree(left, ignore_errors=True)
    if holder is None and not had:
        return f"{folder}: was not locked"
    who = f" of process {holder.pid} on {_plain(holder.host)}" if holder else ""
    return f"{folder}: unlocked; the lock{who} was a dead run's"


def busy_message(folder: Path, holder: Holder, life: Life) -> str:
    """One sentence about who is in the way, and the way out."""
    host, pid = _plain(holder.host), holder.pid
    said = f"{folder}: expected to be the only run here, found that of process {pid}"
    said += f" on {host}, since {holder.since}"
    if life == "elsewhere":
        return (
            f"{said}; wait for it, or when that process has ended:"
            " `skillmill unlock --force`"
        )
    if life == "orphans":
        jobs = " ".join(map(str, holder.orphans()))
        return f"{said}, which is dead but its jobs are not; wait, or `kill {jobs}`"
    return f"{said}; wait for it, end it with `kill {pid}`, or work in another folder"


def _tell_orphans(holder: Holder) -> None:
    jobs = " ".join(map(str, holder.orphans()))
    sys.stderr.write(
        f"waiting for jobs that the killed run of process {holder.pid} has left behind"
        f" (`kill {jobs}` ends them; what they have recorded is kept)\n"
    )


def _leave(path: Path, holder: Holder) -> None:
    """Make a lock one of a dead holder, whatever becomes of this process."""
    draft = path.with_name(f"{path.name}.{holder.token}.tmp")
    dead = replace(holder, started=NEVER)
    draft.write_text(json.dumps(asdict(dead)), encoding="utf-8")
    draft.replace(path)


def _create(path: Path, holder: Holder) -> bool:
    """Make the lock file, whole from the moment that it is there; False if it is."""
    draft = path.with_name(f"{path.name}.{holder.token}.tmp")
    try:
        draft.write_text(json.dumps(asdict(holder)), encoding="utf-8")
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            return _create_plainly(path, holder)
        return True
    except OSError as error:
        raise BusyError(
            f"{path}: expected to lock the working directory, got {error.strerror};"
            " run in a folder that can be written",
            record=str(path),
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _create_plainly(path: Path, holder: Holder) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(asdict(holder)))
    except FileExistsError:
        return False
    return True


def _remove(path: Path, holder: Holder) -> None:
    """Remove a dead holder's lock, and no other that took its place meanwhile."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    moved = json.loads(aside.read_text(encoding="utf-8") or "{}") if holder.pid else {}
    if moved.get("token", holder.token) != holder.token:
        with suppress(FileExistsError):
            os.link(aside, path)
    aside.unlink()


def _plain(host: str) -> str:
    """A host's name without the space its processes are counted in."""
    return host.rpartition(".")[0] or host
