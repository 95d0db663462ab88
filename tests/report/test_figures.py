import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

from skillmill.report.figures import interval_figure, ranker_figure, recall_figure
from tests.report.study import scores
from tests.report.test_tables import FOUND

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_each_category_is_a_panel_with_its_n_and_each_arm_a_line():
    found = texts(recall_figure(scores()))
    titles = [text for text in found if "(n " in text]
    assert titles == [
        *("all (n 39)", "1 multi-hop (n 10)", "2 temporal (n 10)"),
        *("3 open-domain (n 10)", "4 single-hop (n 9)", "5 adversarial (n 0)"),
    ]
    assert found.count("temporal-focus") == 2  # once per row of panels
    assert found.count("n/a") == 6


def test_the_values_are_those_of_the_scores():
    rows = [
        replace(FOUND, arm="keyword", value=0.504),
        replace(FOUND, arm="hybrid", value=0.735),
        replace(FOUND, arm="hybrid", k=10, value=0.9),
        replace(FOUND, arm="hybrid", split="train", value=0.1),
    ]
    found = texts(ranker_figure(rows))
    assert [text for text in found if re.fullmatch(r"\d+\.\d", text)] == [
        "73.5",
        "50.4",
    ]


def test_unequal_counts_are_given_as_a_range():
    rows = [replace(FOUND, n=30), replace(FOUND, arm="hybrid", n=36)]
    assert "all (n 30 to 36)" in texts(ranker_figure(rows))


def test_equal_scores_give_equal_bytes_in_any_order():
    rows = scores()
    assert recall_figure(rows) == recall_figure(rows[::-1])
    assert "date" not in recall_figure(rows).replace("date-window", "")


def test_colours_follow_the_theme_and_no_stand_in_is_left():
    svg = recall_figure(scores())
    assert "currentColor" in svg
    assert "var(--series-1, #2a7fb8)" in svg
    assert "#0102" not in svg


def test_names_are_text_and_no_markup_or_formula():
    odd = replace(FOUND, arm="<b>$x_1$</b>\u202e", category="_$")
    svg = ranker_figure([odd])
    assert "<b>" not in svg
    assert "<b>$x_1$</b>⟨U+202E⟩" in texts(svg)
    assert "_$ (n 36)" in texts(svg)


def test_a_long_name_is_shortened_at_its_end():
    svg = ranker_figure([replace(FOUND, arm="a" * 40)])
    assert "a" * 27 + "…" in texts(svg)


def test_without_scores_the_drawing_says_so():
    assert texts(recall_figure([])) == ["No recall@10 of the memory track."]
    svg = interval_figure([FOUND], "memory", "mrr", None)
    assert texts(svg) == ["No mrr of the memory track."]


def test_matplotlib_is_imported_only_to_draw():
    code = (
        "import sys, skillmill.report.figures, skillmill.report.page\n"
        "sys.exit('matplotlib' in sys.modules or 'networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
