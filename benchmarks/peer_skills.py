"""Side by side with graph-of-skills: same library, tasks and encoder, one thread.

    SKILLMILL_DATA=<folder> OMP_NUM_THREADS=1 python benchmarks/peer_skills.py
        [--backends onnx onnx-uint8] [--distractors 1000] [--cut 200]
        [--peer "COMMAND {library} {queries} {ready} {build} {out}"] [--server PID]

graph-of-skills is on no package index, so it is not installed with skillmill. Where it
is (`git clone` and `pip install` in an environment of its own, its embeddings pointed
at the same MiniLM), name a command that writes the file {ready} when its imports are
done (without it they count), indexes {library} (a folder of SKILL.md files), writes
{build}, answers {queries} (JSONL: id, text) and writes {out} (JSONL: id, items, which
are folders relative to {library}, and where known `cpu` and `encoding`: its own seconds
for that query and those of the encoder; without them each query has the mean). {ready}
and {build} are looked for 50 times a second: wait a moment after each. Any other system
can stand there the same way, and several: each `--peer` is a row. Without one the peer
is skipped with the reason, and ours is measured alone.

A peer that asks a server for its embeddings pays for them there: `--server` names the
server's process, whose CPU time is added in the column of encoding.

With `--cut` or `--distractors` (registry skills, drawn with seed 0) both sides see the
same text of each skill: its name and its description, cut to as many characters (200,
where listings of the registry end), no body; of two skills with one name the second is
called by its id, since a peer may hold a name once. Else the peer reads the files as
they are.

Times are CPU seconds of a process and its children, so that a busy machine does not
count, without imports and the loading of weights, with the encoding of skills and
queries. Prints a table: build and queries, and how much of each is encoding, hit@5,
recall@5, then the paired difference of recall@5 with a 95 % bootstrap interval over
tasks, of each of our rows to each peer. Asserts nothing.
"""

import argparse
import importlib.util
import itertools
import json
import os
import resource
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from skillmill.compute.scoring import hit, recall
from skillmill.data.registry import choose_distractors, load_registry
from skillmill.data.skillfile import load_library
from skillmill.data.tasks import load_tasks
from skillmill.library.passages import skill_text
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.sentences import sentences
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.types import LibrarySkill, Task

K = 5
DRAWS = 4_000
CUT = 200
COLUMNS = (
    *("side", "build s", "of it encoding", "query ms", "p50", "p95"),
    *("of it encoding", "hit@5", "recall@5", "n"),
)


@dataclass(frozen=True)
class Side:
    """What one system cost, CPU seconds with encoding, and what it found."""

    build: float
    build_encoding: float
    queries: Sequence[float]
    query_encoding: float
    found: Mapping[str, Sequence[str]]


def ours(skills: Sequence[LibrarySkill], tasks: Sequence[Task], backend: str) -> Side:
    """Index the skills and answer the tasks in this process."""
    encoder = load_encoder(EncoderSettings(backend=backend))
    encoder.encode(["warm"])  # imports and weights are no part of either side
    started = time.process_time()
    texts = [skill_text(skill) for skill in skills]
    vectors = encoder.encode(texts)
    encoded = time.process_time()
    names = [skill.name for skill in skills]
    ranker = Ranker([skill.id for skill in skills], texts, vectors, names=names)
    built = time.process_time()
    found, spent, encoding = {}, [], 0.0
    for task in tasks:
        asked = time.process_time()
        parts = encoder.encode([task.text, *sentences(task.text)])
        encoding += time.process_time() - asked
        ranking, _ = ranker.answer("hybrid", Query(task.id, task.text, parts), K)
        spent.append(time.process_time() - asked)
        found[task.id] = ranking.items
    return Side(built - started, encoded - started, spent, encoding / len(tasks), found)


def theirs(
    command: str, library: Path, tasks: Sequence[Task], server: int | None
) -> Side:
    """Run a peer's command; its CPU time is split where it says how far it is."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        files = {name: place / name for name in ("queries", "ready", "build", "out")}
        asked = [json.dumps({"id": task.id, "text": task.text}) for task in tasks]
        files["queries"].write_text("\n".join(asked) + "\n", encoding="utf-8")
        marks = _run(command, library, files, server)
        lines = files["out"].read_text(encoding="utf-8").splitlines()
    own = {name: mark[0] for name, mark in marks.items()}
    served = {name: mark[1] for name, mark in marks.items()}
    rows = [json.loads(line) for line in lines]
    mean = (own["end"] - own["build"]) / len(tasks)
    mean_served = (served["end"] - served["build"]) / len(tasks)
    encoding = [row.get("encoding", mean_served) for row in rows]
    return Side(
        sum(each["build"] - each["ready"] for each in (own, served)),
        served["build"] - served["ready"],
        [row.get("cpu", mean) + more for row, more in zip(rows, encoding, strict=True)],
        float(np.mean(encoding)),
        {row["id"]: row["items"] for row in rows},
    )


def _run(
    command: str, library: Path, files: Mapping[str, Path], server: int | None
) -> dict[str, tuple[float, float]]:
    """CPU seconds of a command and of a server at ready, build and end."""
    before = _children()
    given = {name: shlex.quote(str(file)) for name, file in files.items()}
    line = shlex.split(command.format(library=shlex.quote(str(library)), **given))
    marks = {"ready": (0.0, _used(server))}
    process = subprocess.Popen(line)
    waiting = ["ready", "build"]
    while process.poll() is None:
        if waiting and files[waiting[0]].exists():
            marks[waiting.pop(0)] = (_used(process.pid), _used(server))
        elif waiting and files["build"].exists():  # it writes no `ready`
            waiting.remove("ready")
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(f"peer: exit code {process.returncode}; nothing compared")
    if "build" not in marks:
        raise SystemExit("peer: {build} was not seen before its end; nothing compared")
    marks["end"] = (_children() - before, _used(server))
    return marks


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _used(pid: int | None) -> float:
    """CPU seconds so far of a process and the children it has waited for."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def shortened(skills: Sequence[LibrarySkill], cut: int) -> list[LibrarySkill]:
    """Names, each once, and the start of each description; sorted by id."""
    taken: set[str] = set()
    kept = []
    for skill in sorted(skills, key=lambda skill: skill.id):
        name = skill.id if skill.name in taken else skill.name
        taken.add(name)
        text = skill.description[:cut]
        kept.append(replace(skill, name=name, description=text, body=""))
    return kept


def write_listings(skills: Sequence[LibrarySkill], root: Path) -> None:
    """A SKILL.md for each skill, of name and description; a listing's id is no path."""
    for number, skill in enumerate(skills):
        listing = skill.kind == "listing"
        folder = root / (f"registry-{number:06}" if listing else skill.id)
        folder.mkdir(parents=True, exist_ok=True)
        fields = {"name": skill.name, "description": skill.description or skill.name}
        lines = [f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items()]
        text = "\n".join(["---", *lines, "---", ""])
        (folder / "SKILL.md").write_text(text, encoding="utf-8")


def report(
    sides: Mapping[str, Side], tasks: Sequence[Task], known: Mapping[str, str]
) -> None:
    """Print the table and the paired differences."""
    print("| " + " | ".join(COLUMNS) + " |\n" + "| --- " * len(COLUMNS) + "|")
    recalls = {}
    for name, side in sides.items():
        lists = [
            [known.get(i, i) for i in side.found.get(task.id, ())] for task in tasks
        ]
        pairs = list(zip(lists, tasks, strict=True))
        hits = np.mean([hit(items, task.relevant, K) for items, task in pairs])
        recalls[name] = np.array([recall(i, task.relevant, K) for i, task in pairs])
        times = [np.mean(side.queries), *np.percentile(side.queries, [50, 95])]
        cells = [f"{side.build:.2f}", f"{side.build_encoding:.2f}"]
        cells += [f"{1000 * value:.1f}" for value in (*times, side.query_encoding)]
        cells += [f"{hits:.3f}", f"{recalls[name].mean():.3f}", str(len(tasks))]
        print("| " + " | ".join((name, *cells)) + " |")
    peers = [name for name in sides if name.startswith("peer")]
    for mine, peer in itertools.product([n for n in sides if n not in peers], peers):
        gain = recalls[mine] - recalls[peer]
        rng = np.random.default_rng(0)
        means = gain[rng.integers(len(gain), size=(DRAWS, len(gain)))].mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        interval = f"[{low:+.3f}, {high:+.3f}]"
        print(f"recall@5, {mine} minus {peer}: {gain.mean():+.3f} {interval}")


def parse() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="append", default=[], help="Command, above.")
    parser.add_argument("--server", type=int, help="Process that embeds for the peer.")
    parser.add_argument("--backends", nargs="+", default=["torch"], help="Of ours.")
    parser.add_argument("--distractors", type=int, default=0, help="Registry skills.")
    parser.add_argument("--cut", type=int, help="Characters of each description.")
    options = parser.parse_args()
    if options.server and not Path(f"/proc/{options.server}").exists():
        parser.error(f"--server {options.server}: there is no such process")
    return options


def main() -> None:
    """Measure all, or say why the peer is left out."""
    options = parse()
    data = Path(os.environ["SKILLMILL_DATA"])
    skills, _ = load_library(data / "skillsbench" / "skills")
    known = {name: s.id for s in skills for name in (s.id, *s.aliases)}
    tasks, _ = load_tasks(data / "skillsbench" / "tasks.jsonl", known)
    with tempfile.TemporaryDirectory() as folder:
        library = data / "skillsbench" / "skills"
        if options.distractors or options.cut:
            library = Path(folder)
            listings, _ = load_registry(data / "registry" / "registry.jsonl.gz")
            drawn = choose_distractors(skills, listings, options.distractors, 0)
            skills = shortened([*skills, *drawn], options.cut or CUT)
            write_listings(skills, library)
        sides = {
            f"skillmill {backend}": ours(skills, tasks, backend)
            for backend in options.backends
        }
        for number, command in enumerate(options.peer, 1):
            side = theirs(command, library, tasks, options.server)
            sides[f"peer {number}"] = side
    if not options.peer:
        known_here = importlib.util.find_spec("gos") is not None
        state = "is installed" if known_here else "is not installed (on no index)"
        print(f"peer skipped: graph-of-skills {state} and no --peer names a command")
    print(f"{len(skills):,} skills, {len(tasks)} tasks")
    report(sides, tasks, known)


if __name__ == "__main__":
    main()
