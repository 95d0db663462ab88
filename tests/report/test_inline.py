import pytest

from skillmill.errors import InputError
from skillmill.report.inline import inline_svg

DRAWING = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<metadata>http://example.org</metadata><style>*{color: red}</style>
<script>alert(1)</script><!-- a remark -->
<path id="m1" onload="alert(2)" d="M0 0" marker-end="url(#tip)"/>
<use xlink:href="#m1"/><use xlink:href="http://example.org/x.svg#m1"/>
<rect style="fill: url(http://example.org/#a)" width="3"/>
<text>a &lt;b&gt; c</text>
</svg>"""


def test_a_drawing_keeps_its_shapes_and_text_without_namespaces():
    svg = inline_svg("recall", DRAWING, "what it shows")
    assert svg.startswith('<svg role="img" aria-label="what it shows">')
    assert "xmlns" not in svg
    assert "a &lt;b&gt; c" in svg


def test_ids_and_references_get_the_figures_name():
    svg = inline_svg("My Recall", DRAWING, "")
    assert 'id="figure-my-recall-m1"' in svg
    assert 'marker-end="url(#figure-my-recall-tip)"' in svg
    assert '<use href="#figure-my-recall-m1">' in svg


def test_what_runs_or_fetches_is_dropped():
    svg = inline_svg("recall", DRAWING, "")
    for word in ("http", "script", "onload", "alert", "metadata", "<style", "<!"):
        assert word not in svg
    assert '<rect width="3">' in svg


def test_a_label_cannot_leave_its_attribute():
    assert 'aria-label="a&quot;&gt;&lt;b&gt;"' in inline_svg("x", DRAWING, 'a"><b>')


@pytest.mark.parametrize("text", ["", "no drawing", "<html></html>"])
def test_text_that_is_no_svg_is_refused_by_name(text):
    with pytest.raises(InputError, match=r"figure 'recall': expected an (SVG|svg)"):
        inline_svg("recall", text, "")
