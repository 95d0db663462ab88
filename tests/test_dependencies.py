"""docs/dependencies.md lists what pyproject.toml asks for, with its licences."""

import importlib.metadata
import re
import tomllib

import pytest

from skillmill.models.weights import BUNDLED_SHA256, TAGGER_SHA256
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "dependencies.md").read_text(encoding="utf-8")

#: Licence in the page -> what metadata may call it.
CALLED = {
    "BSD-3-Clause": "bsd|enthought",
    "MIT": "mit",
    "Apache-2.0": "apache",
    "MPL-2.0": "mpl",
    "PSF-2.0": "python software foundation|matplotlib",
    "MIT AND BSD-3-Clause": "mit.*bsd",
    "GPL-3.0": "gnu general public",
}


def asked_for(group=None):
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = (
        project["dependencies"] if group is None
        else [line for lines in extras.values() for line in lines]
    )  # fmt: skip
    names = [re.match(r"[A-Za-z0-9._-]+", line)[0] for line in lines]
    # An extra may hold others: `skillmill[gpu]`.
    return [name for name in names if name != project["name"]]


def rows(heading):
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


LISTED = rows("To run") + rows("To run the workflow, test and lint")


def test_the_page_lists_each_package_once_in_the_order_of_pyproject():
    assert [row[0].strip("`") for row in rows("To run")] == asked_for()
    others = [row[0].strip("`") for row in LISTED[len(asked_for()) :]]
    assert others == asked_for("extras")


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row[0].strip("`"))
def test_each_row_says_why_under_which_licence_and_what_else_was_weighed(row):
    name, why, licence, weighed = row
    assert why
    assert weighed
    try:
        found = importlib.metadata.metadata(name.strip("`"))
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("an extra that is not installed here")
    told = [found.get("License-Expression") or "", (found.get("License") or "")[:200]]
    told += found.get_all("Classifier", [])
    if not any(told):  # nothing but the licence itself
        files = importlib.metadata.files(name.strip("`")) or []
        told = [f.read_text()[:200] for f in files if f.name == "LICENSE"]
    if not any("licen" in each.lower() or each in told[:2] for each in told if each):
        own = importlib.metadata.files(name.strip("`")) or []
        told += [f.read_text() for f in own if f.name.upper().startswith("LICENSE")]
    assert re.search(CALLED[licence], " ".join(told).lower(), re.DOTALL)


def test_the_hashes_of_the_page_are_those_that_are_checked():
    assert BUNDLED_SHA256 in PAGE
    for (name, version), sha256 in TAGGER_SHA256.items():
        assert f"`{name}` {version} | {sha256}" in PAGE


def test_every_direct_dependency_is_pinned_in_the_lock():
    lock = (REPOSITORY / "constraints.txt").read_text().lower().replace("_", "-")
    pinned = {line.partition("==")[0] for line in lock.splitlines()}
    needed = {name.lower().replace("_", "-") for name in asked_for()}
    assert needed - pinned == set()
