"""Whether an encoder adapted to the library finds more: a small trial on SkillsBench.

    SKILLMILL_DATA=<folder> OMP_NUM_THREADS=1 python benchmarks/adapt.py --out <folder>

Trains as the rule `adapt_encoder` does (defaults of the configuration), on names and
sections of the 166 skills and the non-echo queries of every other skill, and ranks the
39 tasks and the queries of the other skills, whose texts it has not seen, with the
plain and the adapted encoder, alone and among 1,000 registry skills. Prints recall@5
and the paired difference with a 95 % bootstrap interval over queries. Asserts nothing.
"""

import argparse
import os
from pathlib import Path

import numpy as np

from skillmill.compute.scoring import recall
from skillmill.data.queries import load_queries
from skillmill.data.registry import choose_distractors, load_registry
from skillmill.data.skillfile import load_library
from skillmill.data.tasks import load_tasks
from skillmill.library.pairs import training_pairs
from skillmill.library.passages import skill_text
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.sentences import sentences
from skillmill.models.adapting import AdaptSettings, adapt
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.models.weights import BUNDLED, find_folder

QUERIES = Path(__file__).parents[1] / "data" / "queries" / "non_echo.jsonl"


def ranked(encoder, skills, tasks, names):
    """Arm -> recall@5 of each task among some skills."""
    texts = [skill_text(skill) for skill in skills]
    asked = [text for task in tasks for text in (task.text, *sentences(task.text))]
    fresh = [t for t in dict.fromkeys([*texts, *asked]) if t not in names]
    names.update(zip(fresh, encoder.encode(fresh), strict=True))
    ids = [skill.id for skill in skills]
    vectors = np.stack([names[text] for text in texts])
    ranker = Ranker(ids, texts, vectors, names=[skill.name for skill in skills])
    found = {"semantic": [], "hybrid": []}
    for task in tasks:
        parts = np.stack([names[t] for t in (task.text, *sentences(task.text))])
        for arm, values in found.items():
            items = ranker.answer(arm, Query(task.id, task.text, parts))[0].items
            values.append(recall(items, task.relevant, 5))
    return {arm: np.array(values, dtype=float) for arm, values in found.items()}


def main():
    """Train, rank, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--sections", type=int, default=8)
    parser.add_argument("--distractors", type=int, nargs="+", default=[0, 1_000])
    options = parser.parse_args()
    data = Path(os.environ["SKILLMILL_DATA"])
    skills, _ = load_library(data / "skillsbench" / "skills")
    listings, _ = load_registry(data / "registry" / "registry.jsonl.gz")
    known = {name: s.id for s in skills for name in (s.id, *s.aliases)}
    tasks, _ = load_tasks(data / "skillsbench" / "tasks.jsonl", known)
    queries, _ = load_queries(QUERIES, known)
    owners = sorted({task.relevant[0] for task in queries})[::2]
    seen = [task for task in queries if task.relevant[0] in owners]
    unseen = [task for task in queries if task.relevant[0] not in owners]
    pairs = training_pairs(skills, seen, sections=options.sections)
    settings = AdaptSettings(layers=options.layers)
    losses = adapt(find_folder(BUNDLED), pairs, settings, options.out)
    print(f"{len(pairs)} pairs, loss {losses}")
    vectors = {BUNDLED: {}, str(options.out): {}}
    rng = np.random.default_rng(0)
    for count in options.distractors:
        drawn = choose_distractors(skills, listings, count, 0) if count else []
        some = sorted([*skills, *drawn], key=lambda skill: skill.id)
        for name, asked in (("tasks", tasks), ("unseen queries", unseen)):
            plain, adapted = (
                ranked(
                    load_encoder(EncoderSettings(model, backend="onnx")),
                    some,
                    asked,
                    held,
                )
                for model, held in vectors.items()
            )
            for arm, before in plain.items():
                gain = adapted[arm] - before
                draws = gain[rng.integers(len(gain), size=(4000, len(gain)))].mean(1)
                low, high = np.quantile(draws, [0.025, 0.975])
                print(
                    f"+{count} {name}, n = {len(gain)}, {arm}: {before.mean():.3f}"
                    f" {adapted[arm].mean():.3f} {gain.mean():+.3f}"
                    f" [{low:+.3f}, {high:+.3f}]",
                    flush=True,
                )


if __name__ == "__main__":
    main()
