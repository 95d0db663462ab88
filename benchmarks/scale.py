"""Cost against size: seconds and peak memory of every rule, with a fitted exponent.

    python -m benchmarks.scale library 1000 10000 80000
    python -m benchmarks.scale memory 2 4 8
    python -m benchmarks.scale memory 8 500 --shards 4
    python -m benchmarks.scale plan 10000

`library` generates a registry of so many skills (JSON Lines), `memory` so many chat
histories of 50 sessions, in as many shards; both run through Snakemake, a process a
job. With `--shards` the histories are read and cut for all, and only so many of their
shards are built: their jobs do not know of the others. Vectors of generated texts are
drawn at random and recorded beforehand, so that all is measured but the encoder, whose
cost is per text (benchmarks/encoders).
`plan` times a dry run over so many SKILL.md files.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

from skillmill.config import check_config
from skillmill.interfaces.configured import encoder_settings
from skillmill.models.encoder import identity_of
from skillmill.store import artifact, passages
from skillmill.store.records import VectorRecords, text_key
from skillmill.store.runs import JobRow, read_jobs

REPOSITORY = Path(__file__).resolve().parent.parent
WORDS = [
    first + last
    for first in ("bar", "kel", "mor", "sel", "tan", "vin", "wes")
    for last in ("bour", "dial", "gine", "loom", "pot", "row", "vest")
]

#: Loads in a moment; the sample's twelve tasks are encoded by it.
ENCODER = {"encoder": {"backend": "onnx"}}

SESSIONS, TURNS, QUESTIONS = 50, 10, 4


def phrase(rng: np.random.Generator, length: int) -> str:
    """Some words in any order."""
    return " ".join(rng.choice(WORDS, size=length))


def write_registry(folder: Path, n: int) -> dict:
    """The configuration of a library of the sample and `n` registry rows."""
    rng = np.random.default_rng(0)
    file = folder / "registry.jsonl"
    with file.open("w") as out:
        for number in range(n):
            row = {
                "name": f"{phrase(rng, 1)}-{phrase(rng, 1)}-{number}",
                "description": f"{phrase(rng, 14).capitalize()}. Item {number}.",
                "id": f"listing-{number}",
            }
            out.write(json.dumps(row) + "\n")
    distractors = {"path": str(file), "count": "all"}
    return {"library": {"distractors": distractors}, "memory": {"path": None}}


def write_histories(folder: Path, n: int) -> dict:
    """The configuration of `n` histories, one a shard."""
    rng = np.random.default_rng(0)
    with (folder / "chats.jsonl").open("w") as out:
        for history in range(n):
            for session in range(SESSIONS):
                date = f"2024-{1 + session // 28:02d}-{1 + session % 28:02d}"
                for turn in range(TURNS):
                    row = {
                        "type": "turn", "conversation": f"history-{history}",
                        "session": session + 1, "date": date,
                        "speaker": ("Ines", "Otto")[turn % 2],
                        "text": f"{phrase(rng, 12).capitalize()}.",
                    }  # fmt: skip
                    out.write(json.dumps(row) + "\n")
            for number in range(QUESTIONS):
                row = {
                    "type": "question", "conversation": f"history-{history}",
                    "id": f"q{number}", "text": f"What of the {phrase(rng, 4)}?",
                    "answer": phrase(rng, 2), "category": "single-hop",
                    "evidence": [f"D{1 + number}:1"],
                }  # fmt: skip
                out.write(json.dumps(row) + "\n")
    memory = {"path": str(folder / "chats.jsonl"), "shards": n}
    return {"library": {"path": None, "tasks": None}, "memory": memory}


def run(folder: Path, *targets: str) -> float:
    """Seconds of one run of the workflow in `folder`."""
    started = time.monotonic()
    subprocess.run(
        [
            sys.executable, "-m", "skillmill", "run", *targets, "--snakefile",
            str(REPOSITORY / "Snakefile"), "--configfile", "overlay.yaml",
            "--cores", "1", "--quiet", "all",
        ],
        cwd=folder, check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "SKILLMILL_RUN": "scale"},
    )  # fmt: skip
    return time.monotonic() - started


def record_vectors(folder: Path, stores: list[Path]) -> int:
    """Record a random vector for every passage of the stores; how many."""
    identity = identity_of(encoder_settings(check_config(ENCODER).encoder))
    rng = np.random.default_rng(1)
    keys: dict[str, None] = {}
    for store in stores:
        with artifact.reading(store, artifact.kind_of(store)) as db:
            keys |= {text_key(row[3]): None for row in passages.load_all_passages(db)}
    with VectorRecords(folder / "records", identity) as records:
        for start in range(0, len(keys), 5000):
            some = list(keys)[start : start + 5000]
            matrix = rng.standard_normal((len(some), int(identity["dimension"])))
            records.add(some, matrix / np.linalg.norm(matrix, axis=1, keepdims=True))
    return len(keys)


def cpu_seconds() -> float:
    """CPU time of all that this process has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def build(track: str, n: int, some: int | None = None) -> list[JobRow]:
    """The jobs of a clean build of size `n`, or of `some` of its shards."""
    with tempfile.TemporaryDirectory(prefix="skillmill-scale-") as name:
        folder = Path(name)
        write = write_registry if track == "library" else write_histories
        overlay = write(folder, n) | ENCODER
        overlay |= {"study": "scale", "evaluation": {"bootstrap": 200}}
        (folder / "overlay.yaml").write_text(yaml.safe_dump(overlay))
        results = folder / "results" / "scale"
        shards = range(min(n, some or n))
        if track == "library":
            first = [results / "library" / "catalogue.sqlite"]
        else:
            first = [results / f"memory/{i}/{s}.sqlite" for i in shards
                     for s in ("atoms", "entities")]  # fmt: skip
        run(folder, *[str(path.relative_to(folder)) for path in first])
        record_vectors(folder, first)
        last = [f"results/scale/memory/{i}/{s}.sqlite" for i in shards
                for s in ("turns", "baselines", "answers")]  # fmt: skip
        run(folder, *(last if some else [track]))
        return read_jobs(folder / "records", "scale")


def table(track: str, sizes: list[int], some: int | None) -> str:
    """Rule by size: seconds (all shards) and peak MB of the largest job; exponent."""
    found: dict[str, dict[int, tuple[float, float]]] = {}
    cpu = []
    for n in sizes:
        before = cpu_seconds()
        jobs = build(track, n, some)
        cpu.append(cpu_seconds() - before)
        for job in jobs:
            seconds, peak = found.setdefault(job.rule, {}).get(n, (0.0, 0.0))
            found[job.rule][n] = seconds + job.seconds, max(peak, job.peak_mb)
    head = "".join(f"{n:>9} s {'MB':>6}" for n in sizes)
    lines = [f"{'rule':18}{head} exponent"]
    for rule, by_size in sorted(found.items()):
        cells = "".join(
            f"{by_size[n][0]:>11.2f} {by_size[n][1]:>6.0f}"
            if n in by_size
            else " " * 18
            for n in sizes
        )
        lines.append(f"{rule:18}{cells} {exponent(by_size):>8}")
    total = "".join(f"{seconds:>11.1f} {'':6}" for seconds in cpu)
    return "\n".join([*lines, f"{'CPU of all':18}{total}"])


def exponent(by_size: dict[int, tuple[float, float]]) -> str:
    """Slope of log seconds over log size; '-' where a stage is too short to tell."""
    points = [(n, seconds) for n, (seconds, _) in sorted(by_size.items())]
    if len(points) < 2 or points[-1][1] < 1:
        return "-"
    x, y = zip(*[(math.log(n), math.log(max(s, 1e-3))) for n, s in points[-2:]],
               strict=True)  # fmt: skip
    return f"{(y[1] - y[0]) / (x[1] - x[0]):.2f}"


def plan(n: int) -> str:
    """Wall and CPU seconds of a dry run over `n` SKILL.md files."""
    with tempfile.TemporaryDirectory(prefix="skillmill-plan-") as name:
        root = Path(name)
        for number in range(n):
            folder = root / "library" / f"part-{number % 100}" / f"skill-{number}"
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(
                f"---\nname: skill-{number}\ndescription: Does {number}.\n---\n"
            )
        overlay = {"library": {"path": str(root / "library")}, "study": "plan"}
        (root / "overlay.yaml").write_text(yaml.safe_dump(overlay))
        before, started = cpu_seconds(), time.monotonic()
        subprocess.run(
            [
                sys.executable, "-m", "skillmill", "run", "--snakefile",
                str(REPOSITORY / "Snakefile"), "--configfile", "overlay.yaml", "-n",
                "--quiet", "all",
            ],
            cwd=root, check=True,
        )  # fmt: skip
        wall, cpu = time.monotonic() - started, cpu_seconds() - before
        return f"dry run over {n} skills: {wall:.1f} s wall, {cpu:.1f} s CPU"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("track", choices=["library", "memory", "plan"])
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--shards", type=int, help="of `memory`, build only so many")
    given = parser.parse_args()
    if given.track == "plan":
        for n in given.sizes:
            print(plan(n))
    else:
        print(table(given.track, given.sizes, given.shards))


if __name__ == "__main__":
    main()
