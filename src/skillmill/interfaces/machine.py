"""Checks of the machine: Python, SQLite, packages, folders, GPU."""

import importlib.metadata
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from skillmill.interfaces.configured import workflow_folder
from skillmill.interfaces.finding import Finding, Grade
from skillmill.models.hardware import has_bfloat16, has_cuda, instruction_set
from skillmill.models.onnx_export import CACHE_VARIABLE, cache_folder
from skillmill.settings.whole import Config
from skillmill.store.filesystem import file_system_of
from skillmill.store.fitness import LEAST_SQLITE, problem_of, sqlite_version

_LEAST_PYTHON = (3, 11)

#: Free space under which a run is unlikely to end, and under which it is tight.
_LEAST_FREE_GB = 0.2
_TIGHT_FREE_GB = 2.0

_DIRECT = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra == ['"]([^'"]+)""")

#: Extras whose packages a run needs.
RUN_EXTRAS = ("workflow", "gpu", "report")


def check_python() -> Finding:
    """Finding about the interpreter."""
    version = platform.python_version()
    if sys.version_info < _LEAST_PYTHON:
        return Finding(
            "python",
            "stops",
            f"{version}; skillmill needs 3.11: make PYTHON=python3.11",
        )
    return Finding("python", "ok", f"{version} at {sys.executable}")


def check_sqlite() -> Finding:
    """Finding about the SQLite library."""
    version = ".".join(map(str, sqlite_version()))
    if sqlite_version() < LEAST_SQLITE:
        least = ".".join(map(str, LEAST_SQLITE))
        said = (
            f"{version}; STRICT tables need {least}: use a Python with a newer SQLite"
        )
        return Finding("sqlite", "stops", said)
    return Finding("sqlite", "ok", version)


def check_packages() -> list[Finding]:
    """Findings about the packages skillmill needs, against constraints.txt."""
    needed = {_plain(name) for name in _requirements()}
    absent = sorted(name for name in needed if _version(name) is None)
    findings = [
        Finding("packages", "stops", f"{name} is not installed: pip install {name}")
        for name in absent
    ]
    pins = dict(_pins(workflow_folder() / "constraints.txt"))
    others = [
        f"{name} {found} (tested: {pins[name]})"
        for name in sorted(needed & pins.keys())
        if (found := _version(name)) is not None and _public(found) != pins[name]
    ]
    if others:
        said = (
            f"others than tested: {', '.join(others)}; pip install -c constraints.txt"
        )
        findings.append(Finding("packages", "warning", said))
    elif not pins:
        said = "no constraints.txt here to compare versions with"
        findings.append(Finding("packages", "note", said))
    elif not absent:
        said = f"all {len(needed)} in the versions of constraints.txt"
        findings.append(Finding("packages", "ok", said))
    return findings


def check_folders(config: Config) -> list[Finding]:
    """Findings about where results, records and exported models go."""
    findings: list[Finding] = []
    for name, folder in (
        ("results", Path("results")),
        ("records", Path(config.records)),
    ):
        place = _existing(folder)
        findings.append(_check_space(name, folder, place))
        problem = problem_of(place)
        if problem:
            said = f"{folder}: {problem}; choose another folder"
            findings.append(Finding(name, "stops", said))
    if config.encoder.backend.startswith("onnx"):
        place = _existing(cache_folder())
        finding = _check_space("cache", cache_folder(), place)
        said = f"{finding.message} ({CACHE_VARIABLE} names another)"
        findings.append(Finding("cache", finding.grade, said))
    return findings


def check_processor(config: Config) -> list[Finding]:
    """Findings about CPU and GPU."""
    half = "with" if has_bfloat16() else "without"
    cpu = f"{platform.machine()}, {instruction_set()}, {half} bfloat16"
    gpu = "a CUDA GPU that torch can use" if has_cuda() else "none that torch can use"
    used = config.encoder.device
    return [
        Finding("cpu", "ok", cpu),
        Finding("gpu", "note", f"{gpu}; device is {used}"),
    ]


def _check_space(name: str, folder: Path, place: Path) -> Finding:
    """Free space and file system of a folder that may not exist yet."""
    free = shutil.disk_usage(place).free / 1e9
    kind, network = file_system_of(place)
    where = f"{folder.absolute()}: {free:.1f} GB free, {kind}"
    if free < _LEAST_FREE_GB:
        return Finding(name, "stops", f"{where}; free some space")
    grade: Grade = "warning" if free < _TIGHT_FREE_GB else "ok"
    if network and name == "records":
        where += ", over a network: it must have locks, and is slower than a local disk"
        grade = "warning" if grade == "warning" else "note"
    return Finding(name, grade, where if network else f"{where} (local)")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that exists."""
    return next(
        p for p in (folder.absolute(), *folder.absolute().parents) if p.is_dir()
    )


def _requirements() -> Iterator[str]:
    """Names of the packages that a run needs: skillmill's own, and of `RUN_EXTRAS`."""
    for line in importlib.metadata.requires("skillmill") or ():
        extra = _EXTRA.search(line)
        if extra is not None and extra[1] not in RUN_EXTRAS:
            continue
        if (match := _DIRECT.match(line)) and match[0] != "skillmill":
            yield match[0]


def _pins(file: Path) -> Iterator[tuple[str, str]]:
    """Names and versions of a file of `name==version` lines; none if it is missing."""
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            name, pinned, version = line.partition("==")
            if pinned and not line.startswith("#"):
                yield _plain(name), version.strip()


def _version(name: str) -> str | None:
    """Version of an installed package, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _plain(name: str) -> str:
    """Name of a package as the index compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _public(version: str) -> str:
    """Version without what a build adds to it (`2.13.0+cpu`)."""
    return version.partition("+")[0]
