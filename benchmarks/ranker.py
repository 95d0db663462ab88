"""Speed of the library rankers at four sizes, one thread, vectors known.

    OMP_NUM_THREADS=1 python benchmarks/ranker.py [--sizes 1000 22600 80000 1000000]

Skills are synthetic: words drawn by rank (Zipf), vectors at random. That is fair for
speed and says nothing about quality. A query is a task of twelve sentences. HNSW's
recall on random vectors is far below that on real ones; it is printed for real ones by
the rule `similar`. Prints a table and asserts nothing.
"""

import argparse
import importlib.util
import resource
import time

import numpy as np

from skillmill.compute.hnsw import HnswSettings, nearest_approximate
from skillmill.compute.vectors import nearest
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.settings import RankerSettings
from skillmill.library.wordindex import WordIndex

SIZES = (1_000, 22_600, 80_000, 1_000_000)
DIMENSION = 384
QUERIES = 40
#: Beyond these, exact neighbours take minutes, and an HNSW index, too.
EXACT_UP_TO = 22_600
HNSW_UP_TO = 80_000
COLUMNS = (
    *("skills", "BM25 build s", "vectors s", "query p50 ms", "p95 ms"),
    *("kNN exact s", "HNSW s", "HNSW recall", "peak MB"),
)


def library(size, rng):
    """Ids, names, texts and clustered unit vectors."""
    vocabulary = np.array([f"w{i}" for i in range(60_000)])
    drawn = vocabulary[np.minimum(rng.zipf(1.25, size=(size, 30)), 60_000) - 1]
    texts = [" ".join(row) for row in drawn]
    names = [" ".join(row[:2]) for row in drawn]
    centres = rng.normal(size=(max(1, size // 20), DIMENSION)).astype(np.float32)
    vectors = centres[rng.integers(len(centres), size=size)]
    vectors += 0.7 * rng.standard_normal((size, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [f"s{i:07}" for i in range(size)], names, texts, vectors


def timed(function):
    """Value and CPU seconds."""
    started = time.process_time()
    value = function()
    return value, time.process_time() - started


def measure(size, rng):
    """One row of the table."""
    ids, names, texts, vectors = library(size, rng)
    settings = RankerSettings()
    _, words_s = timed(lambda: WordIndex(texts, names, settings))
    ranker, both_s = timed(lambda: Ranker(ids, texts, vectors, settings, names=names))
    seconds = []
    for number in range(QUERIES):
        rows = rng.integers(size, size=12)
        text = ". ".join(texts[row] for row in rows)
        near = vectors[rows] + 0.05 * rng.normal(size=(12, DIMENSION))
        query = Query(f"q{number}", text, np.vstack([near.mean(axis=0), near]))
        _, spent = timed(lambda query=query: ranker.answer("hybrid", query))
        seconds.append(spent * 1000)
    exact = approximate = recall = None
    if size <= EXACT_UP_TO:
        _, exact = timed(lambda: nearest(vectors, 8, 0.5))
    if size <= HNSW_UP_TO and importlib.util.find_spec("hnswlib"):
        found, approximate = timed(
            lambda: nearest_approximate(vectors, 8, 0.5, HnswSettings())
        )
        recall = found.recall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    p50, p95 = np.percentile(seconds, [50, 95])
    return size, words_s, both_s - words_s, p50, p95, exact, approximate, recall, peak


def main():
    """Print the table, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    sizes = parser.parse_args().sizes
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " ---: |" * len(COLUMNS))
    for size in sizes:
        row = measure(size, np.random.default_rng(0))
        cells = [f"{row[0]:,}", *(("-" if v is None else f"{v:.4g}") for v in row[1:])]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
