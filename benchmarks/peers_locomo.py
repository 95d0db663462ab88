"""Other memory packages on the questions of a study, at the same number of words.

    skillmill run --configfile configs/locomo.yaml memory
    python -m venv /tmp/peers; /tmp/peers/bin/pip install bm25s PyStemmer mem0ai ...
    OMP_NUM_THREADS=1 python benchmarks/peers_locomo.py --python /tmp/peers/bin/python

Each package runs in the environment of `--python`, without a language model and the
network, with the encoder of this project; one that cannot be imported or breaks is
skipped with its reason. Items are taken in the order returned, up to the one at which
the distinct turns are nearest to 600 words. What counts is the share of the evidence
turns that they hold; differences are paired, over the same questions. Prints a table,
asserts nothing.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from peers_adapters import PEERS

from skillmill.compute.statistics import (
    bootstrap_mean,
    cluster_bootstrap_mean,
    paired_difference,
)
from skillmill.evaluate.groups import question_groups
from skillmill.memory.atoms import single_turn_atoms
from skillmill.models.weights import BUNDLED, find_folder
from skillmill.store import artifact, conversations, rankings
from skillmill.store.atoms import load_atoms
from skillmill.types import CATEGORIES, Question

WORDS = 600
ADAPTERS = Path(__file__).with_name("peers_adapters.py")


def main() -> None:
    """Print one line for each system."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--study", default="locomo")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--ours", nargs="*", default=["fixed-best", "fixed-best-late"])
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--conversations", nargs="*", help="Only these.")
    parser.add_argument("--every", type=int, default=1, help="Every n-th question.")
    parser.add_argument("--timeout", type=int, default=1200, help="Seconds for each.")
    parser.add_argument("--jobs", type=int, default=1, help="Packages at a time.")
    asked = parser.parse_args()
    work, questions = read_work(
        asked.results / asked.study / "memory", asked.conversations, asked.every
    )
    systems = ours(asked.results / asked.study / "memory", asked.ours, questions)
    base = list(systems)[-1]
    with ThreadPoolExecutor(asked.jobs) as pool:
        peers = pool.map(
            lambda name: run_peer(name, asked.python, work, asked.timeout), asked.peers
        )
        told = dict(zip(asked.peers, peers, strict=True))
    for name, found in told.items():
        if isinstance(found, str):
            print(f"{name:22} skipped: {found}", flush=True)
        else:
            systems[name] = found
    print_table(systems, questions, work, base)


def read_work(
    folder: Path, names: Sequence[str] | None, every: int
) -> tuple[dict, dict[str, Question]]:
    """The work file's content and the questions by id."""
    with artifact.reading(folder / "conversations.sqlite", "conversations") as db:
        spoken = conversations.load_conversations(db)
        all_questions = conversations.load_questions(db)
    groups = question_groups(all_questions, {})
    kept = [q for q in all_questions if ("all", "all") in groups[q.id] and q.evidence]
    pairs: dict[str, list[list[str]]] = {}
    for path in sorted(folder.glob("*/atoms.sqlite")):
        with artifact.reading(path, "atoms") as db:
            for atom in load_atoms(db):
                pairs.setdefault(atom.conversation, []).append(list(atom.turns))
    homes, questions = [], {}
    for conversation in spoken:
        if names and conversation.id not in names:
            continue
        mine = [q for q in kept if q.conversation == conversation.id][::every]
        questions |= {q.id: q for q in mine}
        texts = {a.turns[0]: a.text for a in single_turn_atoms(conversation)}
        homes.append(
            {
                "id": conversation.id,
                "turns": {
                    turn.id: {
                        "text": texts[turn.id],
                        "session": session.number,
                        "date": session.date_text or "",
                    }
                    for session in conversation.sessions
                    for turn in session.turns
                    if turn.id in texts
                },
                "pairs": pairs[conversation.id],
                "questions": [{"id": q.id, "text": q.text} for q in mine],
            }
        )
    work = {"encoder": str(find_folder(BUNDLED)), "conversations": homes}
    return work, questions


def ours(
    folder: Path, arms: Sequence[str], questions: Mapping[str, Question]
) -> dict[str, dict]:
    """What retrieval skills of the study found, as lists of turns."""
    found: dict[str, dict] = {arm: {} for arm in arms}
    for shard in sorted(path.parent for path in folder.glob("*/rollouts.sqlite")):
        with artifact.reading(shard / "atoms.sqlite", "atoms") as db:
            turns = {atom.id: list(atom.turns) for atom in load_atoms(db)}
        with artifact.reading(shard / "rollouts.sqlite", "rankings") as db:
            for ranking in rankings.load_rankings(db):
                if ranking.arm in found and ranking.query in questions:
                    items = [turns[item] for item in ranking.items]
                    found[ranking.arm][ranking.query] = items
    return {arm: rows for arm, rows in found.items() if rows}


def run_peer(name: str, python: str, work: dict, timeout: int) -> dict | str:
    """What a package found, or why it was skipped."""
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder, "work.json"), Path(folder, "found.json")
        given.write_text(json.dumps(work, ensure_ascii=False), encoding="utf-8")
        command = [python, str(ADAPTERS), name, str(given), str(taken)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return f"not done after {timeout} s"
        if done.returncode or not taken.is_file():
            return (done.stderr.strip().splitlines() or ["it wrote nothing"])[-1]
        told = json.loads(taken.read_text(encoding="utf-8"))
    print(f"{name:22} version {told['version']}", flush=True)
    return told["found"]


def cut(items: Sequence[Sequence[str]], words: Mapping[str, int]) -> set[str]:
    """The turns of the first items, as near to the budget as whole items allow."""
    best: set[str] = set()
    held: set[str] = set()
    total, nearest = 0, WORDS
    for item in items:
        fresh = [turn for turn in dict.fromkeys(item) if turn not in held]
        held.update(fresh)
        total += sum(words[turn] for turn in fresh)
        if abs(total - WORDS) <= nearest:
            nearest, best = abs(total - WORDS), set(held)
        if total >= WORDS:
            break
    return best


def print_table(
    systems: Mapping[str, dict],
    questions: Mapping[str, Question],
    work: dict,
    base: str,
) -> None:
    """Print evidence recall of each system, and how far the best of ours is ahead."""
    words = {
        home["id"]: {t: len(own["text"].split()) for t, own in home["turns"].items()}
        for home in work["conversations"]
    }
    homes = [q.conversation for q in questions.values()]
    kinds = np.array([q.category or 0 for q in questions.values()])
    recalls: dict[str, np.ndarray] = {}
    print(
        f"\n{len(questions)} questions, {len(set(homes))} conversations, {WORDS} words"
    )
    for name, found in systems.items():
        held = {
            q: cut(found.get(q, []), words[question.conversation])
            for q, question in questions.items()
        }
        recalls[name] = np.array(
            [len(held[q] & set(o.evidence)) / len(set(o.evidence))
             for q, o in questions.items()]
        )  # fmt: skip
        size = np.mean(
            [sum(words[o.conversation][t] for t in held[q])
             for q, o in questions.items()]
        )  # fmt: skip
        mean = bootstrap_mean(recalls[name], np.random.default_rng(0), 2000)
        parts = [
            f"{CATEGORIES[c]} {100 * recalls[name][kinds == c].mean():.0f}"
            for c in CATEGORIES
            if (kinds == c).any()
        ]
        print(f"{name:22} {shown(mean)}  {size:.0f} words  {', '.join(parts)}")
    print(f"\n{base} minus, points: over questions, over conversations")
    for name in systems:
        if name == base:
            continue
        apart = recalls[base] - recalls[name]
        by_question = paired_difference(
            recalls[base], recalls[name], np.random.default_rng(0), 2000
        )
        by_home = cluster_bootstrap_mean(apart, homes, np.random.default_rng(0), 2000)
        print(f"{name:22} {shown(by_question)}   {shown(by_home)}")


def shown(interval) -> str:
    """A mean with its interval, in percent."""
    value, low, high = (100 * part for part in interval)
    return f"{value:5.1f} [{low:.1f}, {high:.1f}]"


if __name__ == "__main__":
    main()
