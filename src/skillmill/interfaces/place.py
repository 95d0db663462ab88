"""Whether a run can work where it is to work: told before anything begins.

Snakemake and its solver end in a traceback there, which names no folder.
"""

import os
import shutil
import tempfile
from pathlib import Path

from skillmill.errors import BusyError

#: Bytes without which not even notes and small tables find room.
_LEAST_ROOM = 10 * 2**20


def require_place(folder: Path) -> None:
    """Refuse a working directory that cannot be written, and full disks.

    A dry run writes notes, too.

    Raises
    ------
    BusyError
        Naming the place and the way out.
    """
    _require_notes(folder)
    temporary = Path(os.environ.get("TMPDIR") or tempfile.gettempdir())
    for place, way in (
        (folder, "free some, or work on another disk"),
        (temporary, "free some, or name another folder in TMPDIR"),
    ):
        if not place.is_dir():
            continue
        free = shutil.disk_usage(place).free
        if free < _LEAST_ROOM:
            raise BusyError(
                f"{place}: expected at least {_LEAST_ROOM / 2**20:.0f} MB that are free"
                f" on its disk, found {free / 2**20:.1f}; {way}",
                record=str(place),
            )


def _require_notes(folder: Path) -> None:
    """Refuse a folder where Snakemake could not keep its notes."""
    places = [folder / ".snakemake" / name for name in ("", "iocache", "log")]
    there = [place for place in places if place.is_dir()] or [folder]
    for place in there:
        if place.is_dir() and not os.access(place, os.W_OK | os.X_OK):
            raise BusyError(
                f"{place}: expected a folder that can be written, where Snakemake keeps"
                " its notes, of a dry run, too; copy the project, or have its owner"
                " give your group the right to write",
                record=str(place),
            )
