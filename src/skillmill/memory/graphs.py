"""The graphs of a memory as sparse matrices."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from skillmill.compute.pagerank import Transition, transition
from skillmill.types import Edge, Mention


@dataclass(frozen=True, eq=False)
class EntityGraph:
    """The two-sided graph of atoms and the entities they mention.

    Attributes
    ----------
    names : tuple of str
        Entities, sorted; entity i is node `atoms + i`.
    node : mapping of str to int
        Entity to node.
    adjacency : (atoms + entities, same) sparse
        1 where an atom mentions an entity, both ways.
    """

    names: tuple[str, ...]
    node: Mapping[str, int]
    adjacency: sparse.csr_array

    @cached_property
    def transition(self) -> Transition:
        """How a walk over the graph moves."""
        return transition(self.adjacency)


def entity_graph(
    row: Mapping[str, int], mentions: Iterable[Mention], barred: Collection[str]
) -> EntityGraph:
    """Join atoms to the entities that they mention, `barred` ones left out.

    `row` gives the number of each atom by its id.
    """
    held = [(row[m.owner], m.entity) for m in mentions if m.entity not in barred]
    names = tuple(sorted({entity for _, entity in held}))
    node = {name: len(row) + i for i, name in enumerate(names)}
    ends = sorted({(atom, node[entity]) for atom, entity in held})
    pairs = ends + [(target, source) for source, target in ends]
    size = len(row) + len(names)
    return EntityGraph(names, node, square_matrix(pairs, np.ones(len(pairs)), size))


def inward_edges(
    row: Mapping[str, int], edges: Iterable[Edge]
) -> dict[str, sparse.csr_array]:
    """Weights of the edges of each relation: a row for each target, a column a source.

    An edge without a weight counts as 1; those of one pair add up.
    """
    grouped: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        grouped[edge.relation].append(edge)
    return {
        relation: square_matrix(
            [(row[edge.target], row[edge.source]) for edge in own],
            np.array([1.0 if e.weight is None else e.weight for e in own]),
            len(row),
        )
        for relation, own in grouped.items()
    }


def square_matrix(
    pairs: Sequence[tuple[int, int]], weights: npt.NDArray[np.float64], size: int
) -> sparse.csr_array:
    """Make a sparse matrix of (row, column) pairs; repeats add up."""
    rows = np.array([row for row, _ in pairs], dtype=np.int64)
    columns = np.array([column for _, column in pairs], dtype=np.int64)
    return sparse.csr_array((weights, (rows, columns)), shape=(size, size))
