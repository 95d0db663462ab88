"""The texts of a skill: its SKILL.md as indexed, and files of its own folder.

Only what lies in the folder of a skill of the catalogue is ever opened: no name leads
out of it, by dots, by an absolute path or by a link.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skillmill.data.discovery import system_path
from skillmill.errors import InputError, StoreError
from skillmill.interfaces.portable import places_of
from skillmill.report.visible import visible_text
from skillmill.store import artifact, catalogue
from skillmill.types import LibrarySkill

#: Bytes of a file beside a SKILL.md; more would fill an agent's context.
LARGEST = 1_000_000
#: Names of files that are told at most.
TOLD = 200


@dataclass(frozen=True, slots=True)
class SkillText:
    """A text of a skill, safe to show: hidden and steering characters are spelled out.

    `files` are the other files of its folder that can be read, as `file` names them;
    empty where the folder is not on this machine.
    """

    skill: LibrarySkill
    file: str
    text: str
    files: tuple[str, ...]


def library_root(store: Path) -> Path | None:
    """Folder that a library was built from; None if it is not on this machine.

    Taken from the catalogue beside the library's file, which notes its inputs.
    """
    beside = store.parent / "catalogue.sqlite"
    if not beside.is_file():
        return None
    try:
        with artifact.reading(beside, "catalogue") as db:
            files = artifact.load_provenance(db).inputs.get("skills", ())
            known = {f"/{skill.path}" for skill in catalogue.load_skills(db)}
    except StoreError:
        return None
    for file in places_of(files):
        for path in _endings(file):
            if path in known and Path(file.removesuffix(path)).is_dir():
                return Path(file.removesuffix(path)).resolve()
    return None


def read_skill(
    skill: LibrarySkill, root: Path | None, file: str | None = None
) -> SkillText:
    """A skill's SKILL.md, or another file of its folder.

    Parameters
    ----------
    skill : LibrarySkill
    root : Path or None
        Folder of the library; None: only what was indexed can be read.
    file : str, optional
        A file below the skill's folder, with `/` between its parts. None: SKILL.md as
        it was indexed, which may be older than the one on disk.

    Raises
    ------
    InputError
        If there is no such file, it leads out of the skill's folder, or it is no text
        of at most `LARGEST` bytes.
    """
    folder = _folder(skill, root)
    own = PurePosixPath(skill.path).name if skill.kind == "skill" else ""
    files = tuple(_files(folder, own)) if folder else ()
    if file is None or file == own:
        head = f"---\nname: {skill.name}\ndescription: {skill.description}\n---\n"
        return SkillText(skill, own, visible_text(head + skill.body), files)
    if folder is None:
        raise InputError(
            f"{skill.id}: the folder of this library is not on this machine, so that"
            " only SKILL.md can be read; leave `file` out",
            record=skill.id,
        )
    return SkillText(skill, file, visible_text(_text(folder, file, skill)), files)


def _folder(skill: LibrarySkill, root: Path | None) -> Path | None:
    """A skill's folder, if it is there and below the root."""
    if root is None or skill.kind != "skill":
        return None
    folder = system_path(root, skill.path).parent.resolve()
    return folder if folder.is_dir() and folder.is_relative_to(root) else None


def _text(folder: Path, file: str, skill: LibrarySkill) -> str:
    """The text of a file below a folder, whoever asks for it."""
    if not _is_plain(file):
        raise _refused(skill, file, "expected a name below the skill's folder")
    path = folder / file
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(folder):
            raise _refused(skill, file, "it leads out of the skill's folder")
        if not real.is_file():
            raise _refused(skill, file, "it is no file")
        with real.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except (OSError, ValueError, RuntimeError) as error:
        raise _refused(skill, file, "there is no such file") from error
    if len(content) > LARGEST:
        raise _refused(skill, file, f"it is larger than {LARGEST:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(skill, file, "it is no UTF-8 text") from error
    if "\0" in text:
        raise _refused(skill, file, "it is no text")
    return text.replace("\r\n", "\n")


def _is_plain(file: str) -> bool:
    """Whether a name has only plain parts: none hidden, empty or of dots."""
    parts = file.split("/")
    return not any(
        not part or part.startswith(".") or "\\" in part or "\0" in part
        for part in parts
    )


def _files(folder: Path, own: str) -> Iterator[str]:
    """Names of the files below a folder that `_text` would open, sorted."""
    found = []
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if path.is_file() and path.resolve().is_relative_to(folder):
                found.append(path.relative_to(folder).as_posix())
        if len(found) > TOLD:
            break
    plain = (name for name in sorted(found) if name != own and _is_plain(name))
    yield from list(plain)[:TOLD]


def _endings(file: str) -> Iterator[str]:
    """The parts of a path from each `/` on, shortest first."""
    place = len(file)
    while (place := file.rfind("/", 0, place)) >= 0:
        yield file[place:]


def _refused(skill: LibrarySkill, file: str, why: str) -> InputError:
    shown = visible_text(file[:200])
    return InputError(
        f"{skill.id}: {shown!r} cannot be read: {why}; use a name that `files` lists",
        record=skill.id,
    )
