"""A library of listings in one file is read like a folder of skills."""

import gzip
import json

import pytest

from skillmill.data.library import library_files, read_library
from skillmill.errors import InputError

ROWS = [
    {"id": "r2", "name": "sieve", "description": "Sorts gravel."},
    {"id": "r1", "name": "kiln-log", "description": "Keeps a log of firings."},
]


@pytest.fixture(params=["jsonl", "jsonl.gz"])
def file(tmp_path, request):
    path = tmp_path / f"registry.{request.param}"
    text = "\n".join([*map(json.dumps, ROWS), "no row"]).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_a_file_of_listings_is_a_library_by_their_own_ids(file):
    skills, report = read_library(file, ids="name")
    assert [(s.id, s.kind, s.name, s.body) for s in skills] == [
        ("r1", "listing", "kiln-log", ""),
        ("r2", "listing", "sieve", ""),
    ]
    assert (report.found, report.loaded, report.failed) == (3, 2, 1)
    assert report.problems[0].line == 3
    assert library_files(file) == [file]


def test_a_folder_is_read_as_before_and_what_is_neither_is_refused(tmp_path):
    skill = tmp_path / "lib" / "sieve-1" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: sieve\ndescription: Sorts gravel.\n---\nShake it.\n")
    assert library_files(tmp_path / "lib") == [skill]
    assert [s.id for s in read_library(tmp_path / "lib")[0]] == ["sieve-1"]
    assert [s.id for s in read_library(tmp_path / "lib", ids="name")[0]] == ["sieve"]
    with pytest.raises(InputError, match="none"):
        read_library(tmp_path / "none")
