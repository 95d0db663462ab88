"""Scores with their intervals as SVG; equal scores give equal bytes.

Ink that follows the reader's theme is drawn in a colour that stands for it and
renamed in the finished SVG: `currentColor`, or a CSS variable with a fallback that
is legible on white and on black.
"""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from skillmill.report.tables import (
    Cell,
    category_key,
    column_name,
    numbered,
    splits_of,
)
from skillmill.report.track import Track
from skillmill.report.visible import visible_text
from skillmill.types import Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#010203"
_SOFT = "#010204"
_LINE = "#010205"
SERIES = "#010206"
_PAPER = "#010207"
_THEME: Mapping[str, str] = {
    _INK: "currentColor",
    _SOFT: "var(--soft, #75797f)",
    _LINE: "var(--line, #c9c9c9)",
    SERIES: "var(--series-1, #2a7fb8)",
    _PAPER: "var(--paper, #ffffff)",
}
_STYLE: Mapping[str, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "skillmill",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _SOFT,
    "xtick.color": _SOFT,
    "ytick.color": _INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}
_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_FONT = "system-ui, 'DejaVu Sans', sans-serif"
_PANELS_PER_ROW = 3
_LONGEST_LABEL = 28


def recall_figure(scores: Sequence[Score], k: int = 10) -> str:
    """Return recall@k of each retrieval skill by question category, as SVG."""
    return interval_figure(scores, "memory", "recall", k)


def ranker_figure(scores: Sequence[Score], k: int = 5) -> str:
    """Return recall@k of each ranker by the wording of the request, as SVG."""
    return interval_figure(scores, "library", "recall", k)


def interval_figure(
    scores: Sequence[Score], track: Track, metric: str, k: int | None
) -> str:
    """Return one panel per category, in it a dot with its interval per arm, as SVG.

    Of several splits the one to read first is drawn. Arms go by name from the top,
    categories as in the tables; n stands in each panel's title. A hollow dot is
    heuristic. Without any such score the drawing says so.
    """
    measured = [score for score in scores if (score.metric, score.k) == (metric, k)]
    split = next(iter(splits_of(measured, track)), None)
    chosen = sorted(
        (score for score in measured if (score.track, score.split) == (track, split)),
        key=lambda score: score.arm,
    )
    if not chosen:
        return drawn_notice(f"No {column_name(metric, k)} of the {track} track.")
    return drawn(lambda: _panels(chosen, column_name(metric, k), str(split)))


def _panels(scores: Sequence[Score], column: str, split: str) -> "Figure":
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    arms = sorted({score.arm for score in scores})
    categories = sorted({score.category for score in scores}, key=category_key)
    across = 2 if len(categories) == 4 else min(_PANELS_PER_ROW, len(categories))
    down = -(-len(categories) // across)
    figure = Figure(
        figsize=(1.6 + 2.45 * across, 0.4 + down * (0.8 + 0.24 * len(arms))),
    )
    figure.set_layout_engine("constrained", h_pad=0.11, w_pad=0.06)
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for panel, category in zip(panels, categories, strict=False):
        here = [score for score in scores if score.category == category]
        _panel(panel, here, arms)
    for panel in panels[len(categories) :]:
        panel.set_axis_off()
    figure.supxlabel(
        f"{column} in percent with 95 % interval, "
        + ("all queries" if split == "all" else f"{split} split"),
        fontsize=9,
        color=_SOFT,
    )
    return figure


def _panel(panel: "Axes", scores: Sequence[Score], arms: Sequence[str]) -> None:
    category = visible_text(numbered(scores[0].category))
    panel.set_title(f"{category} (n {_counts(scores)})", loc="left", fontsize=9.5)
    panel.set_xlim(0, 134)
    panel.set_ylim(len(arms) - 0.4, -0.6)
    panel.set_xticks([0, 25, 50, 75, 100])
    panel.set_yticks(range(len(arms)), [_label(arm) for arm in arms])
    panel.tick_params(labelbottom=True, pad=4)
    panel.vlines(
        [0, 25, 50, 75, 100], -0.6, len(arms) - 0.4, color=_LINE, linewidth=0.6
    )
    panel.spines[:].set_visible(False)
    for score in scores:
        _dot(panel, score, arms.index(score.arm))


def _dot(panel: "Axes", score: Score, height: int) -> None:
    if score.low is not None and score.high is not None:
        ends = [100 * score.low, 100 * score.high]
        panel.plot(ends, [height, height], color=SERIES, linewidth=1.4)
    if score.value is not None:
        panel.plot(
            [100 * score.value],
            [height],
            marker="o",
            markersize=5.5,
            markerfacecolor=_PAPER if score.heuristic else SERIES,
            markeredgecolor=SERIES,
            markeredgewidth=1.4,
        )
    panel.text(133, height, Cell(score).value, ha="right", va="center", fontsize=8.5)


def _counts(scores: Sequence[Score]) -> str:
    least, most = min(score.n for score in scores), max(score.n for score in scores)
    return str(least) if least == most else f"{least} to {most}"


def _label(arm: str) -> str:
    """Return an arm's name, shortened at its end where it would fill the panel."""
    text = visible_text(arm)
    if len(text) <= _LONGEST_LABEL:
        return text
    return text[: _LONGEST_LABEL - 1] + "…"


def drawn(make: Callable[[], "Figure"]) -> str:
    """Return what `make` draws, in the style and the colours of all figures, as SVG."""
    from matplotlib import style  # noqa: PLC0415 - slow to import

    with style.context(dict(_STYLE), after_reset=True):
        return _svg(make())


def drawn_notice(text: str) -> str:
    """Return a figure that says in a sentence why there is none, as SVG."""
    return drawn(lambda: _notice(text))


def _notice(text: str) -> "Figure":
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    figure = Figure(figsize=(5, 0.6))
    figure.text(0.02, 0.5, text, va="center")
    return figure


def _svg(figure: "Figure") -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata=_METADATA)
    svg = text.getvalue()
    for stand_in, colour in _THEME.items():
        svg = svg.replace(stand_in, colour)
    return _with_font(svg)


def _with_font(svg: str) -> str:
    """Replace matplotlib's list of font files by what a browser surely has."""
    return re.sub(r"font-family: [^;\"]*", f"font-family: {_FONT}", svg)
