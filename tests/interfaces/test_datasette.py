"""A library file in datasette: its canned queries, by SQLite and by datasette."""

import json
import re
import shutil
import sqlite3
import subprocess
from urllib.parse import urlencode

import pytest
import yaml

from skillmill.store.schema import ARTIFACTS
from tests.conftest import REPOSITORY
from tests.interfaces.shelf import SHELF, build_library, write_skills

pytestmark = pytest.mark.model

FILE = REPOSITORY / "reports" / "datasette.yaml"
LIBRARY = yaml.safe_load(FILE.read_text())["databases"]["library"]

#: Query -> what it is asked, and the first column of what it must find.
ASKED = {
    "around_a_skill": (
        {"skill": "data/clean"}, ["feeds_into", "requires"],
    ),
    # A vegetable has a table in it.
    "skills_with_a_word": (
        {"letters": "table"}, ["data/charts", "data/clean", "kitchen/soup"],
    ),
    "most_joined": ({}, ["data/charts", "data/clean", "data/maps"]),
    "alone": ({}, ["office/letters"]),
    "what_was_odd": ({}, []),
    "where_it_comes_from": (
        {}, ["code", "kind", "models", "package_version", "params", "schema", "study"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    root = tmp_path_factory.mktemp("datasette")
    return build_library(write_skills(root / "skills"), root / "results")


def test_every_query_is_asked_here_and_every_table_is_there():
    assert LIBRARY["queries"].keys() == ASKED.keys()
    made = " ".join(ARTIFACTS["library"])
    for table in LIBRARY["tables"]:
        assert re.search(rf"create table {table} ", made), table


@pytest.mark.parametrize("name", ASKED)
def test_a_query_finds_what_it_should(library, name):
    given, expected = ASKED[name]
    db = sqlite3.connect(f"file:{library}?mode=ro", uri=True)
    found = db.execute(LIBRARY["queries"][name]["sql"], given).fetchall()
    assert [row[0] for row in found] == expected


def test_a_query_takes_its_words_as_words(library):
    db = sqlite3.connect(f"file:{library}?mode=ro", uri=True)
    words = LIBRARY["queries"]["skills_with_a_word"]["sql"]
    hostile = "' or 1=1; drop table skill; --"
    assert db.execute(words, {"letters": hostile}).fetchall() == []
    assert len(db.execute(words, {"letters": ""}).fetchall()) == len(SHELF)


def test_datasette_itself_answers_the_same(library):
    program = shutil.which("datasette")
    if program is None:
        pytest.skip("datasette is not installed; `pip install datasette` for this test")
    for name, (given, expected) in ASKED.items():
        query = urlencode({**given, "_shape": "array"})
        done = subprocess.run(
            [program, "-i", library, "-m", FILE, "--get",
             f"/library/{name}.json?{query}"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert [next(iter(row.values())) for row in json.loads(done.stdout)] == expected
