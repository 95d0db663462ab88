"""Side by side with graph-of-skills: same library, tasks and encoder, one thread.

    SKILLMILL_DATA=<folder> OMP_NUM_THREADS=1 python benchmarks/peer_skills.py
        [--backend onnx-uint8] [--peer "COMMAND {library} {queries} {build} {out}"]

graph-of-skills is on no package index, so it is not installed with skillmill. Where it
is (`git clone` and `pip install` in an environment of its own, its embeddings pointed
at the same MiniLM), name a command that indexes {library} (a folder of SKILL.md files),
writes the file {build} when that is done, answers {queries} (JSONL: id, text) and
writes {out} (JSONL: id, items). Any other system can stand there the same way. Without
a command the peer is skipped with the reason, and ours is measured alone.

Times are CPU seconds of a process and its children, so that a busy machine does not
count; ours include the encoding of skills and of queries. Prints a table: build, mean
query, hit@5, recall@5, and the paired difference of recall@5 with a 95 % bootstrap
interval over tasks. Asserts nothing.
"""

import argparse
import importlib.util
import json
import os
import resource
import shlex
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from skillmill.compute.scoring import hit, recall
from skillmill.data.skillfile import load_library
from skillmill.data.tasks import load_tasks
from skillmill.library.passages import skill_text
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.sentences import sentences
from skillmill.models.encoder import EncoderSettings, load_encoder

K = 5
DRAWS = 4_000


def ours(skills, tasks, backend):
    """Build and query seconds, and the items found for each task."""
    encoder = load_encoder(EncoderSettings(backend=backend))
    encoder.encode(["warm"])  # imports and weights are no part of either side
    started = time.process_time()
    texts = [skill_text(skill) for skill in skills]
    names = [skill.name for skill in skills]
    ids = [skill.id for skill in skills]
    ranker = Ranker(ids, texts, encoder.encode(texts), names=names)
    built = time.process_time()
    found = {}
    for task in tasks:
        vectors = encoder.encode([task.text, *sentences(task.text)])
        ranking, _ = ranker.answer("hybrid", Query(task.id, task.text, vectors), K)
        found[task.id] = ranking.items
    return built - started, (time.process_time() - built) / len(tasks), found


def theirs(command, library, tasks):
    """The same of a command; its CPU time is split where it says it has built."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        files = {name: place / name for name in ("queries", "build", "out")}
        rows = [json.dumps({"id": task.id, "text": task.text}) for task in tasks]
        files["queries"].write_text("\n".join(rows) + "\n", encoding="utf-8")
        given = {name: str(file) for name, file in files.items()}
        line = shlex.split(command.format(library=library, **given))
        process = subprocess.Popen(line)
        marks = []
        watch = threading.Thread(target=_watch, args=(process, files["build"], marks))
        watch.start()
        if process.wait():
            raise SystemExit(f"peer: exit code {process.returncode}; nothing compared")
        watch.join()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = used.ru_utime + used.ru_stime
        lines = files["out"].read_text(encoding="utf-8").splitlines()
    found = {row["id"]: row["items"] for row in map(json.loads, lines)}
    built = marks[0] if marks else 0.0
    return built, (total - built) / len(tasks), found


def _watch(process, mark, marks):
    """Note the CPU seconds of a process when a file appears."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None and not marks:
        if mark.exists():
            fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1]
            marks.append(sum(map(int, fields.split()[11:15])) / ticks)
        time.sleep(0.02)


def main():
    """Measure both, or say why the peer is left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="Command of the peer, see above.")
    parser.add_argument("--backend", default="torch", help="Of our encoder.")
    options = parser.parse_args()
    command = options.peer
    library = Path(os.environ["SKILLMILL_DATA"]) / "skillsbench"
    skills, _ = load_library(library / "skills")
    known = {name: s.id for s in skills for name in (s.id, *s.aliases)}
    tasks, _ = load_tasks(library / "tasks.jsonl", known)
    sides = {"skillmill": ours(skills, tasks, options.backend)}
    if command:
        sides["peer"] = theirs(command, library / "skills", tasks)
    else:
        known_here = importlib.util.find_spec("gos") is not None
        state = "is installed" if known_here else "is not installed (on no index)"
        print(f"peer skipped: graph-of-skills {state} and no --peer names a command")
    print("| side | build s | query s | hit@5 | recall@5 | n |\n" + "| --- " * 6 + "|")
    recalls = {}
    for name, (built, query, found) in sides.items():
        lists = [[known.get(i, i) for i in found.get(task.id, ())] for task in tasks]
        pairs = list(zip(lists, tasks, strict=True))
        hits = np.mean([hit(items, task.relevant, K) for items, task in pairs])
        recalls[name] = np.array([recall(i, task.relevant, K) for i, task in pairs])
        row = (f"{built:.2f}", f"{query:.3f}", f"{hits:.3f}")
        print("|", " | ".join((name, *row, f"{recalls[name].mean():.3f}")), end="")
        print(f" | {len(tasks)} |")
    if command:
        gain = recalls["skillmill"] - recalls["peer"]
        rng = np.random.default_rng(0)
        means = gain[rng.integers(len(gain), size=(DRAWS, len(gain)))].mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        interval = f"[{low:+.3f}, {high:+.3f}]"
        print(f"recall@5, ours minus theirs: {gain.mean():+.3f} {interval}")


if __name__ == "__main__":
    main()
