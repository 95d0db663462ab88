"""The rules of a workflow drawn in layers, without graphviz."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree

from skillmill.report.visible import visible_text

_CHARACTER = 7.4  # px, a monospace character at 12 px with some air
_PADDING = 10
_BOX_HEIGHT = 26
_LAYER_STEP = 66
_GAP = 22
_MARGIN = 8
_SWEEPS = 12
_FONT = "ui-monospace, 'DejaVu Sans Mono', monospace"


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a layer: a rule, or a bend of an arrow that passes the layer."""

    rule: str
    passes_to: str | None = None
    layer: int = 0

    @property
    def width(self) -> float:
        """Pixels that the slot takes."""
        if self.passes_to is not None:
            return 6
        return len(visible_text(self.rule)) * _CHARACTER + 2 * _PADDING


def rule_graph(edges: Iterable[tuple[str, str]]) -> str:
    """Return the graph of (rule, depends_on) pairs as SVG, sources on top.

    An arrow leads from a rule to the one that reads its result; arrows that a
    longer way implies are left out. Equal edges, in any order, give equal bytes.

    Raises
    ------
    ValueError
        If rules depend on each other in a circle.

    Notes
    -----
    Layers are topological generations; within a layer rules are ordered by the mean
    place of their neighbours, swept down and up (Sugiyama's barycentre method).
    """
    import networkx  # noqa: PLC0415 - slow to import

    graph = networkx.DiGraph((source, rule) for rule, source in sorted(set(edges)))
    if not networkx.is_directed_acyclic_graph(graph):
        circle = [source for source, _ in networkx.find_cycle(graph)]
        raise ValueError(f"rules depend on each other in a circle: {circle}")
    generations = [sorted(rules) for rules in networkx.topological_generations(graph)]
    arrows = sorted(networkx.transitive_reduction(graph).edges)
    layers, links = _slots(generations, arrows)
    return _draw(_places(_ordered(layers, links), links), links)


def _slots(
    generations: Sequence[Sequence[str]], arrows: Iterable[tuple[str, str]]
) -> tuple[list[list[Slot]], list[tuple[Slot, Slot]]]:
    """Return the layers, with bends where an arrow passes, and the links between."""
    layers = [
        [Slot(rule, layer=depth) for rule in rules]
        for depth, rules in enumerate(generations)
    ]
    slot_of = {slot.rule: slot for layer in layers for slot in layer}
    links: list[tuple[Slot, Slot]] = []
    for source, target in arrows:
        start, end = slot_of[source], slot_of[target]
        passed = range(start.layer + 1, end.layer)
        bends = [Slot(source, target, depth) for depth in passed]
        for bend in bends:
            layers[bend.layer].append(bend)
        links.extend(pairwise([start, *bends, end]))
    return layers, links


def _ordered(
    layers: list[list[Slot]], links: Sequence[tuple[Slot, Slot]]
) -> list[list[Slot]]:
    """Return the layers with their slots moved towards their neighbours."""
    above, below = _neighbours(links)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            place = {
                slot: position / len(other)
                for other in layers
                for position, slot in enumerate(other)
            }
            neighbours = above if downwards else below
            layer.sort(key=lambda slot: _mean(slot, neighbours, place))
    return layers


def _mean(
    slot: Slot, neighbours: dict[Slot, list[Slot]], place: dict[Slot, float]
) -> float:
    near = neighbours.get(slot)
    if not near:
        return round(place[slot], 9)
    return round(sum(place[other] for other in near) / len(near), 9)


def _neighbours(
    links: Sequence[tuple[Slot, Slot]],
) -> tuple[dict[Slot, list[Slot]], dict[Slot, list[Slot]]]:
    """Return each slot's neighbours in the layer above, and in the one below."""
    above: dict[Slot, list[Slot]] = {}
    below: dict[Slot, list[Slot]] = {}
    for upper, lower in links:
        below.setdefault(upper, []).append(lower)
        above.setdefault(lower, []).append(upper)
    return above, below


def _places(
    layers: Sequence[Sequence[Slot]], links: Sequence[tuple[Slot, Slot]]
) -> dict[Slot, tuple[float, float]]:
    """Return the centre of each slot in pixels, as near to its neighbours as fits."""
    across: dict[Slot, float] = {}
    for layer in layers:
        across |= zip(layer, _spread(layer, [0.0] * len(layer)), strict=True)
    for sweep in range(_SWEEPS):
        near = _neighbours(links)[sweep % 2]
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = [_mean(slot, near, across) for slot in layer]
            across |= zip(layer, _spread(layer, wanted), strict=True)
    left = min((x - slot.width / 2 for slot, x in across.items()), default=0.0)
    top = _MARGIN + _BOX_HEIGHT / 2
    return {
        slot: (round(x - left + _MARGIN, 1), top + slot.layer * _LAYER_STEP)
        for slot, x in across.items()
    }


def _spread(layer: Sequence[Slot], wanted: Sequence[float]) -> list[float]:
    """Return the centres nearest to `wanted` (least squares) that do not overlap.

    The slots keep their order. Pool adjacent violators: slots that would overlap
    move as one block to the mean of what its members want.
    """
    offset, offsets = 0.0, []
    for slot in layer:
        offsets.append(offset + slot.width / 2)
        offset += slot.width + _GAP
    blocks: list[tuple[float, int]] = []
    for want, shift in zip(wanted, offsets, strict=True):
        mean, size = want - shift, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean = (mean * size + other * count) / (size + count)
            size += count
        blocks.append((mean, size))
    starts = [mean for mean, size in blocks for _ in range(size)]
    return [start + shift for start, shift in zip(starts, offsets, strict=True)]


def _draw(
    centres: dict[Slot, tuple[float, float]], links: Sequence[tuple[Slot, Slot]]
) -> str:
    width = max((x + slot.width / 2 for slot, (x, _) in centres.items()), default=0)
    height = max((y for _, y in centres.values()), default=0) + _BOX_HEIGHT / 2
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{width + _MARGIN:.0f}",
            "height": f"{height + _MARGIN:.0f}",
            "viewBox": f"0 0 {width + _MARGIN:.0f} {height + _MARGIN:.0f}",
        },
    )
    _add_arrowhead(svg)
    for upper, lower in links:
        _add_link(svg, upper, lower, centres)
    for slot, (x, y) in centres.items():
        if slot.passes_to is None:
            _add_box(svg, slot, x, y)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def _add_arrowhead(svg: ElementTree.Element) -> None:
    marker = ElementTree.SubElement(
        ElementTree.SubElement(svg, "defs"),
        "marker",
        {
            "id": "arrow",
            "viewBox": "0 0 8 8",
            "refX": "7",
            "refY": "4",
            "markerWidth": "7",
            "markerHeight": "7",
            "orient": "auto",
        },
    )
    ElementTree.SubElement(
        marker,
        "path",
        {"d": "M0 0.5 8 4 0 7.5z", "style": "fill: var(--soft, #75797f)"},
    )


def _add_link(
    svg: ElementTree.Element,
    upper: Slot,
    lower: Slot,
    centres: dict[Slot, tuple[float, float]],
) -> None:
    """Draw one link as a curve that leaves and enters vertically."""
    (x1, y1), (x2, y2) = centres[upper], centres[lower]
    if upper.passes_to is None:
        y1 += _BOX_HEIGHT / 2
    arrow = {}
    if lower.passes_to is None:
        y2 -= _BOX_HEIGHT / 2
        arrow = {"marker-end": "url(#arrow)"}
    middle = (y1 + y2) / 2
    ElementTree.SubElement(
        svg,
        "path",
        {
            "d": f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}",
            "style": "fill: none; stroke: var(--soft, #75797f); stroke-width: 1.1",
        }
        | arrow,
    )


def _add_box(svg: ElementTree.Element, slot: Slot, x: float, y: float) -> None:
    ElementTree.SubElement(
        svg,
        "rect",
        {
            "x": f"{x - slot.width / 2:.1f}",
            "y": f"{y - _BOX_HEIGHT / 2:.1f}",
            "width": f"{slot.width:.1f}",
            "height": str(_BOX_HEIGHT),
            "rx": "4",
            "style": "fill: var(--wash, #f1f1ee); stroke: var(--soft, #75797f)",
        },
    )
    label = ElementTree.SubElement(
        svg,
        "text",
        {
            "x": str(x),
            "y": f"{y + 4:.1f}",
            "style": f"font: 12px {_FONT}; text-anchor: middle; "
            "fill: var(--ink, #1d1f22)",
        },
    )
    label.text = visible_text(slot.rule)
