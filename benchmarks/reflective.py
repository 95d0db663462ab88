"""Rivals that reflect on past attempts, at one budget of model calls; prints a table.

    python benchmarks/reflective.py --study locomo --configfile configs/locomo.yaml \
        --configfile my-models.yaml --budget 500

They learn on the training conversations and answer the test ones from what plain dense
retrieval finds; `no guidance` is the same reader, nothing learnt. Without a model for
each role they are skipped by name (docs/reflective.md).
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from skillmill.compute.textscore import f1_bag
from skillmill.evaluate.judging import ToJudge
from skillmill.evaluate.model_judge import ROLES as JUDGES
from skillmill.evaluate.model_judge import ModelJudge
from skillmill.evolve.reflective.adapter import RECORDS, Adapter, Notes, Task
from skillmill.evolve.reflective.cheatsheet import CheatSheet
from skillmill.evolve.reflective.instructions import ReflectivePrompts
from skillmill.evolve.reflective.memory_skills import MemorySkills
from skillmill.evolve.reflective.reasoning import ReasoningItems
from skillmill.interfaces.chat import Command, asking
from skillmill.interfaces.configured import encoder_settings, read_config
from skillmill.interfaces.memories import open_memory
from skillmill.models.encoder import load_encoder
from skillmill.skills.batch import execute_batch
from skillmill.store import artifact, conversations
from skillmill.types import ADVERSARIAL, Node, RetrievalSkill

ROLES = (
    "curate_sheet",
    "distil_reasoning",
    "guided_answer",
    "note_memory",
    "revise_memory_skills",
    "rewrite_instruction",
)
DENSE = RetrievalSkill("dense", "", "", (Node("near", "dense_search"),), "dense")


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn, answer and print; or say who is skipped and why."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--study", default="locomo")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--configfile", type=Path, action="append", default=[])
    parser.add_argument("--budget", type=int, default=500)
    asked = parser.parse_args(arguments)
    config = read_config(asked.configfile)
    encode = load_encoder(encoder_settings(config.encoder)).encode
    tasks, sessions = read_tasks(asked.results / asked.study / "memory")
    rivals = (
        CheatSheet(),
        ReasoningItems(encode),
        ReflectivePrompts(),
        MemorySkills(encode, sessions),
    )
    judge = JUDGES[config.memory.format]
    roles = [*ROLES, judge]
    without = [role for role in roles if not config.models.is_asked(role)]
    if without:
        for rival in rivals:
            print(f"{rival.name}: skipped, no language model for {', '.join(without)}")
        return
    splits = config.memory.splits
    train = [task for home in splits.train for task in tasks[home]]
    test = [task for home in splits.test for task in tasks[home]]
    command = Command(
        "reflective", asked.study, Path(config.records), config.models.model_dump()
    )
    with asking(command, roles) as client:

        def verdict(question: str, gold: str, answer: str) -> float:
            one = ToJudge("", question, "", gold, answer)
            marks = ModelJudge(client, judge)
            marks.prepare([one])
            return float(marks.judge(*one.key).label == "correct")

        print(f"{len(train)} tasks to learn from, {len(test)} to answer")
        show("no guidance", Adapter(client, verdict, len(test)), test, Notes(""), 0)
        for rival in rivals:
            learning = Adapter(client, verdict, asked.budget)
            learned = rival.learn(train, learning, np.random.default_rng(config.seed))
            answering = Adapter(client, verdict, 10**9)
            if isinstance(rival, MemorySkills):
                learned = rival.remember(learned, splits.test, answering)
            show(rival.name, answering, test, learned, learning.calls)


def show(name, adapter, test, learned, spent) -> None:
    """One row: judged right, F1, calls."""
    done = adapter.attempt(test, learned)
    right = 100 * np.mean([one.score for one in done]) if done else 0.0
    f1 = 100 * np.mean([f1_bag(one.answer, one.task.gold) for one in done] or [0.0])
    print(
        f"{name:26s} judged right {right:5.1f}  F1 {f1:5.1f}  n {len(done)}"
        f"  calls {spent} + {adapter.calls}  unusable {len(adapter.failures)}"
    )


def read_tasks(folder: Path) -> tuple[dict[str, list[Task]], dict]:
    """Tasks by conversation with what dense search finds, and sessions of records."""
    tasks: dict[str, list[Task]] = defaultdict(list)
    sessions: dict[str, list[list[dict]]] = {}
    for path in sorted(folder.glob("*/memory.sqlite")):
        memory = open_memory(path)
        with artifact.reading(path, "memory") as db:
            known = {one.id: one for one in conversations.load_questions(db)}
        for home, view in memory.views.items():
            by_session: dict[int, list[dict]] = defaultdict(list)
            for atom in view.atoms:
                by_session[atom.session].append(_record(atom))
            sessions[home] = [by_session[number] for number in sorted(by_session)]
            contexts = [query for where, query in memory.questions if where == home]
            found = execute_batch(DENSE, contexts, view, RECORDS).rankings()
            for query, ranking in zip(contexts, found, strict=True):
                one = known[query.id]
                if one.answer is None or one.abstention or one.category == ADVERSARIAL:
                    continue
                rows = [view.atoms[view.row[item]] for item in ranking.items]
                evidence = tuple(_record(atom) for atom in rows)
                task = Task(one.id, home, one.text, one.answer, one.date, evidence)
                tasks[home].append(task)
    return tasks, sessions


def _record(atom) -> dict[str, object]:
    """An atom as prompts show it."""
    return {"id": atom.id, "day": atom.timestamp or "unknown", "text": atom.text}


if __name__ == "__main__":
    main()
