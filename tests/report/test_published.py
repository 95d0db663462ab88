"""Figures quoted from papers: whole, and apart from those measured here."""

import csv

from tests.conftest import REPOSITORY

QUOTED = REPOSITORY / "reports" / "published.csv"
COLUMNS = ["paper", "table", "method", "dataset", "metric", "value", "source"]


def rows():
    with QUOTED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_quoted_figure_is_a_share_with_its_source():
    found = rows()
    assert list(found[0]) == COLUMNS
    for row in found:
        assert all(row[name].strip() for name in COLUMNS), row
        assert 0 <= float(row["value"]) <= 1, row


def test_no_figure_is_quoted_twice():
    keys = [tuple(row[name] for name in COLUMNS[:5]) for row in rows()]
    assert len(set(keys)) == len(keys)


def test_the_memory_paper_is_quoted_whole():
    """Table 1: 2 models, 8 methods, 3 data sets, 3 metrics; its averages agree."""
    mine = [row for row in rows() if row["paper"] == "erskill"]
    assert len(mine) == 2 * 8 * 3 * 3
    f1 = [
        float(row["value"])
        for row in mine
        if row["method"] == "ERSkill (GPT-5.4-nano)" and row["metric"] == "F1"
    ]
    assert round(sum(f1) / 3, 4) == 0.4097


def test_no_score_is_made_with_quoted_figures():
    """Nothing that computes or stores a figure knows the file."""
    for folder in ("scripts", "src/skillmill/evaluate", "src/skillmill/store"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            assert "published.csv" not in path.read_text(encoding="utf-8"), path
