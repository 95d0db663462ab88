"""The tables, and the page that documents them."""

import re
import sqlite3

import pytest

from skillmill.store.schema import (
    ARTIFACTS,
    RECORD_VERSION,
    RECORDS,
    create_artifact,
    create_records,
)
from tests.conftest import REPOSITORY

KINDS = {**ARTIFACTS, **RECORDS}
STATEMENTS = sorted({statement for kind in KINDS.values() for statement in kind})
TABLES = [statement for statement in STATEMENTS if "create table" in statement]


def columns_in(statement):
    """(column, type, whether null may be stored) of the table a statement makes."""
    db = sqlite3.connect(":memory:")
    db.execute(statement)
    name = name_of(statement)
    return name, [
        (column, kind.lower() + (", key" if key else ""), not (required or key))
        for _, column, kind, required, _, key in db.execute(
            f"pragma table_info({name})"
        )
    ]


def name_of(statement):
    return re.search(r"create table (\w+)", statement)[1]


def documented_kinds(page):
    rows = re.findall(r"^\| `([\w-]+)` \| ((?:`\w+`(?:, )?)+) \|$", page, re.M)
    return {kind: re.findall(r"`(\w+)`", tables) for kind, tables in rows}


def documented_columns(page):
    found = {}
    for section in re.split(r"^### ", page, flags=re.M)[1:]:
        rows = re.findall(
            r"^\| `(\w+)` \| ([\w, ]+) \| (yes|no) \| .+ \|$", section, re.M
        )
        found[re.match(r"`(\w+)`", section)[1]] = [
            (column, kind, null == "yes") for column, kind, null in rows
        ]
    return found


def test_the_page_and_the_code_know_the_same_kinds_and_their_tables():
    page = (REPOSITORY / "docs" / "stores.md").read_text(encoding="utf-8")
    made = {
        kind: [name_of(s) for s in statements if "create table" in s]
        for kind, statements in KINDS.items()
    }
    assert documented_kinds(page) == made


def test_the_page_and_the_code_know_the_same_columns_of_each_table():
    page = (REPOSITORY / "docs" / "stores.md").read_text(encoding="utf-8")
    assert documented_columns(page) == dict(map(columns_in, TABLES))


def test_a_column_that_the_page_leaves_out_or_adds_is_noticed():
    page = (REPOSITORY / "docs" / "stores.md").read_text(encoding="utf-8")
    without = re.sub(r"^\| `caption` .*\n", "", page, flags=re.M)
    added = page.replace("| `caption` |", "| `mood` | text | no | new |\n| `caption` |")
    made = dict(map(columns_in, TABLES))
    assert documented_columns(without) != made
    assert documented_columns(added) != made
    assert documented_kinds(page.replace("`turn`, ", "")) != documented_kinds(page)


@pytest.mark.parametrize("statement", TABLES, ids=name_of)
def test_every_column_says_what_it_means(statement):
    _, columns = columns_in(statement)
    for column, _, _ in columns:
        assert re.search(rf"^    {column} .*-- \S.*$", statement, re.M), column


@pytest.mark.parametrize("statement", TABLES, ids=name_of)
def test_every_table_is_strict_and_keyed_unless_its_key_may_be_null(statement):
    assert ") strict" in statement
    # Replies are long rows, which a table with rowids holds better.
    rowid = ("score", "query_score", "job", "cost_of_job", "reply")
    numbered = name_of(statement) in rowid
    assert ("without rowid" in statement) != numbered


@pytest.mark.parametrize("kind", ARTIFACTS)
def test_every_artifact_says_where_it_comes_from_and_what_became_of_its_items(kind):
    db = sqlite3.connect(":memory:")
    create_artifact(db, kind)
    names = {name for (name,) in db.execute("select name from sqlite_master")}
    assert names >= {"provenance", "provenance_input", "outcome"}


def test_a_memory_holds_all_tables_of_what_it_is_made_of():
    parts = ("atoms", "entities", "vectors", "edges", "typed-relations")
    assert set(ARTIFACTS["memory"]) == {s for part in parts for s in ARTIFACTS[part]}


def test_records_note_their_version_in_the_file_header():
    db = sqlite3.connect(":memory:")
    create_records(db, "tag-records")
    assert db.execute("pragma user_version").fetchone() == (RECORD_VERSION,)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"unknown kind of store 'skils'; known: \["):
        create_artifact(sqlite3.connect(":memory:"), "skils")
