"""The drawing of the skill graph in a real browser."""

import numpy as np
import pytest

from skillmill.report.page import render_page
from skillmill.report.skillgraph import GraphNode, GraphTask, SkillGraph
from skillmill.types import Edge
from tests.browser.test_report_page import CHROMIUM, FLAGS, playwright
from tests.report.study import HOSTILE, invented_study

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path"),
]

#: a -> b -> c -> d by `feeds_into`, a ~ e by nearness, f alone.
CHAIN = SkillGraph(
    nodes=[GraphNode(name, f"skill {name}", "row") for name in "abcdef"],
    edges=[
        Edge("a", "b", "feeds_into", None, "llm"),
        Edge("b", "c", "feeds_into", None, "llm"),
        Edge("c", "d", "feeds_into", None, "curated"),
        Edge("a", "e", "similar_to", 0.9, "embedding"),
    ],
    tasks=[GraphTask("t", "Walk", ("a", "c", "d", "f"), {"hybrid": ("a", "e")})],
)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as engine:
        running = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page with a graph; what it logs is in `seen`."""
    contexts = []

    def open_page(graph, width=1200, script=""):
        path = tmp_path / "page.html"
        path.write_text(render_page(invented_study(graph=graph)), encoding="utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
        page = contexts[-1].new_page()
        page.add_init_script(script)
        page.set_default_timeout(120_000)
        page.seen = []
        page.on("console", lambda message: page.seen.append(message.text))
        page.on("pageerror", lambda error: page.seen.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def side(page):
    return page.locator("#graph-side li").all_inner_texts()


def test_a_task_shows_how_far_what_was_missed_lies(opened):
    page = opened(CHAIN)
    page.locator("#graph-task").select_option(index=1)
    assert side(page) == [
        "skill a needed and found",
        "skill e found, not needed",
        "skill c needed, missed, 2 hops away",
        "skill d needed, missed, 3 hops away",
        "skill f needed, missed, not within 3 hops",
    ]
    # Without what the model said, nothing leads from a to c.
    page.get_by_label("llm").uncheck()
    assert "skill c needed, missed, not within 3 hops" in side(page)
    assert page.locator("#graph-status").inner_text() == "6 skills, 2 of 4 edges shown"
    assert page.seen == []


def test_a_search_picks_a_skill_and_its_neighbours_lead_on_by_keyboard(opened):
    page = opened(CHAIN)
    page.locator("#graph-find").fill("skill b")
    page.keyboard.press("Tab")
    page.locator("#graph-side button").focus()
    page.keyboard.press("Enter")
    assert page.locator("#graph-side h3").all_inner_texts() == [
        "feeds_into →",
        "← feeds_into",
    ]
    assert side(page) == ["skill c llm", "skill a llm"]
    page.locator("#graph-side button").first.focus()
    page.keyboard.press("Enter")
    assert side(page) == ["skill d curated", "skill b llm"]


def test_a_click_on_a_dot_picks_it(opened):
    page = opened(SkillGraph([GraphNode("only", "only", "")]))
    page.locator("#graph-plane").scroll_into_view_if_needed()
    box = page.locator("#graph-plane").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("#graph-side b").inner_text() == "only"
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    assert page.locator("#graph-side b").count() == 0


def test_markup_in_the_name_of_a_skill_is_text(opened):
    page = opened(SkillGraph([GraphNode(HOSTILE, HOSTILE, HOSTILE)]))
    page.locator("#graph-find").fill("onerror")
    page.locator("#graph-side button").click()
    assert "<img src=x" in page.locator("#graph-side b").inner_text()
    assert page.locator("img").count() == 0
    assert page.title() == "Sample library and sample memory"
    assert page.seen == []


def test_a_phone_does_not_scroll_sideways(opened):
    page = opened(CHAIN, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_page_without_skills_has_no_graph(opened):
    page = opened(SkillGraph())
    assert page.locator("#graph").count() == 0
    assert page.seen == []


#: Counts frames, and what is drawn in them; time would tell how busy the machine is.
COUNTING = """
window.drawn = { frames: 0, marks: 0 };
const pen = CanvasRenderingContext2D.prototype;
const count = (name, key) => {
  const own = pen[name];
  pen[name] = function (...given) {
    window.drawn[key] += 1;
    return own.apply(this, given);
  };
};
count("setTransform", "frames");
for (const name of ["moveTo", "rect", "arc", "measureText"]) count(name, "marks");
"""


def test_a_library_of_22600_skills_is_drawn_and_searched_in_work_that_grows_with_it(
    opened,
):
    rng = np.random.default_rng(5)
    nodes = [GraphNode(f"s{n:05}", f"skill {n}", f"d{n % 150}") for n in range(22_600)]
    ends = rng.integers(0, len(nodes), (30_000, 2))
    edges = [
        Edge(f"s{a:05}", f"s{b:05}", "similar_to", 0.5, "embedding")
        for a, b in {(min(pair), max(pair)) for pair in ends.tolist()}
        if a != b
    ]
    page = opened(SkillGraph(nodes, edges), script=COUNTING)
    page.wait_for_function("window.drawn.frames > 0")
    page.locator("#graph-find").fill("skill 22599")
    page.locator("#graph-side button").click()
    page.locator("#graph-plane").press("+")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))")
    drawn = page.evaluate("window.drawn")
    # Two a skill, one an edge, some labels: all pairs would be 255 million.
    assert 0 < drawn["marks"] <= drawn["frames"] * (2 * len(nodes) + len(edges) + 400)
    assert drawn["frames"] < 30
    assert page.locator("#graph *").count() < 250
    assert page.locator("#graph-side b").inner_text() == "skill 22599"
    assert page.locator("#graph-status").inner_text().startswith("22600 skills")
    assert page.seen == []
