"""The trie of what evolution tried, its curves, and the page that shows them."""

from skillmill.report.curves import evolution_figure
from skillmill.report.evolution import (
    Evolved,
    StepCurve,
    TriedProgram,
    trie,
)
from skillmill.report.page import render_page
from tests.report.study import HOSTILE, invented_study

PROGRAMS = [
    TriedProgram("words then dates", ("lexical", "temporal"), 2, "both", 0.81, 28),
    TriedProgram("words", ("lexical",), -1, "displaced", 0.7, 28, ("seed",)),
    TriedProgram("more", ("lexical",), 1, "rejected", None, 0, ("step 1: no gain",)),
    TriedProgram(HOSTILE, ("dense",), -1, "capability", 0.6),
]
RUN = Evolved(
    "default run-0",
    PROGRAMS,
    [
        StepCurve(-1, 0.7, 0.7, 0.6, 0.7, 2, 2, 8),
        StepCurve(1, 0.85, 0.8, 0.7, 0.81, 3, 2, 20),
    ],
)


def test_programs_share_the_nodes_of_their_common_beginning():
    root = trie(PROGRAMS)
    assert list(root.children) == ["dense", "lexical"]
    words = root.children["lexical"]
    assert [program.name for program in words.programs] == ["words", "more"]
    assert [p.name for p in words.children["temporal"].programs] == ["words then dates"]
    assert (root.below, words.below) == (4, 3)
    assert (words.first_step, words.children["temporal"].first_step) == (-1, 2)


def test_no_program_is_an_empty_trie():
    assert trie([]).below == 0


def test_the_figure_names_each_curve_and_is_equal_each_time():
    svg = evolution_figure([RUN])
    for text in ("routed", "best single skill", "deploy", "default run-0", "step"):
        assert f">{text}<" in svg or f"{text}</text>" in svg
    assert svg == evolution_figure([RUN])


def test_without_a_run_the_figure_says_so():
    assert "No evolution in this study." in evolution_figure([Evolved("empty")])


def test_a_page_tells_of_each_program_its_step_and_fate():
    html = render_page(invented_study(evolved=[RUN]))
    assert 'href="#evolution"' in html
    assert '<li class="program rejected" data-step="1">' in html
    assert "step 1: no gain" in html
    assert "81.0 % of 28" in html
    assert HOSTILE not in html
    assert 'max="2"' in html


def test_a_page_without_evolution_does_not_speak_of_it():
    assert 'id="evolution"' not in render_page(invented_study())
