"""Reflective rivals against a scripted endpoint: they learn, and keep their budget."""

import json

import numpy as np
import pytest

from skillmill.evolve.reflective.adapter import Adapter, Notes, Task, nearest
from skillmill.evolve.reflective.cheatsheet import CheatSheet
from skillmill.evolve.reflective.instructions import (
    FIRST,
    Candidate,
    ReflectivePrompts,
    wins,
)
from skillmill.evolve.reflective.memory_skills import MemorySkills
from skillmill.evolve.reflective.reasoning import ReasoningItems
from skillmill.models.llm import ChatClient
from tests.models.endpoint import FakeTime, MemoryReplies, Script, says, settings

#: Words of each role's system message.
OPENINGS = {
    "guided_answer": "You answer questions",
    "curate_sheet": "You keep one sheet",
    "distil_reasoning": "You draw lessons",
    "rewrite_instruction": "You improve the instruction",
    "note_memory": "You note what",
    "revise_memory_skills": "You look after a set of skills that tell",
}
MAGIC = "say the day"


def task(number, home="boat"):
    return Task(
        f"q{number}", home, f"When was it, {number}?", f"day {number}", None,
        ({"id": f"a{number}", "text": f"It was on day {number}."},),
    )  # fmt: skip


TASKS = [task(number) for number in range(8)]


def encode(texts):
    """Unit vectors by the last digit of a text."""
    rows = np.zeros((len(texts), 10))
    for row, text in zip(rows, texts, strict=True):
        row[int(next(c for c in reversed(text) if c.isdigit()))] = 1
    return rows


class World:
    """An endpoint where an answer is right only if the guidance says how."""

    def __init__(self, **replies):
        self.replies = replies
        self.asked = []
        self.script = Script(self.answer)

    def answer(self, asked):
        system, user = (part["content"] for part in asked["messages"][:2])
        role = next(role for role, words in OPENINGS.items() if words in system)
        self.asked.append((role, user))
        if role == "guided_answer":
            number = user.split("When was it, ")[1][0]
            known = MAGIC in user or f"noted {number}" in user
            return says(json.dumps({"answer": f"day {number}" if known else "?"}))
        return says(json.dumps(self.replies[role]))

    def count(self, role):
        return sum(asked == role for asked, _ in self.asked)


@pytest.fixture
def adapting():
    """Make an adapter of a world; clients are closed at the end."""
    opened = []

    def make(world, budget):
        time = FakeTime()
        client = ChatClient(
            dict.fromkeys(OPENINGS, settings(concurrency=1)),
            MemoryReplies(),
            rng=np.random.default_rng(0),
            http_client=world.script.client(time.clock),
            clock=time.clock,
        )
        opened.append(client)
        return Adapter(client, lambda q, gold, said: float(gold == said), budget)

    yield make
    for client in opened:
        client.close()


def rng():
    return np.random.default_rng(0)


def test_a_sheet_is_curated_from_each_batch_and_helps_on_the_next(adapting):
    world = World(curate_sheet={"sheet": MAGIC})
    adapter = adapting(world, 100)
    sheet = CheatSheet(batch=4).learn(TASKS, adapter, rng())
    assert sheet.text == MAGIC
    curations = [user for role, user in world.asked if role == "curate_sheet"]
    assert '"judged": "wrong"' in curations[0]
    assert '"judged": "right"' not in curations[0]
    assert '"judged": "wrong"' not in curations[1]
    assert adapter.calls == 8 + 2
    (after,) = adapter.attempt([task(9)], sheet)
    assert after.score == 1


def test_a_curation_that_fails_leaves_the_sheet(adapting):
    world = World(curate_sheet={"other": 1})
    adapter = adapting(world, 100)
    assert CheatSheet(batch=8).learn(TASKS, adapter, rng()).text == ""
    assert adapter.failures[0].startswith("curate_sheet, batch 0:")


@pytest.mark.parametrize("budget", [0, 1, 2, 5, 7])
def test_no_rival_spends_more_than_its_budget(adapting, budget):
    items = {"items": [{"title": "t", "description": "d", "content": "c"}]}
    world = World(
        curate_sheet={"sheet": "s"},
        distil_reasoning=items,
        rewrite_instruction={"instruction": MAGIC},
        note_memory={"notes": []},
        revise_memory_skills={"skills": [{"name": "n", "instruction": "i"}]},
    )
    sessions = {"boat": [[{"id": "a1", "text": "x"}]]}
    for rival in (
        CheatSheet(batch=3),
        ReasoningItems(encode),
        ReflectivePrompts(few=1, pareto=2),
        MemorySkills(encode, sessions, batch=2),
    ):
        adapter = adapting(world, budget)
        rival.learn(TASKS, adapter, rng())
        assert adapter.calls <= budget


def test_lessons_are_found_by_likeness_of_the_question(adapting):
    world = World(
        distil_reasoning={
            "items": [{"title": "days", "description": "Asked when,", "content": MAGIC}]
        }
    )
    adapter = adapting(world, 4)
    bank = ReasoningItems(encode, shown=1).learn(TASKS, adapter, rng())
    assert bank.lessons == (f"days: Asked when, {MAGIC}",) * 2
    # The second attempt already had the lesson of the first.
    told = [user for role, user in world.asked if role == "distil_reasoning"]
    assert '"judged": "wrong"' in told[0]
    assert '"judged": "right"' in told[1]
    assert bank.guidance(TASKS[1]) == bank.lessons[1]


def test_an_instruction_that_does_better_replaces_its_parent(adapting):
    world = World(rewrite_instruction={"diagnosis": "d", "instruction": MAGIC})
    adapter = adapting(world, 60)
    best = ReflectivePrompts(few=2, pareto=3).learn(TASKS, adapter, rng())
    assert best.text == MAGIC


def test_without_tasks_to_reflect_on_the_first_instruction_stays(adapting):
    adapter = adapting(World(), 60)
    assert ReflectivePrompts(pareto=8).learn(TASKS, adapter, rng()).text == FIRST
    assert adapter.calls == 0


def test_the_front_holds_what_is_best_somewhere_and_nothing_dominated():
    # a and b are each best somewhere; c is below a; d equals a and comes later.
    pool = [
        Candidate(Notes(name), scores)
        for name, scores in (
            ("a", (1.0, 0.0, 1.0)),
            ("b", (0.0, 1.0, 0.0)),
            ("c", (1.0, 0.0, 0.0)),
            ("d", (1.0, 0.0, 1.0)),
        )
    ]
    assert wins(pool) == [2, 1, 0, 0]
    assert wins([Candidate(Notes("none"), (0.0, 0.0))]) == [2]


def test_memory_skills_are_revised_by_what_was_missed_and_notes_are_the_evidence(
    adapting,
):
    world = World(
        note_memory={
            "notes": [
                {"text": "noted 3", "record": "a3"},
                {"text": "invented 4", "record": "nowhere"},
            ]
        },
        revise_memory_skills={
            "skills": [{"name": "days", "instruction": "Note days."}]
        },
    )
    sessions = {"boat": [[{"id": "a3", "text": "It was on day 3."}]]}
    rival = MemorySkills(encode, sessions, batch=4)
    adapter = adapting(world, 100)
    learned = rival.learn(TASKS[:4], adapter, rng())
    assert [skill["name"] for skill in learned.skills] == ["days"]
    revision = next(u for role, u in world.asked if role == "revise_memory_skills")
    # The only question that the notes answer is no part of what was missed.
    assert '"right_answer": "day 3"' not in revision
    assert '"right_answer": "day 1"' in revision
    remembered = rival.remember(learned, ["boat"], adapter)
    assert remembered.evidence(TASKS[3]) == ({"id": "a3", "text": "noted 3"},)
    assert remembered.evidence(task(1, home="elsewhere")) == ()
    assert "Note days." in world.asked[-1][1]


def test_a_model_that_is_down_fails_attempts_and_is_counted(adapting):
    world = World()
    adapter = adapting(world, 10)
    adapter.client.mode = "off"
    (attempt,) = adapter.attempt(TASKS[:1], Notes(""))
    assert attempt.score == 0
    assert attempt.failure
    assert len(adapter.failures) == 1


def test_the_nearest_rows_come_first_and_ties_by_number():
    rows = np.array([[0, 1.0], [1, 0], [0, 1]])
    assert nearest(np.array([0.0, 1.0]), rows, 2) == [0, 2]
