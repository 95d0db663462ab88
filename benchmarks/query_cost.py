"""What each part of a query costs, with the encoding, among a study's skills.

    OMP_NUM_THREADS=1 python -m benchmarks.query_cost results/registry/library
        [--backends torch onnx onnx-uint8] [--tasks FILE] [--repeats 3]

The study must be built (configs/registry.yaml). Asks for its tasks, and for the 90
terse queries of data/queries. CPU milliseconds of this process with one thread, median
over queries of the least of some repeats: cutting into sentences and pieces, encoding
the whole text, encoding its sentences, words (BM25), then the rest of the hybrid arm
(cosines, sentences against candidates, fusion, sorting). Prints a table and asserts
nothing.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from skillmill.interfaces.libraries import read_skills
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.sentences import sentences
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.store import artifact, catalogue

TERSE = Path(__file__).parents[1] / "data" / "queries" / "non_echo.jsonl"
PARTS = ("pieces", "whole", "sentences", "words", "rest", "all")


def cpu_ms(function: Callable[[], object], repeats: int) -> float:
    """The least CPU milliseconds of some calls."""
    found = []
    for _ in range(repeats):
        started = time.process_time()
        function()
        found.append(1000 * (time.process_time() - started))
    return min(found)


def costs(text: str, encoder, ranker: Ranker, repeats: int) -> dict[str, float]:
    """CPU milliseconds of each part of one query."""
    cut = sentences(text)
    vectors = np.asarray(encoder.encode([text, *cut]))
    query = Query("q", text, vectors)
    found = {
        "pieces": cpu_ms(
            lambda: list(encoder._batches([text, *sentences(text)])), repeats
        ),
        "whole": cpu_ms(lambda: encoder.encode([text]), repeats),
        "sentences": cpu_ms(lambda: encoder.encode(cut), repeats) if cut else 0.0,
        "words": cpu_ms(lambda: ranker.answer("keyword", query), repeats),
    }
    hybrid = cpu_ms(lambda: ranker.answer("hybrid", query), repeats)
    found["rest"] = max(hybrid - found["words"], 0.0)
    found["all"] = cpu_ms(
        lambda: ranker.answer(
            "hybrid", Query("q", text, encoder.encode([text, *sentences(text)]))
        ),
        repeats,
    )
    return found


def main() -> None:
    """Print a row for each backend and set of queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument(
        "--backends", nargs="+", default=["torch", "onnx", "onnx-uint8"]
    )
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    stores = [options.library / f"{name}.sqlite" for name in ("catalogue", "vectors")]
    skills = read_skills(*stores)
    with artifact.reading(options.library / "tasks.sqlite", "tasks") as db:
        tasks = [task.text for task in catalogue.load_tasks(db)]
    terse = [json.loads(line)["text"] for line in TERSE.read_text().splitlines()]
    ranker = Ranker(skills.ids, skills.texts, skills.vectors, names=skills.names)
    print(f"{len(skills.ids)} skills")
    print("| backend | queries |", " | ".join(PARTS), "| p95 of all |")
    for backend in options.backends:
        encoder = load_encoder(EncoderSettings(backend=backend))
        encoder.encode(["warm"])
        for name, texts in (("tasks", tasks), ("terse", terse)):
            rows = [costs(text, encoder, ranker, options.repeats) for text in texts]
            middle = [f"{median(row[part] for row in rows):.1f}" for part in PARTS]
            high = np.quantile([row["all"] for row in rows], 0.95)
            count = f"{name}, n = {len(texts)}"
            print(f"| {backend} | {count} |", " | ".join(middle), f"| {high:.1f} |")


if __name__ == "__main__":
    main()
