"""The trie of what evolution tried, its curves, and the page that shows them."""

from skillmill.report import triefigure
from skillmill.report.curves import evolution_figure
from skillmill.report.evolution import (
    Evolved,
    StepCurve,
    TriedProgram,
    trie,
)
from skillmill.report.page import render_page
from skillmill.report.triefigure import drawn_programs, placed
from skillmill.report.variants import Steady, shown_variants, variant_rows
from skillmill.types import Score
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


def figure(arm, metric, value, n=5, split="test"):
    return Score(
        "memory", "sample", arm, split, "all", metric, 10, n, value, None, None
    )


SCORES = [
    figure("default:best", "recall_runs_mean", 0.84),
    figure("default:best", "recall_runs_sd", 0.007),
    figure("default:best", "recall_runs_cv", 0.0083),
    figure("default:routed", "recall_runs_mean", 0.83),
    figure("batch-40:best", "recall_runs_mean", 0.847, n=1),
    figure("another:best", "recall_runs_mean", 0.8),
    figure("another:best", "recall_runs_mean", 0.7, split="val"),
    figure("default#0:best", "rollouts_of_exhaustive", 0.18, split="val"),
    figure("default#1:best", "rollouts_of_exhaustive", 0.16, split="val"),
    figure("batch-40#0:best", "rollouts_of_exhaustive", 0.10, split="val"),
    figure("default#0:best", "recall", 0.5),
]
RUNS = [
    Evolved("default run-0", PROGRAMS, batch=20, rules="ours"),
    Evolved("batch-40 run-0", PROGRAMS, batch=40, rules="ours"),
    Evolved("another run-0", PROGRAMS, batch=20, rules="theirs"),
]


def test_variants_stand_side_by_side_with_spread_batch_and_cost():
    rows = variant_rows(SCORES, RUNS, "test")
    assert [row.name for row in rows] == ["default", "another", "batch-40"]
    usual, another, wide = rows
    assert usual.best == Steady(0.84, 0.007, 0.0083)
    assert usual.routed == Steady(0.83)
    assert (usual.runs, wide.runs) == (5, 1)
    # The mean of .18 and .16.
    assert abs(usual.rollouts - 0.17) < 1e-12
    assert (another.rollouts, another.routed) == (None, None)
    # Only its batch tells `batch-40` from the default.
    assert [row.same for row in rows] == [True, False, True]
    assert [row.batch for row in rows] == [20, 20, 40]
    assert [split for split, _ in shown_variants(SCORES, RUNS)] == ["test", "val"]
    assert shown_variants([], RUNS) == []


def test_the_page_and_the_figure_compare_variants():
    rows = variant_rows(SCORES, RUNS, "test")
    svg = evolution_figure([RUN], rows)
    for text in ("questions of a batch", "rollouts, percent of exhaustive search"):
        assert f">{text}<" in svg
        assert text not in evolution_figure([RUN], rows[:1])
    study = invented_study(scores=SCORES, query_scores=[], evolved=[RUN, *RUNS[1:]])
    html = render_page(study)
    assert "Variants, test split" in html
    assert '<td class="figure">84.0</td>' in html
    assert '<td class="figure">0.8</td>' in html


def test_the_trie_is_drawn_with_the_step_and_standing_of_each_program():
    places = placed(RUN)
    assert [told for _, _, told, _ in places.programs] == [
        "seed, capability, 60.0 %",
        "seed, displaced, 70.0 %",
        "step 1, rejected",
        "step 2, both, 81.0 %",
    ]
    assert [standing for *_, standing in places.programs] == [True, False, False, True]
    # The last is a level below the two of its prefix.
    assert [x for x, *_ in places.programs] == [1, 1, 1, 2]
    assert [label for *_, label in places.labels] == ["dense", "temporal", "lexical"]
    svg = evolution_figure([RUN])
    for text in ("step 1, rejected", "step 2, both, 81.0 %", "temporal"):
        assert f">{text}<" in svg


def test_of_too_many_programs_those_that_saw_validation_are_drawn(monkeypatch):
    monkeypatch.setattr(triefigure, "MOST", 3)
    few = drawn_programs(RUN)
    assert [one.name for one in few.programs] == [
        one.name for one in PROGRAMS if one.value is not None
    ]
    assert "1 more that never saw validation" in evolution_figure([RUN])
