"""The walk through a skill library: which SKILL.md files there are."""

import contextlib
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from skillmill.data.jsontext import shown_path
from skillmill.data.loadreport import Remark
from skillmill.data.plaintext import tidy
from skillmill.errors import InputError
from skillmill.types import Problem

#: Folders that hold other people's files; hidden ones are skipped anyway.
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
#: Folders below the root that are looked into; deeper ones are reported, not read.
DEPTH = 32
_SKILL_FILE = "SKILL.md"
_PACKED = ".skill"
_UNPACK = "a packed skill is not read; unpack it (a zip file) into a folder"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A skill file that was found.

    `id` is its folder below the root, `file` the file itself, both with `/`
    between parts and clean for storing; `folder` are the folder's names as the
    system has them. `remarks` that failed say why `path` must not be read.
    """

    id: str
    file: str
    path: Path
    folder: tuple[str, ...]
    remarks: tuple[Remark, ...] = ()


def find_skill_files(
    root: Path, skip: Collection[str] = SKIPPED_FOLDERS, depth: int = DEPTH
) -> list[Path]:
    """List the skill files below a root, one per folder, ordered by id.

    Raises
    ------
    InputError
        See `walk_library`.
    """
    return [found.path for found in walk_library(root, skip, depth)[0]]


def walk_library(
    root: Path, skip: Collection[str] = SKIPPED_FOLDERS, depth: int = DEPTH
) -> tuple[list[SkillFile], list[Problem]]:
    """Find the skill files below a root, whatever the letter case of their names.

    Of several in one folder the one spelled `SKILL.md` wins, else the first by
    name; the others are remarked on. A link to a folder below the root is followed
    once for each target; a link that leaves the root or closes a loop is not.

    Parameters
    ----------
    root : Path
        The library's folder; it may be a skill itself.
    skip : collection of str
        Names of folders to leave out, beside the hidden ones.
    depth : int
        Folders below the root that are looked into, one inside the other. A folder
        that lies deeper is named in the problems.

    Returns
    -------
    files : list of SkillFile
        Ordered by id; the order does not depend on the file system.
    problems : list of Problem
        About folders and links, not about one of the files.

    Raises
    ------
    InputError
        If the root is missing, no folder or unreadable, or holds no skill file.
    """
    name = shown_path(root)
    if not os.path.isdir(root):
        found = "no folder" if os.path.exists(root) else "nothing"
        raise InputError(
            f"{name}: expected the folder of a skill library, found {found} there;"
            " check the path",
            record=name,
        )
    walk = _Walk(root.resolve(), skip, depth)
    walk.run()
    if not walk.files:
        lost = "".join(f"; {x.file}: {x.message}" for x in walk.problems[:1])
        raise InputError(
            f"{name}: no SKILL.md was found under it; expected one in each skill's"
            f" folder, hidden folders left out{lost}",
            record=name,
        )
    return _distinct(walk.files), walk.problems


def system_path(root: Path, file: str) -> Path:
    """Where a file lies that is named as it is stored, below a root.

    Stored names are clean: a folder whose name is not Unicode, or in another Unicode
    form, or holds a carriage return, has another name on disk. Of several that read the
    same the first by bytes; the name as given if there is none.
    """
    path = root
    for part in file.split("/"):
        plain = path / part
        if not os.path.lexists(plain):
            with contextlib.suppress(OSError):  # then the name as given is missing, too
                alike = (x for x in os.listdir(path) if _clean(x) == part)
                plain = path / min(alike, key=os.fsencode, default=part)
        path = plain
    return path


def _clean(name: str) -> str:
    raw = os.fsencode(name).decode("utf-8", "surrogateescape")
    return tidy(raw)[0]


def _distinct(files: list[SkillFile]) -> list[SkillFile]:
    """Give a second folder of the same id (Unicode forms, a root's name) a suffix."""
    taken: set[str] = set()
    kept = []
    for found in sorted(files, key=lambda x: (len(x.folder), os.fsencode(x.path))):
        number, unique = 2, found
        while unique.id in taken:
            message = f"another folder has the id `{found.id}`; rename one of them"
            unique = replace(
                found,
                id=f"{found.id}~{number}",
                remarks=(*found.remarks, Remark(None, "id-collision", message)),
            )
            number += 1
        taken.add(unique.id)
        kept.append(unique)
    return sorted(kept, key=lambda x: x.id)


@dataclass(frozen=True, slots=True)
class _Link:
    """A link to a folder; `trail` are the real folders that it was reached through."""

    path: Path
    folder: tuple[str, ...]
    trail: tuple[Path, ...]


class _Walk:
    """One walk: real folders first, then the links met on the way, in order."""

    def __init__(self, root: Path, skip: Collection[str], depth: int) -> None:
        self._root = root
        self._skip = skip
        self._depth = depth
        self._links: list[_Link] = []
        self._followed: set[Path] = set()
        self.files: list[SkillFile] = []
        self.problems: list[Problem] = []

    def run(self) -> None:
        self._tree(self._root, (), ())
        self._links.sort(key=lambda link: os.fsencode(link.path))
        # nested links are appended while the list is read
        for link in self._links:
            self._follow(link)

    def _tree(
        self, top: Path, folder: tuple[str, ...], trail: tuple[Path, ...]
    ) -> None:
        waiting = [(top, folder)]
        while waiting:
            path, names = waiting.pop()
            candidates = []
            for entry in self._entries(path, names):
                if entry.name.lower() == _SKILL_FILE.lower():
                    candidates.append(entry.name)
                elif self._is_left_out(entry, names):
                    continue
                elif entry.is_symlink():
                    self._meet(_Link(Path(entry.path), (*names, entry.name), trail))
                elif entry.is_dir():
                    waiting.append((Path(entry.path), (*names, entry.name)))
                elif entry.name.lower().endswith(_PACKED):
                    self._note((*names, entry.name), "packed-skill", _UNPACK)
            if candidates:
                self.files.append(self._choose(path, names, candidates))

    def _entries(
        self, path: Path, names: tuple[str, ...]
    ) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(path) as entries:
                yield from sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            message = f"the folder cannot be read: {error.strerror}; skipped"
            self._note(names, "unreadable-folder", message)

    def _is_left_out(self, entry: os.DirEntry[str], above: tuple[str, ...]) -> bool:
        """Whether an entry is hidden, to be skipped, or a folder too deep to read."""
        if entry.name.startswith(".") or entry.name in self._skip:
            return True
        is_deep = len(above) >= self._depth and entry.is_dir()
        if is_deep:
            message = (
                f"the folder lies more than {self._depth} below the library; not read."
                " Move it up, or raise library.depth"
            )
            self._note((*above, entry.name), "too-deep", message)
        return is_deep

    def _note(self, names: tuple[str, ...], code: str, message: str) -> None:
        file = "/".join(map(_clean, names)) or "."
        self.problems.append(Problem(file, None, None, "warning", code, message))

    def _meet(self, link: _Link) -> None:
        """Keep a link for later if it leads to a folder."""
        try:
            target = link.path.resolve(strict=True)
        except FileNotFoundError:
            if not link.path.suffix:
                self._note(link.folder, "broken-link", "the link leads nowhere")
        except (OSError, RuntimeError):
            self._note(link.folder, "link-loop", "the link leads to itself")
        else:
            if target.is_dir():
                self._links.append(link)

    def _follow(self, link: _Link) -> None:
        target = link.path.resolve()
        trail = (*link.trail, link.path.parent.resolve())
        if not target.is_relative_to(self._root):
            message = "the link leaves the library; not followed. Copy the folder"
            self._note(link.folder, "link-leaves-root", message)
        elif any(place.is_relative_to(target) for place in trail):
            message = "the link leads to a folder around it; not followed"
            self._note(link.folder, "link-loop", message)
        elif target in self._followed:
            message = "another link leads to the same folder; followed once"
            self._note(link.folder, "link-repeated", message)
        else:
            self._followed.add(target)
            self._tree(link.path, link.folder, trail)

    def _choose(
        self, path: Path, names: tuple[str, ...], candidates: list[str]
    ) -> SkillFile:
        """The skill file of a folder; a real file goes before anything else."""
        faults = {name: self._fault(path / name) for name in candidates}
        order = sorted(
            candidates,
            key=lambda name: (faults[name] is not None, name != _SKILL_FILE, name),
        )
        chosen, others = order[0], order[1:]
        folder = "/".join(map(_clean, names))
        message = f"`{chosen}` is read; another in the folder is not. Remove one"
        remarks = [Remark(None, "second-skill-file", f"{x}: {message}") for x in others]
        fault = faults[chosen]
        if fault:
            remarks.append(Remark(None, "unreadable-file", fault, "failed"))
        if any("\ufffd" in _clean(name) for name in names):
            text = "the folder's name is not Unicode; U+FFFD stands for what is not"
            remarks.append(Remark(None, "undecodable-name", text))
        return SkillFile(
            id=folder or _clean(self._root.name) or "root",
            file=f"{folder}/{chosen}" if folder else chosen,
            path=path / chosen,
            folder=names,
            remarks=tuple(remarks),
        )

    def _fault(self, path: Path) -> str | None:
        """Say why a skill file must not be read, None if it may."""
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return "the link leads nowhere or to itself"
        if not target.is_relative_to(self._root):
            return "the link leaves the library; not followed. Copy the file"
        if target.is_file():
            return None
        return "expected a file, found a folder or a device"
