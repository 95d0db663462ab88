"""Speed and recall of the encoder's backends; docs/encoders.md holds what this prints.

    OMP_NUM_THREADS=1 python benchmarks/encoders.py [--rounds 3] [--locomo 0]

Reads data/sample; with `--locomo N` also the first N conversations of LoCoMo in
`$SKILLMILL_DATA/locomo`. Every backend and batch size is timed once a round, so that
what else the machine does falls on all of them; medians are printed. `per CPU s` is
texts per second of CPU time, which other jobs disturb little; `wall` is per second on
the clock. Two to three minutes for the sample, half a one more for each conversation.
"""

import argparse
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from skillmill.compute.scoring import recall
from skillmill.data.chatlog import load_chatlog
from skillmill.data.locomo import load_locomo
from skillmill.data.skillfile import load_library
from skillmill.data.tasks import load_tasks
from skillmill.memory.atoms import evidence_atoms, strip_names, turn_pair_atoms
from skillmill.models.encoder import (
    Encoder,
    EncoderSettings,
    load_encoder,
    load_pieces,
)
from skillmill.models.hardware import has_bfloat16, instruction_set
from skillmill.types import ADVERSARIAL, Conversation, Question

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLE = REPOSITORY / "data" / "sample"
BACKENDS = ["torch", "onnx", "onnx-uint8"]
if has_bfloat16():
    BACKENDS.insert(1, "torch-bfloat16")
BATCHES = (1, 8, 16, 32, 64)
REFERENCE = ("torch", 16)
Run = tuple[str, int]


def main() -> None:
    """Print one table for speed and one for recall."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--locomo", type=int, default=0)
    given = parser.parse_args()
    conversations, questions, _ = load_chatlog(SAMPLE / "conversations.jsonl")
    texts = [atom.text for one in conversations for atom in turn_pair_atoms(one)]
    print_speed(texts, given.rounds)
    print_sentence_transformers(texts, given.rounds)
    encoders = {name: encoder(name, 16) for name in BACKENDS}
    tables = [
        ("sample library, recall@5", library_recalls),
        (
            "sample memory, recall@10",
            lambda e: memory_recalls(e, conversations, questions),
        ),
    ]
    if given.locomo:
        folder = os.environ.get("SKILLMILL_DATA", REPOSITORY.parent / "shared" / "data")
        real, asked, _ = load_locomo(Path(folder, "locomo"))
        real = real[: given.locomo]
        tables.append(("LoCoMo, recall@10", lambda e: memory_recalls(e, real, asked)))
    print_recall(encoders, tables)


def encoder(backend: str, batch_size: int) -> Encoder:
    """The bundled model, run by a backend on one thread."""
    return load_encoder(EncoderSettings(backend=backend, batch_size=batch_size))


def print_speed(texts: Sequence[str], rounds: int) -> None:
    """Texts per second of each backend and batch size, and how they differ."""
    runs: dict[Run, Encoder] = {
        (name, size): encoder(name, size) for name in BACKENDS for size in BATCHES
    }
    seconds = timed({run: one.encode for run, one in runs.items()}, texts, rounds)
    reference = runs[REFERENCE].encode(texts)
    pieces = load_pieces(EncoderSettings()).counts(texts)
    print(
        f"\n{len(texts)} turn pairs of {median(pieces):.0f} pieces (median), one"
        f" thread, {instruction_set()}, medians of {rounds} rounds\n"
    )
    print("| backend | batch | per CPU s | wall | times torch | cosine mean / least |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (name, size), (cpu, wall) in seconds.items():
        cosine = (runs[name, size].encode(texts) * reference).sum(axis=1)
        print(
            f"| {name} | {size} | {len(texts) / cpu:.0f} | {len(texts) / wall:.0f} |"
            f" {seconds[REFERENCE][0] / cpu:.1f} |"
            f" {cosine.mean():.5f} / {cosine.min():.5f} |"
        )


def print_sentence_transformers(texts: Sequence[str], rounds: int) -> None:
    """The library's own batching, which pads texts of different lengths."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 as in `torch`

    from skillmill.models.weights import find_folder  # noqa: PLC0415

    model = SentenceTransformer(str(find_folder(EncoderSettings().name)), device="cpu")
    runs = {
        size: lambda given, size=size: model.encode(
            given, batch_size=size, normalize_embeddings=True, show_progress_bar=False
        )
        for size in BATCHES[1:]
    }
    seconds = timed(runs, texts, rounds)
    print("\nsentence-transformers itself, per CPU s by batch size: ", end="")
    print(", ".join(f"{n}: {len(texts) / cpu:.0f}" for n, (cpu, _) in seconds.items()))


def timed(
    runs: Mapping[object, Callable[[Sequence[str]], object]],
    texts: Sequence[str],
    rounds: int,
) -> dict[object, tuple[float, float]]:
    """Median CPU and wall seconds of each run, one after the other in each round."""
    spent = {run: [] for run in runs}
    for call in runs.values():
        call(texts[:2])
    for _ in range(rounds):
        for run, call in runs.items():
            cpu, wall = time.process_time(), time.perf_counter()
            call(texts)
            spent[run].append((time.process_time() - cpu, time.perf_counter() - wall))
    return {
        run: tuple(map(median, zip(*times, strict=True)))
        for run, times in spent.items()
    }


def print_recall(
    encoders: Mapping[str, Encoder],
    tables: Sequence[tuple[str, Callable[[Encoder], Sequence[float]]]],
) -> None:
    """Recall of the plain cosine by backend, and against torch query by query."""
    print("\n| backend | " + " | ".join(name for name, _ in tables) + " |")
    print("| --- |" + " --- |" * len(tables))
    expected = [np.array(look(encoders["torch"])) for _, look in tables]
    for name, one in encoders.items():
        cells = []
        for (_, look), torch in zip(tables, expected, strict=True):
            found = np.array(look(one)) if name != "torch" else torch
            better, worse = (found > torch).sum(), (found < torch).sum()
            cells.append(
                f"{100 * found.mean():.1f} (n = {len(found)}; better {better},"
                f" worse {worse})"
            )
        print(f"| {name} | " + " | ".join(cells) + " |")


def library_recalls(encoder: Encoder) -> list[float]:
    """Recall@5 of the sample's tasks by the cosine with name and description."""
    skills, _ = load_library(SAMPLE / "library")
    tasks, _ = load_tasks(SAMPLE / "tasks.jsonl", {s.id: s.id for s in skills})
    ids = [skill.id for skill in skills]
    rows = encoder.encode([f"{s.name}: {s.description}" for s in skills])
    asked = encoder.encode([task.text for task in tasks])
    return recalls(asked @ rows.T, ids, [task.relevant for task in tasks], 5)


def memory_recalls(
    encoder: Encoder,
    conversations: Sequence[Conversation],
    questions: Sequence[Question],
) -> list[float]:
    """Recall@10 of evidence among turn pairs by cosine, speakers' names stripped."""
    found = []
    for conversation in conversations:
        atoms = turn_pair_atoms(conversation)
        mine = [
            (strip_names(q.text, conversation.speakers), evidence_atoms(q, atoms))
            for q in questions
            if q.conversation == conversation.id and q.category != ADVERSARIAL
        ]
        asked = [(text, gold) for text, gold in mine if gold]
        rows = encoder.encode([atom.text for atom in atoms])
        scores = encoder.encode([text for text, _ in asked]) @ rows.T
        ids = [atom.id for atom in atoms]
        found += recalls(scores, ids, [gold for _, gold in asked], 10)
    return found


def recalls(
    scores: np.ndarray, ids: Sequence[str], gold: Sequence[Sequence[str]], k: int
) -> list[float]:
    """Recall@k of each query that has something to find; ties by id."""
    found = []
    for row, relevant in zip(np.round(scores, 6), gold, strict=True):
        ranked = [
            ids[n] for n in sorted(range(len(ids)), key=lambda n: (-row[n], ids[n]))
        ]
        value = recall(ranked, set(relevant), k)
        if value is not None:
            found.append(value)
    return found


if __name__ == "__main__":
    main()
