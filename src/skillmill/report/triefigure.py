"""The trie of what evolution tried, drawn: every program with its step and its fate."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillmill.report.evolution import Evolved, TrieNode, trie
from skillmill.report.figures import SERIES
from skillmill.report.visible import visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Programs that are drawn at most; of more, those that saw validation come first.
MOST = 300
#: Inches of a line.
LINE = 0.15
#: Standings that are drawn full; all others are open.
STANDING = ("both", "capability", "deploy")


@dataclass
class Placed:
    """Where everything stands: one line a program, columns by depth.

    Attributes
    ----------
    edges : list of (x, y, x, y)
    labels : list of (x, y, primitive)
    programs : list of (x, y, text, whether it stands on a frontier)
    """

    edges: list[tuple[float, float, float, float]] = field(default_factory=list)
    labels: list[tuple[float, float, str]] = field(default_factory=list)
    programs: list[tuple[float, float, str, bool]] = field(default_factory=list)

    def add(self, node: TrieNode, depth: int) -> float:
        """Place a node and all below it; the height it stands at."""
        heights = []
        for program in node.programs:
            height = -float(len(self.programs))
            when = "seed" if program.step < 0 else f"step {program.step}"
            worth = "" if program.value is None else f", {100 * program.value:.1f} %"
            told = f"{when}, {program.status}{worth}"
            self.programs.append((depth, height, told, program.status in STANDING))
            heights.append(height)
        for child in node.children.values():
            height = self.add(child, depth + 1)
            self.edges.append(
                (depth, heights[0] if heights else height, depth + 1, height)
            )
            self.labels.append((depth + 1, height, child.primitive))
            heights.append(height)
        return heights[0] if heights else 0.0


def drawn_programs(run: Evolved) -> Evolved:
    """The run with the programs that are drawn, in their order."""
    weighed = [one for one in run.programs if one.value is not None]
    others = [one for one in run.programs if one.value is None]
    kept = {id(one) for one in [*weighed, *others][:MOST]}
    return Evolved(run.name, [one for one in run.programs if id(one) in kept])


def placed(run: Evolved) -> Placed:
    """The lines of a drawing, top down."""
    found = Placed()
    found.add(trie(run.programs), 0)
    return found


def draw_trie(panel: "Axes", run: Evolved, places: Placed) -> None:
    """Draw the programs of a run; those on a frontier have a full mark."""
    for x, y, to_x, to_y in places.edges:
        panel.plot([x, x, to_x], [y, to_y, to_y], "-", color=SERIES, linewidth=0.5)
    for x, y, primitive in places.labels:
        short = primitive.split("_")[0]
        panel.text(x - 0.92, y + 0.12, visible_text(short), fontsize=6)
    for x, y, told, standing in places.programs:
        panel.plot(
            [x], [y], "o", color=SERIES, markersize=3,
            fillstyle="full" if standing else "none",
        )  # fmt: skip
        panel.text(x + 0.08, y - 0.25, visible_text(told), fontsize=6)
    deepest = max((x for x, *_ in places.programs), default=1)
    panel.set_xlim(-0.1, deepest + 1.6)
    panel.set_ylim(-len(places.programs) - 0.5, 1)
    left = len(run.programs) - len(places.programs)
    more = f"; {left} more that never saw validation" if left else ""
    title = f"Programs tried, {run.name}: full marks stand on a frontier{more}"
    panel.set_title(visible_text(title), loc="left", fontsize=9.5)
    panel.set_axis_off()
