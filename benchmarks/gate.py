"""Calibration of the off-topic gate: thresholds, and what they refuse held out.

    skillmill run --configfile configs/registry.yaml
    OMP_NUM_THREADS=1 python benchmarks/gate.py [--results results/registry/library]

Takes the registry study's catalogue and vectors, its tasks, and the queries of
data/queries/. For the configured gate, and for one fitted to a stated rate, it prints
the share refused of queries that have a skill (all; those that do not echo) and of
off-topic ones, at four library sizes. Fitted ones choose on one half of the queries and
are measured on the other, 200 times. Prints tables and asserts nothing.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from skillmill.data.registry import draw
from skillmill.interfaces.libraries import read_skills
from skillmill.library.gate import REFERENCE, is_off_topic, rare_word
from skillmill.library.gatefit import fit
from skillmill.library.meaning import MeaningIndex
from skillmill.library.settings import RankerSettings
from skillmill.library.wordindex import WordIndex, terms_of
from skillmill.models.encoder import load_encoder
from skillmill.store import artifact, catalogue

QUERIES = Path(__file__).parents[1] / "data" / "queries"
SIZES = (0, 1_000, 5_000, None)
ON = ("non_echo", "echo", "tasks")
RATES = (0.01, 0.02, 0.03)
SPLITS = 200


def texts_of(results):
    """Texts by set: the queries that ship, and the study's tasks."""
    found = {}
    for name in ("non_echo", "echo", "off_topic"):
        lines = (QUERIES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        found[name] = [json.loads(line)["text"] for line in lines]
    with artifact.reading(results / "tasks.sqlite", "tasks") as db:
        found["tasks"] = [task.text for task in catalogue.load_tasks(db)]
    return found


def best_scores(results, texts, settings):
    """Size -> set -> (q, 2): best BM25 score in rare words, and best cosine."""
    skills = read_skills(results / "catalogue.sqlite", results / "vectors.sqlite")
    with artifact.reading(results / "catalogue.sqlite", "catalogue") as db:
        kinds = {skill.id: skill.kind for skill in catalogue.load_skills(db)}
    own = {item for item, kind in kinds.items() if kind == "skill"}
    listings = sorted(kinds.keys() - own)
    encoder = load_encoder()
    vectors = {name: encoder.encode(some) for name, some in texts.items()}
    found = {}
    for size in SIZES:
        part = skills.only(own | set(draw(listings, size, 0)))
        words = WordIndex(part.texts, part.names, settings)
        meaning = MeaningIndex(part.vectors)
        unit = rare_word(len(part.ids))
        found[len(part.ids)] = {
            name: np.array(
                [
                    (
                        words.scores(terms_of(text)).max() / unit,
                        meaning.cosines(meaning.direction(vector)[0]).max(),
                    )
                    for text, vector in zip(some, vectors[name], strict=True)
                ]
            )
            for name, some in texts.items()
        }
    return found


def refused(found, size, name, settings, words):
    """Share of a set that a gate refuses."""
    unit = rare_word(size)
    return np.mean(
        [
            is_off_topic(share * unit, size, None if words else cosine, settings)
            for share, cosine in found[size][name]
        ]
    )


def held_out(found, weight, rate):
    """Fitted on all, and mean shares refused of the halves that did not choose."""
    sizes = sorted(found)
    logs = np.log(np.array(sizes) / REFERENCE)

    def signal(name):
        rows = np.stack([found[size][name] for size in sizes])
        return rows[..., 0] if weight is None else weight * rows[..., 0] + rows[..., 1]

    on = np.concatenate([signal(name) for name in ON], axis=1)
    plain = np.arange(on.shape[1]) < len(found[sizes[0]][ON[0]])
    off = signal("off_topic")
    shares = []
    for seed in range(SPLITS):
        rng = np.random.default_rng(seed)
        some, other = (rng.permutation(part.shape[1]) for part in (on, off))
        growth, gate = fit(on[:, some[::2]], off[:, other[::2]], logs, rate)
        line = (gate + growth * logs)[:, None]
        below = on[:, some[1::2]] < line
        rest = off[:, other[1::2]] < line
        echoless = below[:, plain[some[1::2]]]
        shares.append([below.mean(1), echoless.mean(1), rest.mean(1)])
    return fit(on, off, logs, rate), np.mean(shares, axis=0)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default="results/registry/library")
    results = parser.parse_args().results
    settings = RankerSettings()
    texts = texts_of(results)
    found = best_scores(results, texts, settings)
    print("as configured: skills, arm, refused of", ", ".join(texts))
    for size in found:
        for words in (False, True):
            row = [refused(found, size, name, settings, words) for name in texts]
            arm = "keyword" if words else "hybrid"
            print(f"{size:>7} {arm:8}", " ".join(f"{share:.3f}" for share in row))
    print("fitted: weight, rate -> growth, gate; held out: all, not echoing, off topic")
    for weight in (0.1, 0.2, 0.3, None):
        for rate in RATES:
            (growth, gate), shares = held_out(found, weight, rate)
            print(f"{weight} {rate}: {growth:.3f} {gate:.3f}", shares.round(3).tolist())


if __name__ == "__main__":
    main()
