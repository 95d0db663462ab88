"""Speed and memory of tracing: walks, matching, and the dependency graph.

    python -m benchmarks.trace [--largest 80000]

Random graphs and schemas with seeds; CPU time of one thread, the least of several
tries. networkx's PageRank runs on the same graph. Prints tables, asserts nothing.
"""

import argparse
import resource
import time
from collections.abc import Callable

import networkx as nx
import numpy as np

from skillmill.compute.matching import assign
from skillmill.compute.pagerank import pagerank, transition
from skillmill.library.dependencies import find_dependencies
from skillmill.library.ioschema import IOSchema, Slot
from skillmill.library.prerequisites import both_ways

EDGES_A_SKILL = 8


def least(function: Callable[[], object], tries: int) -> float:
    """Milliseconds of CPU time, the least of several tries."""
    took = []
    for _ in range(tries):
        start = time.process_time()
        function()
        took.append(time.process_time() - start)
    return 1e3 * min(took)


def walks(n: int) -> None:
    """One walk from eight seeds, ours and networkx's."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, n, (EDGES_A_SKILL * n, 2))
    weights = rng.uniform(0.6, 1, len(ends))
    row = {str(number): number for number in range(n)}
    arcs = [
        (str(a), str(b), w)
        for (a, b), w in zip(ends.tolist(), weights.tolist(), strict=True)
    ]
    graph = both_ways(row, arcs)
    walk = transition(graph)
    seeds = np.zeros(n)
    seeds[rng.integers(0, n, 8)] = 1
    ours = least(lambda: pagerank(walk, seeds, 0.2), 5)
    found = pagerank(walk, seeds, 0.2)
    other = nx.from_scipy_sparse_array(graph)
    start = {int(node): 1.0 for node in np.flatnonzero(seeds)}
    theirs = least(
        lambda: nx.pagerank(other, alpha=0.8, personalization=start, tol=1e-6 / n), 1
    )
    print(
        f"walk     {n:>7,} skills {graph.nnz:>9,} arcs  {ours:7.1f} ms in"
        f" {found.steps} steps, networkx {theirs:8.0f} ms: {theirs / ours:.0f} x"
    )


def matching(q: int, n: int) -> None:
    """One exact assignment."""
    weights = np.random.default_rng(0).random((q, n)).astype(np.float32)
    print(f"matching {q:>3} x {n:>7,}  {least(lambda: assign(weights), 9):7.2f} ms")


def dependencies(n: int) -> None:
    """The graph of skills that take two of n / 4 things and make two."""
    slots = np.random.default_rng(0).integers(0, n // 4, (n, 4)).astype(str).tolist()

    def made(names: list[str]) -> tuple[Slot, ...]:
        return tuple(Slot(name, "artefact", "declared") for name in sorted(set(names)))

    schemas = [
        IOSchema(f"s{number:07d}", made(own[:2]), made(own[2:]))
        for number, own in enumerate(slots)
    ]
    start = time.process_time()
    found = find_dependencies(schemas)
    took = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"graph    {n:>7,} skills {len(found.edges):>9,} edges  {took:7.1f} s,"
        f" peak of the process {peak:,.0f} MB"
    )


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=80_000)
    largest = parser.parse_args().largest
    sizes = [n for n in (5_000, 22_600, 80_000) if n <= largest]
    for n in sizes:
        dependencies(n)
    for n in sizes:
        matching(10, n)
    for n in sizes:
        walks(n)


if __name__ == "__main__":
    main()
