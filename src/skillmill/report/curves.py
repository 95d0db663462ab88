"""The curves of evolution as a figure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skillmill.report.evolution import Evolved
from skillmill.report.figures import SERIES, drawn, drawn_notice
from skillmill.report.visible import visible_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Curve -> its name in the figure and its line.
LINES: Mapping[str, tuple[str, str]] = {
    "capability_oracle": ("oracle of the capability frontier", ":"),
    "deploy_oracle": ("oracle of the deploy set", "--"),
    "routed": ("routed", "-"),
    "best_single": ("best single skill", "-."),
}


def evolution_figure(runs: Sequence[Evolved]) -> str:
    """Return the curves of each run, step by step, as SVG; it says so if there is none.

    Above: mean reward on validation in percent. Below: sizes of the two frontiers.
    """
    with_curve = [run for run in runs if run.curve]
    if not with_curve:
        return drawn_notice("No evolution in this study.")
    return drawn(lambda: _curves(with_curve))


def _curves(runs: Sequence[Evolved]) -> "Figure":
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    figure = Figure(figsize=(7.2, 3.9 * len(runs)))
    figure.set_layout_engine("constrained")
    panels = figure.subplots(
        2 * len(runs),
        1,
        squeeze=False,
        gridspec_kw={"height_ratios": [3, 1] * len(runs)},
    )[:, 0]
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
