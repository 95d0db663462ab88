"""A project of one's own: its first configuration, and skills that join its library."""

import os
import re
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import yaml

from skillmill.config import find_path
from skillmill.data.chatlog import load_chatlog
from skillmill.data.discovery import find_skill_files
from skillmill.data.library import read_library
from skillmill.data.skillfile import read_skill
from skillmill.errors import InputError
from skillmill.interfaces.configured import read_config, workflow_folder
from skillmill.interfaces.converting import convert_file

#: What a new project's configuration is called.
CONFIG_FILE = "skillmill.yaml"
CHAT_FILE = "conversations.jsonl"

_LIBRARY = """\
library:
  path: {path} # folder of SKILL.md files, at any depth
  tasks: null # JSONL of tasks with the skills they need: then rankings are scored
"""
_NO_LIBRARY = """\
library:
  path: null # no skills; name a folder of SKILL.md files to have them, too
"""
_MEMORY = """\
memory:
  path: {path} # a chat log (docs/chatlog.md); questions in it are scored
  format: chatlog
"""
_NO_MEMORY = """\
memory:
  path: null # no conversations; name a chat log to have them, too
"""
_HEAD = """\
# What differs from skillmill's own config.yaml, which explains every other key.
# Build it, here:  skillmill run --configfile {file}
study: {study} # results lie in results/{study}/

"""
_ENCODER = """
encoder:
  backend: onnx # without torch; the vectors are the same to 1e-6
"""


@dataclass(frozen=True, slots=True)
class Started:
    """A new project: its configuration, what was found, and what to do next."""

    config: Path
    found: tuple[str, ...]
    commands: tuple[str, ...]


def start_project(
    folder: Path, skills: Path | None, chats: Path | None, study: str | None
) -> Started:
    """Write a configuration for a folder of skills, a chat log or export, or both.

    Nothing that is there is changed.

    Parameters
    ----------
    folder : Path
        Where the project lies; made if need be.
    skills : Path or None
        Folder of SKILL.md files; it stays where it is.
    chats : Path or None
        A chat log, or an export that becomes `CHAT_FILE` in the project.
    study : str or None
        Name of the study; None: that of the folder of skills or of the chats.

    Raises
    ------
    InputError
        If neither is given, one cannot be used, or the project is there already.
    """
    if skills is None and chats is None:
        raise InputError("name a folder of skills with --skills, or --chats, or both")
    target = folder / CONFIG_FILE
    if target.exists():
        raise InputError(
            f"{target} is there already; edit it, or choose another folder",
            record=str(target),
        )
    found = [] if skills is None else [_skills_found(skills)]
    log = None
    _make(folder)
    if chats is not None:
        log, told = _chat_log(chats, folder)
        found.append(told)
    name = study or _study_name(skills or chats or folder)
    text = _HEAD.format(file=CONFIG_FILE, study=name)
    text += _section(_LIBRARY, _NO_LIBRARY, skills, folder)
    text += _section(_MEMORY, _NO_MEMORY, log, folder) + _ENCODER
    target.write_text(text, encoding="utf-8")
    commands = [f"cd {quote(str(folder))}"] if folder.resolve() != Path.cwd() else []
    commands.append(f"skillmill run --configfile {CONFIG_FILE}")
    if skills is not None:
        commands.append(f'skillmill search "what you want done" --study {name}')
    if log is not None:
        commands.append(f'skillmill recall "a question" --study {name}')
    return Started(target, tuple(found), tuple(commands))


def add_skills(
    sources: Sequence[Path], overlays: Sequence[Path], *, replace: bool = False
) -> list[Path]:
    """Copy skills into the configured library; the folders that they have there.

    All are checked before one is copied, and each appears whole.

    Parameters
    ----------
    sources : sequence of Path
        Folders with a SKILL.md, or such files.
    overlays : sequence of Path
        Configuration laid over config.yaml.
    replace : bool
        Whether a skill of the same folder name may take the place of one there is.

    Raises
    ------
    InputError
        If one is no skill that can be read, is there already, or holds a link that
        leads out of it.
    """
    config = read_config(overlays)
    if config.library.path is None:
        raise InputError("library.path is null in this configuration: no library")
    library = find_path(
        config.library.path,
        "library.path",
        data_root=config.data_root,
        base=workflow_folder(),
    ).resolve()
    if library.is_file():
        raise InputError(
            f"{library}: the library is a file of listings, and a folder of SKILL.md"
            " files is what skills are added to; add rows to the file, or name a folder"
            " as library.path",
            record="library.path",
        )
    folders = [_checked_source(source, library) for source in sources]
    places = [library / folder.name for folder in folders]
    for number, place in enumerate(places):
        if place.name.startswith(".") or place.name in config.library.skip:
            raise InputError(
                f"{folders[number]}: no library reads a folder of that name; rename it",
                record=str(folders[number]),
            )
        if place in places[:number]:
            raise InputError(
                f"{folders[number]}: another folder of that name is to be added; rename"
                " one of them",
                record=str(folders[number]),
            )
        if place.exists() and not replace:
            raise InputError(
                f"{place} is there already; --replace puts the new one in its place",
                record=str(place),
            )
    for folder, place in zip(folders, places, strict=True):
        _copy(folder, place)
    return places


def _skills_found(skills: Path) -> str:
    _, report = read_library(skills)
    told = f"{skills}: {report.found} skills, {report.usable} usable"
    if report.warned or report.failed:
        told += (
            f", {report.warned} of them with warnings, {report.failed} not"
            f" (`skillmill lint {quote(str(skills))}` says why)"
        )
    return told


def _chat_log(chats: Path, folder: Path) -> tuple[Path, str]:
    """The chat log of some chats: themselves, or what an export becomes."""
    try:
        conversations, questions, _ = load_chatlog(chats)
    except InputError:
        output = folder / CHAT_FILE
        _, report = convert_file(chats, output)
        told = f"{report.found} messages, {report.failed} left out"
        return output, f"{chats}: {told}; written as {output}"
    told = f"{len(conversations)} conversations, {len(questions)} questions"
    return chats, f"{chats}: {told}"


def _section(some: str, none: str, path: Path | None, folder: Path) -> str:
    if path is None:
        return none
    full, home = path.resolve(), folder.resolve()
    named = str(full.relative_to(home)) if full.is_relative_to(home) else str(full)
    quoted = yaml.safe_dump(named, allow_unicode=True, width=10**6)
    return some.format(path=quoted.removesuffix("\n...\n").strip())


def _study_name(path: Path) -> str:
    """A name that a study may have, from that of a folder or file."""
    plain = re.sub(r"[^A-Za-z0-9_.+-]+", "-", path.resolve().stem).lstrip("_.+-")
    return plain or "own"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: expected a folder for the project, got {error.strerror};"
            " choose another",
            record=str(folder),
        ) from error


def _checked_source(source: Path, library: Path) -> Path:
    """The folder of a skill that may be copied."""
    if source.is_file() and source.name.lower() != "skill.md":
        raise InputError(
            f"{source}: expected the folder of a skill, or its SKILL.md, got a file",
            record=str(source),
        )
    folder = (source.parent if source.is_file() else source).resolve()
    if folder.is_relative_to(library) or library.is_relative_to(folder):
        raise InputError(
            f"{source} lies in the library, or around it; run `skillmill run` to see"
            " its changes",
            record=str(source),
        )
    own = [file for file in find_skill_files(folder) if file.parent == folder]
    fields, problems = read_skill(own[0], folder) if own else (None, [])
    if fields is None:
        why = f" ({problems[0].message})" if problems else ""
        raise InputError(
            f"{source}: expected a folder with a SKILL.md that can be read{why}",
            record=str(source),
        )
    for path in folder.rglob("*"):
        if path.is_symlink() and (
            path.readlink().is_absolute() or not path.resolve().is_relative_to(folder)
        ):
            raise InputError(
                f"{path}: the link leads out of the skill, or would in its copy; copy"
                " the file in its place",
                record=str(path),
            )
    return folder


def _copy(folder: Path, place: Path) -> None:
    """Put a copy of a folder in place, whole, and what was there away."""
    mark = f".{place.name}.{os.getpid()}-{secrets.token_hex(3)}"
    fresh, old = place.with_name(f"{mark}.new"), place.with_name(f"{mark}.old")
    try:
        shutil.copytree(folder, fresh, symlinks=True)
        if place.exists():
            place.rename(old)
        fresh.rename(place)
    except OSError as error:
        raise InputError(
            f"{place}: expected to copy the skill there, got {error.strerror or error}",
            record=str(place),
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
