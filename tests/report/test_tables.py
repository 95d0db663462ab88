from dataclasses import replace

import pytest

from skillmill.report.tables import (
    arm_tables,
    category_tables,
    column_name,
    interval,
    numbered,
    percent,
    scores_csv,
    splits_of,
)
from skillmill.types import Score

FOUND = Score(
    track="library",
    study="s",
    arm="keyword",
    split="all",
    category="all",
    metric="recall",
    k=5,
    n=36,
    value=0.5,
    low=0.333333,
    high=0.666667,
)


def test_a_fraction_is_printed_in_percent_with_one_decimal():
    assert percent(0.632) == "63.2"
    assert percent(1.0) == "100.0"
    assert percent(1) == "100.0"
    assert percent(0.0) == "0.0"
    assert percent(0.333333) == "33.3"


def test_a_half_is_rounded_up_on_the_decimal_digits():
    """The binary float below 0.1225 would give 12.2 with `format`."""
    assert percent(0.1225) == "12.3"
    assert percent(0.0005) == "0.1"
    assert percent(0.00049) == "0.0"


def test_no_value_is_not_zero():
    assert percent(None) == "n/a"
    assert interval(None, 0.5) == "n/a"
    assert interval(0.5, None) == "n/a"


def test_a_difference_too_small_to_print_has_no_sign():
    assert percent(-0.0004) == "0.0"
    assert percent(-0.05) == "-5.0"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="finite"):
        percent(value)


def test_a_cut_off_is_part_of_the_column_name():
    assert column_name("recall", 5) == "recall@5"
    assert column_name("mrr", None) == "mrr"


def test_arms_are_rows_and_metrics_columns_and_each_cell_has_value_interval_and_n():
    scores = [
        FOUND,
        replace(FOUND, arm="hybrid", value=0.75, low=0.6, high=0.9),
        replace(FOUND, metric="mrr", k=None, value=0.41, low=0.3, high=0.5),
        replace(FOUND, k=10, value=0.8, low=0.7, high=0.9),
    ]
    (table,) = category_tables(scores, "library")
    assert (table.rows_are, table.name, table.split) == ("arm", "all", "all")
    assert table.columns == ("recall@5", "recall@10", "mrr")
    assert [row.label for row in table.rows] == ["hybrid", "keyword"]
    hybrid, keyword = table.rows
    assert hybrid.cells[1:] == (None, None)
    cell = keyword.cells[0]
    assert (cell.value, cell.interval, cell.n) == ("50.0", "33.3 to 66.7", 36)


def test_there_is_a_table_per_category_pooled_first_then_locomos_by_number():
    names = ["hard", "single-hop", "all", "multi-hop", "direct"]
    scores = [replace(FOUND, category=name) for name in names]
    tables = category_tables(scores, "library")
    assert [table.name for table in tables] == [
        *("all", "multi-hop", "single-hop", "direct", "hard")
    ]


def test_there_is_a_table_of_categories_per_arm():
    scores = [
        replace(FOUND, arm=arm, category=category, value=value)
        for arm, category, value in [
            ("keyword", "direct", 0.2),
            ("keyword", "all", 0.3),
            ("hybrid", "all", 0.4),
        ]
    ]
    hybrid, keyword = arm_tables(scores, "library")
    assert (hybrid.name, keyword.name, keyword.rows_are) == (
        *("hybrid", "keyword", "category"),
    )
    assert [(row.label, row.cells[0].value) for row in keyword.rows] == [
        ("all", "30.0"),
        ("direct", "20.0"),
    ]


def test_splits_are_kept_apart_with_test_first():
    scores = [replace(FOUND, split=split) for split in ("train", "val", "test")]
    assert splits_of(scores, "library") == ("test", "val", "train")
    tables = category_tables(scores, "library")
    assert [table.split for table in tables] == ["test", "val", "train"]


def test_missing_queries_leave_the_value_out_and_say_n_zero():
    nothing = replace(FOUND, n=0, value=None, low=None, high=None)
    (table,) = category_tables([nothing], "library")
    cell = table.rows[0].cells[0]
    assert (cell.value, cell.interval, cell.n) == ("n/a", "n/a", 0)


def test_one_heuristic_figure_marks_its_row_and_its_table():
    scores = [
        FOUND,
        replace(FOUND, arm="hybrid", heuristic=True),
        replace(FOUND, category="direct"),
    ]
    pooled, direct = category_tables(scores, "library")
    assert pooled.heuristic
    assert [row.heuristic for row in pooled.rows] == [True, False]
    assert not direct.heuristic


def test_a_track_without_scores_has_no_tables():
    assert category_tables([FOUND], "memory") == ()
    assert arm_tables([], "library") == ()


def test_two_scores_for_one_cell_are_refused():
    with pytest.raises(ValueError, match="two scores for one cell"):
        category_tables([FOUND, replace(FOUND, value=0.1)], "library")


def test_the_csv_holds_the_same_figures_in_the_order_of_the_tables():
    scores = [
        replace(FOUND, category="direct", n=0, value=None, low=None, high=None),
        replace(FOUND, heuristic=True),
    ]
    assert scores_csv(scores) == (
        "track,split,category,arm,metric,n,value,interval,heuristic\n"
        "library,all,all,keyword,recall@5,36,50.0,33.3 to 66.7,heuristic\n"
        "library,all,direct,keyword,recall@5,0,n/a,n/a,\n"
    )


def test_locomos_categories_bear_their_number_u20():
    names = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"]
    assert [numbered(name)[0] for name in names] == ["1", "2", "3", "4", "5"]
    assert numbered("multi-hop") == "1 multi-hop"
    assert numbered("direct") == "direct"
