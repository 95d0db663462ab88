"""What a bundle costs against the numbers of skills (N) and of atomic requirements (Q).

SkillTrace, eq. 10: QN for the cosines, Q^2 N for the matching, K(N + E) for the walk.

    python -m benchmarks.trace_scaling [--sizes 1000 22600 80000] [--leaves 1 5 10 20]

CPU time on one thread, synthetic vectors, eight edges a skill; the best of three.
"""

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from skillmill.compute.matching import assign
from skillmill.library.dependencies import Dependency
from skillmill.library.prerequisites import DependencyGraph
from skillmill.library.querytree import QueryNode, QueryTree
from skillmill.library.trace import trace
from skillmill.library.tracing import TraceLibrary, TraceQuery, TraceSettings
from skillmill.types import Ranking

WIDTH = 384
EDGES = 8


def best_ms(act: Callable[[], object]) -> float:
    """Milliseconds of CPU, the best of three."""
    took = []
    for _ in range(3):
        started = time.process_time()
        act()
        took.append(time.process_time() - started)
    return 1000 * min(took)


def library(n: int, rng: np.random.Generator) -> TraceLibrary:
    """A library with eight producers of each skill, at most 50 before it."""
    ids = [f"s{number:07d}" for number in range(n)]
    back = rng.integers(1, 51, size=(n, EDGES))
    edges = []
    for consumer in range(n):
        for producer in {consumer - step for step in back[consumer].tolist()}:
            if producer >= 0:
                slot = f"o{producer}"
                edges.append(
                    Dependency(
                        ids[producer], ids[consumer], 0.8, ((slot, slot, 1.0),), "rule"
                    )
                )
    return TraceLibrary(DependencyGraph(ids, edges))


def query(
    lib: TraceLibrary, vectors: np.ndarray, leaves: int, rng: np.random.Generator
) -> TraceQuery:
    """A task of so many leaves, near as many skills."""
    rows = rng.integers(0, len(lib.ids), size=leaves)
    asked = vectors[rows] + 0.5 * rng.normal(size=(leaves, WIDTH)).astype(np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    cosines = asked @ vectors.T
    whole = cosines.mean(axis=0)
    order = np.argsort(-whole)[:50]
    root = QueryNode("0", None, "all")
    nodes = [QueryNode(str(n + 1), "0", f"step {n}") for n in range(leaves)]
    return TraceQuery(
        tree=QueryTree("task", (root, *nodes), "llm", "ok", ""),
        ranking=Ranking(
            "hybrid",
            "task",
            tuple(lib.ids[row] for row in order),
            tuple(float(whole[row]) for row in order),
        ),
        leaf_cosines=cosines,
        whole_cosines=whole,
        whole_scores=whole,
    )


def row(n: int, lib: TraceLibrary, vectors: np.ndarray, leaves: int) -> str:
    """One row of the table."""
    rng = np.random.default_rng(leaves)
    asked = query(lib, vectors, leaves, rng)
    unit = vectors[rng.integers(0, n, size=leaves)]
    paper = TraceSettings(mode="paper", budget=8, supporting=2)
    seeds = dict(zip(asked.ranking.items[:6], asked.ranking.scores, strict=False))
    parts = (
        best_ms(lambda: unit @ vectors.T),
        best_ms(lambda: assign(np.asarray(asked.leaf_cosines, dtype=np.float64), 0.0)),
        best_ms(lambda: lib.graph.relevance(seeds)),
        best_ms(lambda: trace(lib, asked, paper)),
    )
    return f"| {n:,} | {leaves} | " + " | ".join(f"{ms:.1f}" for ms in parts) + " |"


def main(sizes: Sequence[int], leaves: Sequence[int]) -> None:
    """Print the table."""
    print("| N | Q | cosines ms | matching ms | walk ms | whole bundle ms |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n in sizes:
        rng = np.random.default_rng(n)
        vectors = rng.normal(size=(n, WIDTH)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        lib = library(n, rng)
        for count in leaves:
            print(row(n, lib, vectors, count), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 22_600, 80_000])
    parser.add_argument("--leaves", type=int, nargs="+", default=[1, 5, 10, 20])
    asked = parser.parse_args()
    main(asked.sizes, asked.leaves)
