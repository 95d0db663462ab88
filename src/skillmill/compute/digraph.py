"""Directed graphs over ids: cycles, order, and how far one gets in a few hops."""

import heapq
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

#: Source and target.
Arc = tuple[str, str]
Item = TypeVar("Item", bound=Hashable)
_ROWS_AT_ONCE = 512


def drop_back_edges(
    arcs: Iterable[Arc], strength: Mapping[Arc, int] | None = None
) -> tuple[list[Arc], list[Arc]]:
    """Drop arcs until no cycle is left.

    A depth-first search goes through the ids in order and through each one's targets
    in order; an arc that leads back to an id on the way there is dropped. With
    `strength` the weakest arc of that cycle goes instead, of equals the last on the
    way, so that a strong one goes only if all on its cycle are as strong.

    Parameters
    ----------
    arcs : iterable of (source, target)
        In any order; repeats count once.
    strength : mapping, optional
        Of every arc; a higher number is stronger.

    Returns
    -------
    kept, dropped : lists of (source, target)
        Sorted; together they are the arcs. Each dropped one closes a cycle with kept
        ones alone.

    Raises
    ------
    ValueError
        If an arc joins an id to itself.

    Notes
    -----
    Comparative paper, section 2.2 (cycle safety), one call a relation.
    """
    unique = sorted(set(arcs))
    for source, target in unique:
        if source == target:
            raise ValueError(f"an arc joins {source!r} to itself")
    targets = _targets(unique)
    done: set[str] = set()
    dropped: list[Arc] = []
    while cycle := _first_cycle(targets, done):
        way = [*pairwise(cycle), (cycle[-1], cycle[0])]
        weakest = way[-1]
        if strength is not None:
            weakest = min(reversed(way), key=lambda arc: strength[arc])
        targets[weakest[0]].remove(weakest[1])
        dropped.append(weakest)
    if strength is not None:
        dropped = _still_closing(targets, dropped, strength)
    kept = sorted(set(unique) - set(dropped))
    return kept, sorted(dropped)


def topological_order(nodes: Iterable[str], arcs: Iterable[Arc]) -> list[str]:
    """Ids in an order in which every arc points forward; of those free, by id.

    Ids that only arcs name are in it, too.

    Raises
    ------
    ValueError
        If there is a cycle; it is named.
    """
    unique = sorted(set(arcs))
    targets = _targets(unique)
    waiting = dict.fromkeys([*nodes, *(node for arc in unique for node in arc)], 0)
    for _, target in unique:
        waiting[target] += 1
    free = [node for node, count in waiting.items() if not count]
    heapq.heapify(free)
    order = []
    while free:
        node = heapq.heappop(free)
        order.append(node)
        for target in targets.get(node, ()):
            waiting[target] -= 1
            if not waiting[target]:
                heapq.heappush(free, target)
    if len(order) < len(waiting):
        cycle = _first_cycle(targets, set()) or []
        raise ValueError(f"no order exists: {' > '.join([*cycle, *cycle[:1]])}")
    return order


def adjacency(n: int, pairs: npt.ArrayLike) -> "sparse.csr_array":
    """Matrix (n, n) of ones for undirected pairs of rows, both ways.

    `pairs` is (m, 2) ints; repeats count once, the diagonal stays empty.
    """
    ends = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    rows = np.concatenate([ends[:, 0], ends[:, 1]])
    columns = np.concatenate([ends[:, 1], ends[:, 0]])
    matrix = sparse.csr_array(
        (np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=(n, n)
    )
    matrix.data[:] = 1
    return matrix


def component_sizes(matrix: "sparse.csr_array") -> list[int]:
    """Sizes of the components of an undirected graph, largest first."""
    if not matrix.shape[0]:
        return []
    _, member = connected_components(matrix, directed=False)
    return sorted(np.bincount(member).tolist(), reverse=True)


def reach(
    matrix: "sparse.csr_array",
    hops: int,
    starts: npt.NDArray[np.intp] | None = None,
) -> npt.NDArray[np.intp]:
    """How many other nodes a node gets to within 1, 2, ... hops.

    Parameters
    ----------
    matrix : (n, n) sparse
        Not 0 where an arc leads from row to column.
    hops : int
        At least 1.
    starts : m ints, optional
        The nodes that are asked for; without it all, in order.

    Returns
    -------
    (hops, m) ints

    Raises
    ------
    ValueError
        If `hops` is below 1.

    Notes
    -----
    Works on some rows at a time: memory grows with how many nodes they get to.
    """
    if hops < 1:
        raise ValueError(f"hops must be at least 1, got {hops}")
    n = matrix.shape[0]
    step = matrix.astype(np.int32)
    step.eliminate_zeros()
    step.data[:] = 1
    nodes = np.arange(n) if starts is None else starts
    found = np.zeros((hops, len(nodes)), dtype=np.intp)
    for start in range(0, len(nodes), _ROWS_AT_ONCE):
        rows = nodes[start : start + _ROWS_AT_ONCE]
        places = (np.arange(len(rows)), rows)
        seen = sparse.csr_array(
            (np.ones(len(rows), dtype=np.int32), places), shape=(len(rows), n)
        )
        for hop in range(hops):
            seen = sparse.csr_array(seen + seen @ step)
            seen.data[:] = 1
            found[hop, start : start + len(rows)] = np.diff(seen.indptr) - 1
    return found


def distances(
    neighbours: Mapping[Item, Collection[Item]], starts: Iterable[Item], most: int
) -> dict[Item, int]:
    """Hops from the nearest of `starts` to each item within `most` hops.

    In the order in which they are met; the starts have 0.
    """
    found = dict.fromkeys(starts, 0)
    ring = list(found)
    for hop in range(1, most + 1):
        ring = [
            item
            for item in dict.fromkeys(
                there for here in ring for there in neighbours.get(here, ())
            )
            if item not in found
        ]
        found |= dict.fromkeys(ring, hop)
    return found


def row_distances(
    matrix: "sparse.csr_array", starts: npt.NDArray[np.intp], most: int
) -> npt.NDArray[np.int64]:
    """Hops from the nearest of some rows to each row, (n,); -1 beyond `most` hops.

    `matrix` is (n, n), not empty where an arc leads from row to column.
    """
    found = np.full(matrix.shape[0], -1)
    found[starts] = 0
    for hop in range(1, most + 1):
        met = np.zeros(len(found), dtype=bool)
        met[matrix[np.flatnonzero(found == hop - 1)].indices] = True
        found[met & (found < 0)] = hop
    return found


def _targets(arcs: Iterable[Arc]) -> dict[str, list[str]]:
    """Targets of each source, in the order of the arcs."""
    targets: dict[str, list[str]] = {}
    for source, target in arcs:
        targets.setdefault(source, []).append(target)
    return targets


def _first_cycle(targets: Mapping[str, Sequence[str]], done: set[str]) -> list[str]:
    """Ids of the first cycle met, in its direction; [] if there is none.

    `done` are ids from which no cycle can be met; it grows.
    """
    for root in sorted(targets):
        if root in done:
            continue
        way, place = [root], {root: 0}
        ahead = [iter(targets[root])]
        while way:
            node = next(ahead[-1], None)
            if node is None:
                done.add(way[-1])
                del place[way.pop()]
                ahead.pop()
            elif node in place:
                return way[place[node] :]
            elif node not in done:
                place[node] = len(way)
                way.append(node)
                ahead.append(iter(targets.get(node, ())))
    return []


def _still_closing(
    targets: dict[str, list[str]],
    dropped: Collection[Arc],
    strength: Mapping[Arc, int],
) -> list[Arc]:
    """Put back dropped arcs whose cycle lost another arc later; give the rest."""
    rest = []
    for arc in sorted(dropped, key=lambda arc: (-strength[arc], arc)):
        source, target = arc
        if source in distances(targets, [target], len(targets) + 1):
            rest.append(arc)
        else:
            targets[source].append(target)
    return rest
