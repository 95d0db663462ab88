"""What the page says of another run."""

import pytest

from skillmill.report.compared import difference_tables
from skillmill.report.explorer import explorer_data
from skillmill.report.inputs import HEADLINE
from tests.report.study import HOSTILE, compared, invented_study
from tests.report.test_page import Page, render_page


@pytest.fixture(scope="module")
def tables():
    return difference_tables(compared(), HEADLINE)


def test_the_headline_measure_of_a_track_comes_first(tables):
    assert [(t.track, t.column, t.chosen) for t in tables] == [
        ("library", "recall@5", True),
        ("library", "recall@1", False),
        ("library", "recall@3", False),
        ("memory", "recall@10", True),
        ("memory", "recall@5", False),
        ("memory", "recall@20", False),
    ]


def test_a_row_says_n_both_values_the_difference_and_what_is_left_out(tables):
    hybrid, keyword, semantic = tables[0].rows
    assert (hybrid.arm, hybrid.n, hybrid.higher, hybrid.lower) == ("hybrid", 35, 2, 1)
    # Two halves up and one down, of 35.
    assert hybrid.difference == "+1.4"
    assert hybrid.left_out == "1: 1 only here"
    assert (keyword.difference, keyword.lower) == ("-1.4", 1)
    assert (semantic.difference, semantic.interval) == ("0.0", "0.0 to 0.0")


def test_zero_is_in_the_middle_of_the_bar_and_the_widest_end_at_its_edge(tables):
    hybrid, keyword, semantic = tables[0].rows
    assert semantic.at == semantic.low_at == semantic.high_at == 0.5
    assert keyword.low_at < keyword.at < 0.5 < hybrid.at < hybrid.high_at
    ends = [end for row in tables[0].rows for end in (row.low_at, row.high_at)]
    assert max(abs(end - 0.5) for end in ends) == 0.5


def test_without_another_run_there_is_no_table_and_nothing_to_explore():
    assert difference_tables(None, HEADLINE) == []
    assert [entry["other"] for entry in explorer_data(invented_study())] == [None] * 2


def test_the_explorer_holds_the_values_there_and_minus_one_where_none_compares():
    library, memory = explorer_data(invented_study(compared=compared()))
    column = library["metrics"].index("recall@5")
    there = library["other"]["values"][column]
    assert library["levels"][there[0][0]] == 0.5
    assert there[3] == [-1, -1, -1]
    assert library["other"]["pooled"] == [True] * 36
    assert memory["other"]["pooled"].count(False) == 9
    assert {row[0] for row in memory["other"]["values"][0]} == {-1}


def test_the_page_names_the_run_as_text_and_what_one_run_alone_has():
    page = Page(render_page(invented_study(compared=compared(HOSTILE))))
    said = page.text("comparison")
    assert said.startswith("Compared with <img src=x")
    assert "⟨U+202E⟩" in said
    assert "memory: in this alone: date-window" in said
    assert "its paired 95 % bootstrap interval" in said.replace("\xa0", " ")
    assert "hybrid 35 " in said
    assert "#comparison" in page.anchors
    assert "#comparison" not in Page(render_page(invented_study())).anchors
