"""Task folders of harbor, as SkillsBench publishes them, with other skills inside.

`<task>/task.toml`, `instruction.md`, `environment/` with the Dockerfile and `skills/`,
`tests/`, `solution/`. The Dockerfile copies `skills/` to where the agent looks.
"""

import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillmill.errors import InputError

SETTINGS = "task.toml"
SKILLS = Path("environment", "skills")


@dataclass(frozen=True, slots=True)
class HarborTask:
    """A task folder: its name is the task's id; labels as written, '' if none."""

    id: str
    folder: Path
    instruction: str
    difficulty: str
    category: str


def find_tasks(root: Path) -> list[HarborTask]:
    """The task folders right below a folder, sorted by name.

    Raises
    ------
    InputError
        If there is none, or a task.toml cannot be read.
    """
    folders = sorted(path.parent for path in root.glob(f"*/{SETTINGS}"))
    if not folders:
        raise InputError(
            f"{root}: expected task folders with a {SETTINGS}, found none; name the"
            " folder `tasks` of a copy of SkillsBench",
            record=str(root),
        )
    return [_task(folder) for folder in folders]


def write_task(
    task: HarborTask, skills: Sequence[tuple[str, Path]], target: Path
) -> Path:
    """Copy a task with these skills in place of its own; give the new folder.

    Parameters
    ----------
    task : HarborTask
    skills : sequence of (id, folder)
        The folder of each skill with its SKILL.md; it is copied whole, under the last
        part of its id, or the whole id with hyphens where that part comes twice.
    target : Path
        Folder of tasks that is written; the task's own must not be there yet.

    Raises
    ------
    InputError
        If the task's folder is there, or a link points out of what is copied.
    """
    place = target / task.id
    if place.exists():
        raise InputError(
            f"{place}: is there already; remove it, or name an empty folder",
            record=task.id,
        )
    _refuse_links(task.folder)
    own = task.folder / SKILLS

    def without_skills(folder: str, names: list[str]) -> Iterable[str]:
        return [name for name in names if Path(folder, name) == own]

    shutil.copytree(task.folder, place, ignore=without_skills)
    # Docker's COPY fails on a folder that is not there, so an empty one is left.
    (place / SKILLS).mkdir(parents=True)
    for name, folder in _names(skills).items():
        _refuse_links(folder)
        shutil.copytree(folder, place / SKILLS / name)
    return place


def _task(folder: Path) -> HarborTask:
    try:
        text = (folder / SETTINGS).read_text(encoding="utf-8")
        settings = tomllib.loads(text)
        instruction = (folder / "instruction.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            f"{folder}: expected {SETTINGS} and instruction.md of a harbor task, got"
            f" {error}; copy the task again",
            record=folder.name,
        ) from error
    told = settings.get("metadata")
    labels: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    return HarborTask(
        id=folder.name,
        folder=folder,
        instruction=instruction.strip(),
        difficulty=str(labels.get("difficulty") or ""),
        category=str(labels.get("category") or ""),
    )


def _names(skills: Sequence[tuple[str, Path]]) -> dict[str, Path]:
    """Folder name of each skill: the last part of its id where that is its own."""
    last = [skill.rsplit("/", 1)[-1] for skill, _ in skills]
    return {
        (short if last.count(short) == 1 else skill.replace("/", "-")): folder
        for short, (skill, folder) in zip(last, skills, strict=True)
    }


def _refuse_links(folder: Path) -> None:
    """Refuse links that would copy files from elsewhere on this machine."""
    home = folder.resolve()
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and not path.resolve().is_relative_to(home):
            raise InputError(
                f"{path}: is a link to outside of {folder.name!r}, which is not copied;"
                " replace it by the file",
                record=str(path),
            )
