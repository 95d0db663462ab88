"""The curves of evolution as a figure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skillmill.report.evolution import Evolved
from skillmill.report.figures import SERIES, drawn, drawn_notice
from skillmill.report.triefigure import LINE, draw_trie, drawn_programs, placed
from skillmill.report.variants import VariantRow
from skillmill.report.visible import visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Where a variant stands, its mean and standard deviation in percent, and a label.
Point = tuple[float, float, float, str]

#: Curve -> its name in the figure and its line.
LINES: Mapping[str, tuple[str, str]] = {
    "capability_oracle": ("oracle of the capability frontier", ":"),
    "deploy_oracle": ("oracle of the deploy set", "--"),
    "routed": ("routed", "-"),
    "best_single": ("best single skill", "-."),
}


def evolution_figure(
    runs: Sequence[Evolved], variants: Sequence[VariantRow] = ()
) -> str:
    """Return the curves of each run, step by step, as SVG; it says so if there is none.

    Above: mean reward on validation in percent. Below: sizes of the two frontiers.
    Of several variants: what the best deployed skill is worth by the size of a batch,
    and by the rollouts that it took. Last, every program that the first run tried.
    """
    with_curve = [run for run in runs if run.curve]
    if not with_curve:
        return drawn_notice("No evolution in this study.")
    return drawn(lambda: _curves(with_curve, variants))


def _curves(runs: Sequence[Evolved], variants: Sequence[VariantRow]) -> "Figure":
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    extra = [one for one in (_batches(variants), _costs(variants)) if one]
    tried = placed(drawn_programs(runs[0]))
    tall = LINE * (len(tried.programs) + 3)
    heights = [2.9, 1.0] * len(runs) + [2.4] * len(extra) + [tall]
    figure = Figure(figsize=(7.2, sum(heights)))
    figure.set_layout_engine("constrained")
    panels = figure.subplots(
        len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    for panel, (label, points) in zip(panels[2 * len(runs) : -1], extra, strict=True):
        _points(panel, label, points)
    draw_trie(panels[-1], runs[0], tried)
    for place, run in enumerate(runs):
        above, below = panels[2 * place], panels[2 * place + 1]
        steps = [row.step for row in run.curve]
        for name, (label, line) in LINES.items():
            values = [100 * getattr(row, name) for row in run.curve]
            above.plot(steps, values, line, label=label, color=SERIES)
        above.set_title(visible_text(run.name), loc="left", fontsize=9.5)
        above.set_ylabel("reward, percent")
        above.legend(frameon=False, fontsize=8.5)
        for size, line in (("capability_size", ":"), ("deploy_size", "--")):
            sizes = [getattr(row, size) for row in run.curve]
            label = size.removesuffix("_size")
            below.plot(steps, sizes, line, label=label, color=SERIES)
        below.set_ylabel("skills")
        below.set_xlabel("step")
        below.legend(frameon=False, fontsize=8.5)
        below.yaxis.set_major_locator(MaxNLocator(integer=True))
        for panel in (above, below):
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
            panel.spines[["top", "right"]].set_visible(False)
    return figure


def _batches(variants: Sequence[VariantRow]) -> tuple[str, list[Point]] | None:
    """What batches of other sizes are worth; None with a single size."""
    rows = [row for row in variants if row.same and row.batch and row.best]
    points = [_point(row.batch, row, "") for row in rows]
    return ("questions of a batch", sorted(points)) if len(points) > 1 else None


def _costs(variants: Sequence[VariantRow]) -> tuple[str, list[Point]] | None:
    """What variants are worth by their rollouts; None with a single one."""
    rows = [row for row in variants if row.rollouts is not None and row.best]
    points = [_point(100 * (row.rollouts or 0.0), row, row.name) for row in rows]
    label = "rollouts, percent of exhaustive search"
    return (label, sorted(points)) if len(points) > 1 else None


def _point(place: float, row: VariantRow, label: str) -> Point:
    value, spread = (row.best.mean, row.best.sd or 0.0) if row.best else (0.0, 0.0)
    return float(place), 100 * value, 100 * spread, label


def _points(panel: "Axes", label: str, points: Sequence[Point]) -> None:
    """Points with their standard deviations; those without a name are joined."""
    x, y, spread, names = ([point[n] for point in points] for n in range(4))
    line = "" if any(names) else "-"
    panel.errorbar(x, y, yerr=spread, fmt=f"o{line}", color=SERIES, markersize=4)
    for place, value, name in zip(x, y, names, strict=True):
        panel.annotate(
            visible_text(str(name)), (place, value), (4, 4),
            textcoords="offset points", fontsize=7.5,
        )  # fmt: skip
    panel.set_xlabel(label)
    panel.set_ylabel("best deployed, percent")
    panel.spines[["top", "right"]].set_visible(False)
