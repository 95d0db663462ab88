"""CPU time of building memories, stage by stage, encoding left out.

    skillmill run --configfile configs/locomo.yaml memory
    OMP_NUM_THREADS=1 python -m benchmarks.construction

Each stage runs as its rule does, on the conversations of a built study, with fresh
record stores and the study's vectors, for nouns, named entities and both. What loads a
tagger is timed apart, once, since it does not grow with the data. Prints a table,
asserts nothing.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import spacy

from skillmill.interfaces.job import Counts
from skillmill.models.tagger import DEFAULT_TAGGER, load_tagger
from skillmill.store.artifact import Provenance
from tests.interfaces.test_memory_scripts import script


def main() -> None:
    """Print CPU milliseconds an atom for each stage of each shard, summed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--study", default="locomo")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--shards", nargs="*", help="Only these.")
    asked = parser.parse_args()
    folder = asked.results / asked.study / "memory"
    names = sorted(path.parent.name for path in folder.glob("*/atoms.sqlite"))
    load_once()
    for kinds in (("noun",), ("ner",), ("ner", "noun")):
        tagger = load_tagger(DEFAULT_TAGGER, kinds)
        warm = cpu(partial(tagger.tag, ["Oslo is cold."]))
        spent: dict[str, float] = {}
        atoms = 0
        for name in asked.shards or names:
            with tempfile.TemporaryDirectory() as place:
                atoms += build(folder, int(name), len(names), kinds, Path(place), spent)
        print(
            f"{' and '.join(kinds)}: {atoms} atoms; the tagger {warm:.1f} CPU-s a job"
        )
        for stage, seconds in {**spent, "all": sum(spent.values())}.items():
            print(f"  {stage:12} {1000 * seconds / atoms:6.2f} CPU-ms an atom")


def load_once() -> None:
    """Have spaCy give the pipeline that it has loaded before, if it has."""
    spacy_load = spacy.load
    load = cache(lambda name, out, off: spacy_load(name, exclude=out, disable=off))
    spacy.load = lambda name, exclude, disable: load(
        name, *map(tuple, (exclude, disable))
    )


def cpu(stage: Callable[[], object]) -> float:
    """CPU seconds of a call, all threads together."""
    started = time.process_time()
    stage()
    return time.process_time() - started


def build(
    folder: Path,
    shard: int,
    shards: int,
    kinds: tuple[str, ...],
    place: Path,
    spent: dict[str, float],
) -> int:
    """Build one shard in another place; adds to the seconds spent, gives its atoms."""
    vectors = folder / str(shard) / "vectors.sqlite"
    own = {n: place / f"{n}.sqlite" for n in ("atoms", "entities", "relations")}
    counts = Counts()

    def usual(stage: str, kind: str) -> dict:
        made = Provenance(kind, "benchmark", "0", "0" * 16)
        output = own.get(stage, place / "memory.sqlite")
        return {"output": output, "provenance": made, "counts": counts}

    stages: dict[str, Callable[[], object]] = {
        "atoms": lambda: script("atoms").main(
            conversations_path=folder / "conversations.sqlite",
            shard=shard,
            shards=shards,
            granularity="turn_pair",
            **usual("atoms", "atoms"),
        ),
        "entities": lambda: script("entities").main(
            atoms_path=own["atoms"],
            tagger=DEFAULT_TAGGER,
            kinds=kinds,
            records=place / "records",
            **usual("entities", "entities"),
        ),
        "relations": lambda: script("relations").main(
            atoms_path=own["atoms"],
            vectors_path=vectors,
            neighbours=5,
            **usual("relations", "edges"),
        ),
        "memory": lambda: script("memory_store").main(
            stores=[own["atoms"], own["entities"], vectors, own["relations"]],
            typed=False,
            lacking=[],
            **usual("memory", "memory"),
        ),
    }
    made = 0
    for stage, run in stages.items():
        spent[stage] = spent.get(stage, 0.0) + cpu(run)
        made = made or counts.total("ok")
    return made


if __name__ == "__main__":
    main()
