import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from skillmill.report.inputs import PageLimits, Query, ReportInputs
from skillmill.report.page import render_page
from skillmill.types import LoadReport, Problem, QueryScore
from tests.report.study import HOSTILE, invented_study, load_reports
from tests.report.test_tables import FOUND

CELLS = {"td", "th", "dt", "dd", "li", "caption", "tbody", "h2", "h3", "p", "details"}


class Page(HTMLParser):
    """Elements, ids and anchors of a page, and the text by section."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.ids, self.anchors = [], [], []
        self.sections, self.section = {}, "head"
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self.handle_data(" " if tag in CELLS else "")
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "section":
            self.section = attributes["id"]
        if tag == "a":
            self.anchors.append(attributes["href"])

    def handle_data(self, data):
        self.sections[self.section] = self.sections.get(self.section, "") + data

    def text(self, section):
        return " ".join(self.sections[section].split())


@pytest.fixture(scope="module")
def html():
    return render_page(invented_study())


def test_two_renders_are_equal(html):
    assert render_page(invented_study()) == html


def test_the_page_refers_to_nothing_outside_itself(html):
    assert not re.search(r"https?://|//[a-z]+\.|@import|url\((?!#)", html)
    assert not re.search(r"\bsrc\s*=\s*[\"'](?!x )", html.replace("&lt;img src=x", ""))
    for anchor in Page(html).anchors:
        assert anchor.startswith("#")
    for tag, attributes in Page(html).tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "img", "form"}
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")


def test_each_anchor_leads_somewhere_and_no_id_comes_twice(html):
    page = Page(html)
    assert {anchor[1:] for anchor in page.anchors} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_a_policy_forbids_all_but_inline_style_and_script(html):
    policies = [a["content"] for t, a in Page(html).tags if "http-equiv" in a]
    assert policies[0].startswith(
        "default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:"
    )


def test_every_table_has_a_caption_and_scoped_headings(html):
    tags = Page(html).tags
    count = {name: sum(tag == name for tag, _ in tags) for name in ("table", "caption")}
    assert count["table"] == count["caption"] > 20
    assert all("scope" in attributes for tag, attributes in tags if tag == "th")


def test_the_summary_gives_the_best_arm_with_interval_and_n():
    scores = [
        replace(FOUND, arm="hybrid", value=0.735, low=0.648, high=0.812),
        replace(FOUND, arm="keyword", value=0.504),
    ]
    page = Page(
        render_page(
            ReportInputs(study="s", title="t", scores=scores, built={"skills": 1024})
        )
    )
    text = page.text("summary")
    assert "Library: recall@5 73.5% by hybrid 95 % interval 64.8 to 81.2, n 36" in text
    assert "skills 1,024" in text
    assert "No scores of this track" in text


def test_an_empty_study_says_so_in_each_section():
    page = Page(render_page(ReportInputs(study="s", title="nothing yet")))
    assert page.text("library").endswith("No scores of this track in this study.")
    assert page.text("memory").endswith("No scores of this track in this study.")
    assert "No scores per query" in page.text("questions")
    assert "No load report" in page.text("load")
    assert "No outcomes recorded" in page.text("outcomes")
    assert "No provenance given" in page.text("provenance")
    assert "Nothing failed" in page.text("caveats")


def test_names_with_markup_or_hidden_characters_are_text_everywhere():
    hostile = HOSTILE + "</script><script>"
    score = replace(FOUND, arm=hostile, category=hostile)
    html = render_page(
        ReportInputs(
            study="s",
            title=hostile,
            scores=[score, replace(score, category="all", heuristic=True)],
            query_scores=[QueryScore(hostile, hostile, "recall", 5, 1.0)],
            queries={hostile: Query(hostile, "library", (hostile,))},
            built={hostile: 1},
            load_reports=[
                LoadReport(
                    hostile,
                    *(1, 0, 0, 1),
                    (Problem(hostile, None, hostile, "failed", hostile, hostile),),
                )
            ],
            outcomes=[(hostile, "failed", hostile, 1)],
            provenance={hostile: {hostile: hostile, "n": [hostile]}},
            rule_edges=[(hostile, hostile)],
            heuristics=[hostile],
        )
    )
    tags = [tag for tag, _ in Page(html).tags]
    assert "img" not in tags
    assert tags.count("script") == 2  # the data, and our own
    assert "\u202e" not in html
    assert "⟨U+202E⟩txt.exe" in html


def test_the_data_of_the_explorer_is_json_that_cannot_end_its_script(html):
    data = re.search(
        r'<script type="application/json" id="explorer-data">(.*?)</script>', html
    )[1]
    library, memory = json.loads(data)
    assert (len(library["queries"]), len(memory["queries"])) == (36, 48)
    assert memory["arms"][0] == "date-window"
    assert "<" not in data


def test_problems_beyond_the_limit_are_counted_with_failures_shown_first():
    page = Page(render_page(invented_study(limits=PageLimits(problems=2))))
    text = page.text("load")
    assert "no-frontmatter" in text
    assert text.count("unquoted-colon") == 1
    assert "5 more not printed here: 5 warning." in text


def test_a_problem_has_its_file_line_and_reason(html):
    text = Page(html).text("load")
    assert "skills/parcel-00/SKILL.md 3 parcel-00 unquoted-colon expected" in text


def test_outcomes_tell_failed_from_empty_u32(html):
    text = Page(html).text("outcomes")
    assert "recall_atoms failed 2 the vector is not finite" in text
    assert "recall_atoms empty 4 no atom within the dates" in text


def test_what_was_heuristic_is_marked_in_the_tables_and_said_at_the_end(html):
    page = Page(html)
    assert "date-window heuristic" in page.text("memory")
    assert "heuristic" not in page.text("library")
    assert "Memory arms with heuristic figures: date-window" in page.text("caveats")


def test_splits_are_shown_apart():
    scores = [replace(FOUND, split="test", value=0.25), replace(FOUND, split="train")]
    inputs = ReportInputs(study="s", title="t", scores=scores)
    text = Page(render_page(inputs)).text("library")
    assert "Test split" in text
    assert "Train split" in text


def test_provenance_is_listed_by_artifact(html):
    text = Page(html).text("provenance")
    assert "results/sample/catalogue.sqlite kind catalogue" in text
    assert 'params {"limit": 0, "strict": false}' in text


def test_a_load_report_without_problems_has_no_list(html):
    assert "conversations.json: " not in Page(html).text("load")
    assert load_reports()[1].problems == ()


def test_scores_of_another_study_are_refused():
    with pytest.raises(ValueError, match=r"page of 's' got scores of \['other'\]"):
        render_page(
            ReportInputs(study="s", title="t", scores=[replace(FOUND, study="other")])
        )
