"""docs/edges.md says what the code does."""

import re

from skillmill.evaluate.audit import VERDICTS
from skillmill.library.shortlist import _TRUST
from skillmill.library.vocabulary import ACYCLIC, PRIORITY, RANK
from skillmill.store.graph import TABLES
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "edges.md").read_text(encoding="utf-8")


def rows(header):
    """First cells, by the text of the row, of the table with this header."""
    table = PAGE.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return {m[1]: m[0] for m in re.finditer(r"^\| `([\w_]+)`.*$", table, re.M)}


def test_the_page_has_every_relation_with_its_priority():
    found = rows("relation")
    assert {name: int(row.split("|")[2]) for name, row in found.items()} == {**PRIORITY}
    assert {name for name, row in found.items() if "acyclic" in row} == {*ACYCLIC}


def test_the_page_has_the_provenances_in_order_of_trust():
    trust = sorted(RANK, key=RANK.get, reverse=True)
    assert [*rows("provenance")] == [name for name in trust if name != "embedding"]


def test_the_page_has_the_sources_in_order_of_trust():
    assert [*rows("source")] == [*_TRUST]


def test_the_page_names_every_table_and_verdict():
    assert all(f"`{table}`" in PAGE for table in list(TABLES.values())[3:])
    assert all(f"`{verdict}`" in PAGE for verdict in VERDICTS)
