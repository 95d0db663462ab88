"""The page in a real browser, opened from the disk."""

import shutil
from dataclasses import replace

import pytest

from skillmill.report.evidence import Evidence
from skillmill.report.figures import ranker_figure, recall_figure
from skillmill.report.inputs import Query
from skillmill.report.page import render_page
from skillmill.report.rulegraph import rule_graph
from tests.report.study import (
    HOSTILE,
    RULES,
    compared,
    invented_study,
    queries,
    scores,
)
from tests.report.test_evolution import RUN

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
)
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path"),
]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as engine:
        running = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The study, with a hostile name wherever a page shows one."""
    rows = [replace(s, arm=HOSTILE) if s.arm == "hybrid" else s for s in scores()]
    hostile = Query(HOSTILE, "memory", ("single-hop", HOSTILE))
    drawn = {
        "recall": recall_figure(rows),
        "rankers": ranker_figure(rows),
        "rules": rule_graph([*RULES, (HOSTILE, "sample")]),
    }
    inputs = invented_study(
        scores=rows,
        figures=drawn,
        queries=queries() | {"talk-0/q0": hostile},
        compared=compared(HOSTILE),
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_page(inputs), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """The opened page; what it logged and asked for is in `page.seen`."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.seen = []
    opened.on("console", lambda message: opened.seen.append(message.text))
    opened.on("pageerror", lambda error: opened.seen.append(str(error)))
    opened.on("request", lambda request: opened.seen.append(request.url))
    opened.goto(address)
    yield opened
    context.close()


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def choose(page, name, label):
    page.locator(f"#explorer-{name}").select_option(label=label)


def test_the_page_asks_for_nothing_but_itself_and_logs_nothing(page, address):
    page.wait_for_load_state("networkidle")
    assert page.seen == [address]


def test_markup_in_names_does_not_run(page):
    choose(page, "track", "memory")
    page.locator("#explorer-text").fill("img src")
    assert page.locator("#explorer-table tbody tr").count() == 1
    assert "<img src=x" in page.locator("#explorer-table tbody").inner_text()
    for details in page.locator("summary").all():
        details.click()
    assert page.title() == "Sample library and sample memory"
    assert page.locator("img").count() == 0
    assert "\u202e" not in page.content()


def test_the_filter_works_by_keyboard_alone(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(400):
        if page.evaluate("document.activeElement.id") == "explorer-text":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("kite INDIRECT")
    status = page.locator("#explorer-status").inner_text()
    shown = texts(page, "#explorer-table tbody th")
    assert status == f"{len(shown)} of 36 questions"
    assert 0 < len(shown) < 36
    assert all("a lost kite" in text and "indirect" in text for text in shown)


def test_enter_on_a_heading_sorts_and_again_turns_the_order(page):
    choose(page, "metric", "recall@1")
    page.locator("#explorer-table thead button", has_text="keyword").focus()
    page.keyboard.press("Enter")
    page.locator("#explorer-more").click()
    column = "#explorer-table tbody td:nth-child(3)"
    falling = [float(text) for text in texts(page, column)]
    assert len(falling) == 36
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > falling[-1]
    page.keyboard.press("Tab")
    page.locator("#explorer-table thead button", has_text="keyword").focus()
    page.keyboard.press("Enter")
    assert [float(text) for text in texts(page, column)] == sorted(falling)
    heading = page.locator("#explorer-table thead th").nth(2)
    assert heading.get_attribute("aria-sort") == "ascending"


def test_questions_that_cannot_be_scored_are_found_and_read_n_a(page):
    choose(page, "track", "memory")
    choose(page, "show", "cannot be scored")
    assert page.locator("#explorer-status").inner_text() == "9 of 48 questions"
    assert set(texts(page, "#explorer-table tbody td")) == {"n/a"}


def test_questions_on_which_arms_differ_have_at_least_two_values(page):
    choose(page, "track", "memory")
    choose(page, "show", "arms differ")
    rows = page.locator("#explorer-table tbody tr").all()
    assert rows
    for row in rows:
        assert len(set(row.locator("td").all_inner_texts())) > 1


def test_a_count_of_the_comparison_shows_the_questions_that_it_counts(page):
    row = page.locator("#comparison tr", has_text="hybrid").first
    row.get_by_role("button", name="2 questions higher here by hybrid").focus()
    page.keyboard.press("Enter")
    assert page.locator("#explorer-status").inner_text() == "2 of 36 questions"
    ids = texts(page, "#explorer-table tbody .id")
    assert [one.split(" · ")[0] for one in ids] == ["task-00", "task-01"]
    moved = texts(page, "#explorer-table tbody .moved")
    assert moved == ["▲ there 50.0"] * 2
    choose(page, "show", "lower than in the other run")
    assert texts(page, "#explorer-table tbody .moved") == ["▼ there 100.0"] * 2
    choose(page, "arm", "any arm")
    choose(page, "show", "not as in the other run")
    assert page.locator("#explorer-status").inner_text() == "3 of 36 questions"


def test_questions_that_are_not_pooled_are_left_out_where_a_count_leaves_them_out(page):
    choose(page, "track", "memory")
    choose(page, "category", "all that are pooled")
    assert page.locator("#explorer-status").inner_text().startswith("39 of 48")


def test_more_rows_come_on_demand(page):
    assert page.locator("#explorer-table tbody tr").count() == 25
    page.locator("#explorer-more").click()
    assert page.locator("#explorer-table tbody tr").count() == 36
    assert not page.locator("#explorer-more").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_tables_in_their_box_and_never_the_page(
    browser, address, scheme
):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, color_scheme=scheme
    )
    page = context.new_page()
    page.goto(address)
    for details in page.locator("summary").all():
        details.click()
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == 390
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')]"
        ".filter((box) => box.scrollWidth > box.clientWidth).length"
    )
    assert wide > 0
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(252, 251, 248)", "dark": "rgb(21, 23, 26)"}[scheme]
    context.close()


def test_a_page_without_scores_runs_without_errors(browser, tmp_path):
    path = tmp_path / "empty.html"
    html = render_page(
        invented_study(scores=[], query_scores=[], queries={}, figures={})
    )
    path.write_text(html, encoding="utf-8")
    page = browser.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    assert problems == []
    assert page.get_by_text("No scores per query in this study.").is_visible()
    page.close()


def test_a_row_opens_what_is_needed_and_what_each_arm_found(browser, tmp_path):
    evidence = Evidence(
        texts={"s1": "Ties knots", "s2": HOSTILE},
        relevant={"task-00": ("s1",)},
        found={"task-00": {"hybrid": ("s2", "s1"), "keyword": ()}},
    )
    path = tmp_path / "page.html"
    path.write_text(
        render_page(invented_study(evidence={"library": evidence})), "utf-8"
    )
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator("#explorer-text").fill("task-00")
    opener = page.get_by_role("button", name="evidence")
    opener.focus()
    page.keyboard.press("Enter")
    row = page.locator("tr.evidence")
    assert row.locator("h4").all_inner_texts() == ["Needed", "hybrid", "keyword"]
    assert row.locator("ul bdi").all_inner_texts() == ["Ties knots", "s1"]
    marks = row.locator("ol li").nth(1).locator(".mark").all_inner_texts()
    assert marks == ["needed"]
    assert "<img src=x" in row.locator("ol li").nth(0).inner_text()
    assert row.locator("p").all_inner_texts() == ["Nothing found."]
    assert page.locator("img").count() == 0
    page.keyboard.press("Enter")
    assert row.count() == 0
    page.close()


def test_the_slider_shows_the_trie_as_it_grew(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render_page(invented_study(evolved=[RUN])), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    programs = page.locator(".trie .program:visible")
    assert programs.count() == 4
    slider = page.locator(".trie input")
    slider.focus()
    page.keyboard.press("Home")
    assert programs.count() == 2
    assert page.locator(".trie output").inner_text() == "the seeds: 2 programs"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert programs.count() == 3
    assert page.locator(".trie output").inner_text() == "1: 3 programs"
    page.close()
