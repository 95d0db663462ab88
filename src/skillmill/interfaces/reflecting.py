"""What reflective rivals answer from: tasks with what plain dense search finds."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skillmill.evaluate.judge_roles import JudgeRole
from skillmill.evaluate.judging import ToJudge
from skillmill.evaluate.model_judge import ModelJudge
from skillmill.evolve.reflective.adapter import RECORDS, Judge, Task
from skillmill.interfaces.memories import open_memory
from skillmill.models.llm import ChatClient
from skillmill.skills.batch import execute_batch
from skillmill.store import artifact, conversations
from skillmill.types import ADVERSARIAL, Atom, Node, RetrievalSkill

DENSE = RetrievalSkill("dense", "", "", (Node("near", "dense_search"),), "dense")


def read_tasks(
    memories: Sequence[Path],
) -> tuple[dict[str, list[Task]], dict[str, list[list[dict[str, object]]]]]:
    """Tasks by conversation, and the records of each session by conversation.

    Adversarial questions and those whose answer was never said are left out.
    """
    tasks: dict[str, list[Task]] = defaultdict(list)
    sessions: dict[str, list[list[dict[str, object]]]] = {}
    for path in memories:
        memory = open_memory(path)
        with artifact.reading(path, "memory") as db:
            known = {one.id: one for one in conversations.load_questions(db)}
        for home, view in memory.views.items():
            by_session: dict[int, list[dict[str, object]]] = defaultdict(list)
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


def judged_by(client: Any, role: JudgeRole) -> Judge:  # noqa: ANN401 a client or a listener
    """Whether a model finds an answer right: 1 or 0."""
    asked: ChatClient = client

    def verdict(question: str, gold: str, answer: str) -> float:
        one = ToJudge("", question, "", gold, answer)
        marks = ModelJudge(asked, role)
        marks.prepare([one])
        return float(marks.judge(*one.key).label == "correct")

    return verdict


def _record(atom: Atom) -> dict[str, object]:
    """An atom as prompts show it."""
    return {"id": atom.id, "day": atom.timestamp or "unknown", "text": atom.text}
