"""Graphs that know nothing: what a gain by a real one has to beat."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skillmill.library.dependencies import Dependency
from skillmill.library.prerequisites import DependencyGraph
from skillmill.types import Edge


def dependencies_of(graph: DependencyGraph) -> list[Dependency]:
    """All dependencies of a graph, by consumer and producer."""
    return [edge for consumer in graph.ids for edge in graph.into(consumer)]


def shuffled_names(ids: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Another name for each skill: a permutation of all."""
    order = rng.permutation(len(ids)).tolist()
    return {name: ids[place] for name, place in zip(ids, order, strict=True)}


def permuted(
    edges: Sequence[Dependency], names: dict[str, str]
) -> list[Dependency]:  # fmt: skip
    """The same structure between other skills: degrees and cycles stay."""
    return [
        replace(edge, producer=names[edge.producer], consumer=names[edge.consumer])
        for edge in edges
    ]


def permuted_edges(edges: Sequence[Edge], names: dict[str, str]) -> list[Edge]:
    """The same for edges of a layer; those that lead out of the names are left out."""
    return [
        Edge(
            names[edge.source],
            names[edge.target],
            edge.relation,
            edge.weight,
            edge.provenance,
        )
        for edge in edges
        if edge.source in names and edge.target in names
    ]


def random_edges(
    edges: Sequence[Dependency], ids: Sequence[str], rng: np.random.Generator
) -> list[Dependency]:
    """As many edges between skills drawn at random, with the weights of the real ones.

    No two join the same producer and consumer, and none a skill to itself. Where the
    library is too small for so many, there are as many as it has room for.
    """
    n = len(ids)
    most = min(len(edges), n * (n - 1))
    taken: dict[tuple[int, int], None] = {}
    while len(taken) < most:
        ends = rng.integers(0, n, size=(2 * (most - len(taken)), 2)).tolist()
        for one, other in ends:
            if one != other and len(taken) < most:
                taken[one, other] = None
    return [
        replace(edge, producer=ids[one], consumer=ids[other])
        for edge, (one, other) in zip(edges, taken, strict=False)
    ]
