"""Where an artifact is written until it is whole.

Each process has drafts of its own, so that two that make one artifact (a job that
outlived its killed run, and the one that repeats it) never write to one file. What a
killed process left is removed by the next one on its host.
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from skillmill.store import filesystem
from skillmill.store.shards import host_name, is_dead

#: Names a folder on a disk of the machine itself to write rows to.
SCRATCH = "SKILLMILL_SCRATCH"

SUFFIX = ".tmp"


def drafts_of(path: Path) -> tuple[Path, Path]:
    """Where to write an artifact's rows, and its finished pages, in this process.

    The rows go to the folder that the environment variable names, or to the machine's
    folder of temporary files where the artifact lies on a network file system, or
    beside it. The pages go beside it, since only there a rename is atomic.
    """
    own = f"{path.name}.{host_name()}-{os.getpid()}-{secrets.token_hex(4)}"
    rows = _scratch(path.parent) / f"{own}{SUFFIX}"
    return rows, path.with_name(f"{own}.packed{SUFFIX}")


def clear_drafts(path: Path) -> None:
    """Remove drafts of an artifact whose processes are dead."""
    for folder in {path.parent, _scratch(path.parent)}:
        for draft in folder.glob(f"{_escaped(path.name)}.*{SUFFIX}"):
            stem = draft.name.removeprefix(f"{path.name}.").removesuffix(SUFFIX)
            if is_dead(stem.removesuffix(".packed")):
                draft.unlink(missing_ok=True)


def _scratch(folder: Path) -> Path:
    """The folder for rows of an artifact that lies in `folder`."""
    named = os.environ.get(SCRATCH)
    if named:
        place = Path(os.path.expandvars(named)).expanduser()
        place.mkdir(parents=True, exist_ok=True)
        return place
    if filesystem.file_system_of(folder)[1]:
        local = Path(tempfile.gettempdir())
        with suppress(OSError):
            if not filesystem.file_system_of(local)[1]:
                return local
    return folder


def _escaped(name: str) -> str:
    """A file's name for `glob`."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
