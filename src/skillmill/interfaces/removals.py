"""A build that would drop most of a library asks first.

A folder that is not mounted, or half copied, looks like one whose skills were deleted.
"""

import os
from pathlib import Path

from skillmill.errors import InputError, StoreError
from skillmill.store import artifact, catalogue

#: Set to anything, it lets a build drop as much as it likes.
ALLOWED = "SKILLMILL_ALLOW_REMOVALS"


def check_removals(built: Path, found: int, most: float) -> None:
    """Refuse to build with far fewer skill files than a study was built with.

    Moves and renames count as nothing: only the number of files is compared.

    Parameters
    ----------
    built : Path
        The study's catalogue; where there is none, or one that an earlier version
        wrote, nothing is refused.
    found : int
        Skill files that the library holds now.
    most : float
        Share of the built ones that may be gone, in [0, 1]. The environment variable
        `ALLOWED` lifts it for a run.

    Raises
    ------
    InputError
        With both numbers and the way out.
    """
    try:
        with artifact.reading(built, "catalogue") as db:
            before = catalogue.count_files(db)
    except StoreError:
        return
    gone = before - found
    if gone > most * before and not os.environ.get(ALLOWED):
        raise InputError(
            f"{built} was built from {before} skill files and the library holds"
            f" {found}: {gone} are gone, more than library.removals = {most:g} allows;"
            f" bring them back, or build without them: `skillmill run --allow-removals`"
            f" (or set {ALLOWED}=1)",
            record=str(built),
        )
