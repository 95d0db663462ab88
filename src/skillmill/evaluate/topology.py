"""How the graph hangs together, and how much of it the embedding knew already."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from skillmill.compute.digraph import adjacency, component_sizes, reach
from skillmill.compute.randompairs import random_pairs
from skillmill.compute.statistics import wilson
from skillmill.library.vocabulary import disagree, pair_of
from skillmill.store.graph import (
    Bound,
    Candidate,
    Census,
    DroppedEdge,
    EdgeOrigin,
    Structure,
)
from skillmill.types import Edge

Pair = tuple[str, str]
#: Layers by name: the undirected pairs that each joins, in id order.
Layers = Mapping[str, set[Pair]]

RANDOM = "random"
ADDED_RANDOM = "similar + random"

#: Wired skills that reach is the mean of, at most.
REACH_FROM = 1000

_HOPS = 3
_MEASURES = ("wired", "components", "largest", "reach_1", "reach_2", "reach_3")


def distinct_pairs(edges: Iterable[Edge]) -> set[Pair]:
    """Undirected pairs that edges join, in id order."""
    return {pair_of(edge.source, edge.target) for edge in edges}


def layers_of(
    similar: Iterable[Edge],
    typed: Iterable[Edge],
    origins: Iterable[EdgeOrigin],
    candidates: Iterable[Candidate],
) -> dict[str, set[Pair]]:
    """The layers that are measured.

    `typed`, `similar` and `all`, both together; `typed:<origin>`, typed edges by how
    their pair was found; `candidates:<origin>`, what a model may choose from.
    """
    layers = {"typed": distinct_pairs(typed), "similar": distinct_pairs(similar)}
    layers["all"] = layers["typed"] | layers["similar"]
    for row in origins:
        pair = pair_of(row.source, row.target)
        layers.setdefault(f"typed:{row.origin}", set()).add(pair)
    for one in candidates:
        pair = pair_of(one.skill, one.candidate)
        layers.setdefault(f"candidates:{one.origin}", set()).add(pair)
    return dict(sorted(layers.items()))


def structure_rows(
    ids: Sequence[str], layers: Layers, rng: np.random.Generator, draws: int
) -> list[Structure]:
    """Measure each layer, and random graphs of its size beside it.

    Parameters
    ----------
    ids : n strings
        All skills, wired or not.
    layers : mapping
        As `layers_of` gives them; `all` gets a second control.
    rng : numpy Generator
    draws : int
        Random graphs that each control averages, at least 1.

    Returns
    -------
    list of Structure
        For each layer its own row; `random`, with as many pairs drawn from all; and
        for `all` `similar + random`: what typed edges add, drawn from the pairs that
        are not similar.

    Notes
    -----
    Comparative paper, table 2: reach is the mean over wired skills of how many others
    they get to in three hops, whichever way the edges go. Reach alone proves little:
    random edges raise it as well.
    Layers of one size share their random graphs, and equal graphs are measured once: of
    a large library most of the time goes into those.
    """
    place = {name: row for row, name in enumerate(ids)}
    pairs = {name: _rows(joined, place) for name, joined in layers.items()}
    measure = _Measure(len(ids))
    controls: dict[int, Structure] = {}
    found = []
    for name, joined in pairs.items():
        found.append(measure.mean(name, "", [joined]))
        size = len(joined)
        if size not in controls:
            drawn = (random_pairs(len(ids), size, (), rng) for _ in range(draws))
            controls[size] = measure.mean(name, RANDOM, drawn)
        found.append(controls[size]._replace(layer=name))
    if "all" in pairs and "similar" in pairs:
        base = pairs["similar"]
        more = len(pairs["all"]) - len(base)
        mixed = (
            np.concatenate([base, random_pairs(len(ids), more, base, rng)])
            for _ in range(draws)
        )
        found.append(measure.mean("all", ADDED_RANDOM, mixed))
    return found


def bound_rows(
    similar: Iterable[Edge],
    typed: Sequence[Edge],
    origins: Iterable[EdgeOrigin],
    candidates: Iterable[Candidate],
) -> list[Bound]:
    """Which share of the typed pairs `similar_to` joins, too.

    For all, and by the origin, provenance and relation of the edges; a pair counts in
    each group that one of its edges is in. The same for the candidates of each source,
    which bound what a model can choose.

    Notes
    -----
    Comparative paper, section 5.3: 98.6 % where all candidates came from the
    embedding, which is then no finding but the construction.
    """
    known = distinct_pairs(similar)
    groups: dict[tuple[str, str], set[Pair]] = {("all", ""): set()}
    for edge in typed:
        pair = pair_of(edge.source, edge.target)
        for group in (
            ("all", ""),
            ("provenance", edge.provenance),
            ("relation", edge.relation),
        ):
            groups.setdefault(group, set()).add(pair)
    for row in origins:
        pair = pair_of(row.source, row.target)
        groups.setdefault(("origin", row.origin), set()).add(pair)
    for one in candidates:
        pair = pair_of(one.skill, one.candidate)
        groups.setdefault(("candidates", one.origin), set()).add(pair)
    rows = []
    for (grouping, name), pairs in sorted(groups.items()):
        inside = len(pairs & known)
        share = wilson(inside, len(pairs))
        ends = (None,) * 3 if share is None else (round(x, 6) for x in share)
        rows.append(Bound(grouping, name, len(pairs), inside, *ends))
    return rows


def census_rows(typed: Sequence[Edge], dropped: Iterable[DroppedEdge]) -> list[Census]:
    """Pairs with several relations, and those that contradict themselves.

    Counted over the edges as proposed: those that were dropped because they contradict
    others count, too, so that dropping them does not hide how often it happens.
    `contradictory, kept` are the pairs that still do. Categories name the relation of
    each side, `requires / precedes` or `routes_to / routes_to reversed`, in the order
    of the names.

    Notes
    -----
    Comparative paper, section 6.3: 29.2 % of pairs with several, 8.5 % contradictory.
    """
    lost = [
        Edge(row.source, row.target, row.relation, None, "llm")
        for row in dropped
        if row.cause == "contradicted"
    ]
    by_pair: dict[Pair, list[Edge]] = defaultdict(list)
    for edge in [*typed, *lost]:
        by_pair[pair_of(edge.source, edge.target)].append(edge)
    total = len(by_pair)
    kinds: Counter[tuple[str, str]] = Counter({("pairs", ""): total})
    kept = {(e.source, e.target, e.relation) for e in typed}
    for edges in by_pair.values():
        kinds["several relations", ""] += len({_key(edge) for edge in edges}) > 1
        clashes = [pair for pair in combinations(edges, 2) if disagree(*pair)]
        kinds["contradictory", ""] += bool(clashes)
        stays = (_key(one) in kept and _key(other) in kept for one, other in clashes)
        kinds["contradictory, kept", ""] += any(stays)
        for name in {_category(*clash) for clash in clashes}:
            kinds["category", name] += 1
    return [
        Census(kind, name, n, round(n / total, 6) if total else None)
        for (kind, name), n in sorted(kinds.items())
    ]


def _key(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, edge.relation


def _category(one: Edge, other: Edge) -> str:
    """The two relations that disagree, and whether they point opposite ways."""
    first, second = sorted([one.relation, other.relation])
    turned = " reversed" if one.source == other.target else ""
    return f"{first} / {second}{turned}"


def _rows(pairs: Iterable[Pair], place: Mapping[str, int]) -> npt.NDArray[np.intp]:
    """Pairs as (m, 2) row numbers, sorted, without those of unknown skills."""
    n = max(len(place), 1)
    codes = [
        place[one] * n + place[other]
        for one, other in pairs
        if one in place and other in place
    ]
    known = np.sort(np.array(codes, dtype=np.intp))
    return np.stack([known // n, known % n], axis=1)


class _Measure:
    """Measures graphs of n skills; one that was met before is not measured again."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._met: dict[bytes, dict[str, float | None]] = {}

    def mean(
        self, layer: str, control: str, graphs: Iterable[npt.NDArray[np.intp]]
    ) -> Structure:
        """The mean of each measure over some graphs, which are pairs of rows."""
        sizes, found = [], []
        for pairs in graphs:
            key = hashlib.sha256(pairs.tobytes()).digest()
            if key not in self._met:
                self._met[key] = _measures(adjacency(self._n, pairs))
            sizes.append(len(pairs))
            found.append(self._met[key])
        values = []
        for name in _MEASURES:
            known = [value for graph in found if (value := graph[name]) is not None]
            values.append(round(float(np.mean(known)), 6) if known else None)
        wired, components, largest, *reached = values
        return Structure(
            layer=layer,
            control=control,
            draws=len(found),
            nodes=self._n,
            pairs=sizes[0],
            wired=wired or 0.0,
            components=components or 0.0,
            largest=largest or 0.0,
            reach_1=reached[0],
            reach_2=reached[1],
            reach_3=reached[2],
        )


def _measures(matrix: "sparse.csr_array") -> dict[str, float | None]:
    """Wired, components, largest, and mean reach of the wired."""
    wired = np.diff(matrix.indptr) > 0
    sizes = component_sizes(matrix)
    found: dict[str, float | None] = {
        "wired": float(wired.sum()),
        "components": float(len(sizes)),
        "largest": float(max(sizes, default=0)),
    }
    rows = np.flatnonzero(wired)
    # Evenly spaced in id order, so that a large library is measured in seconds.
    rows = rows[:: max(1, -(-len(rows) // REACH_FROM))]
    reached = reach(matrix, _HOPS, rows)
    for hop, counts in enumerate(reached, start=1):
        found[f"reach_{hop}"] = float(counts.mean()) if wired.any() else None
    return found
