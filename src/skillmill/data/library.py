"""A library in either form: a folder of SKILL.md files, or one file of listings."""

from collections.abc import Collection
from pathlib import Path

from skillmill.data.discovery import DEPTH, SKIPPED_FOLDERS, find_skill_files
from skillmill.data.registry import load_registry
from skillmill.data.skillfile import Ids, load_library
from skillmill.types import LibrarySkill, LoadReport


def library_files(
    root: Path, skip: Collection[str] = SKIPPED_FOLDERS, depth: int = DEPTH
) -> list[Path]:
    """The files that a library is read from, ordered by id.

    Raises
    ------
    InputError
        See `discovery.walk_library`.
    """
    return [root] if root.is_file() else find_skill_files(root, skip, depth)


def read_library(
    root: Path,
    skip: Collection[str] = SKIPPED_FOLDERS,
    depth: int = DEPTH,
    ids: Ids = "folder",
) -> tuple[list[LibrarySkill], LoadReport]:
    """Load the skills of a folder, or the listings of a registry file, ordered by id.

    Parameters
    ----------
    root : Path
        The folder (see `skillfile.load_library`), or a file (see
        `registry.load_registry`): its skills have no body, and their own ids.
    skip, depth, ids
        Of a folder.

    Raises
    ------
    InputError
        If there is nothing that can be read.
    """
    if root.is_file():
        listings, report = load_registry(root)
        return [listing.skill for listing in listings], report
    return load_library(root, skip, depth, ids)
