"""Skills that tell what to note of a conversation, revised by reflection (MemSkill).

The notes take the place of the records and are found by plain dense retrieval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from skillmill.evolve.reflective.adapter import (
    RECORDS,
    Adapter,
    Encode,
    Task,
    batches,
    nearest,
)
from skillmill.models.replies_base import check_entries
from skillmill.models.replies_rivals import Note

#: Conversation -> its sessions, each a list of records as prompts show them.
Sessions = Mapping[str, Sequence[Sequence[Mapping[str, object]]]]
Skill = Mapping[str, str]

#: What notes are taken by at the beginning.
FIRST: tuple[Skill, ...] = (
    {"name": "events", "instruction": "Note what happened to whom, and on which day."},
    {"name": "facts", "instruction": "Note what is said of people, places and things."},
    {"name": "plans", "instruction": "Note what people want, plan or promise."},
)


@dataclass(frozen=True, eq=False)
class NotedMemory:
    """Notes of conversations, and how they are found.

    Attributes
    ----------
    encode : callable
    notes : mapping
        Conversation -> its notes as prompts show them.
    vectors : mapping
        Conversation -> (n, d) floats, one row a note.
    """

    encode: Encode
    notes: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    vectors: dict[str, npt.NDArray[np.floating]] = field(default_factory=dict)

    def guidance(self, task: Task) -> str:
        """Nothing: all that was learnt is in the notes."""
        return ""

    def evidence(self, task: Task) -> tuple[Mapping[str, object], ...]:
        """The notes most like the question, best first; none if nothing was noted."""
        notes = self.notes.get(task.conversation, [])
        if not notes:
            return ()
        query = self.encode([task.question])[0]
        places = nearest(query, self.vectors[task.conversation], RECORDS)
        return tuple(notes[place] for place in places)


def noted(
    skills: Sequence[Skill],
    sessions: Sessions,
    conversations: Sequence[str],
    adapter: Adapter,
    encode: Encode,
) -> NotedMemory:
    """Take notes of conversations by some skills, as far as the budget allows.

    Notes that rest on a record which was not shown are dropped. A session whose reply
    cannot be used has no notes and is among the adapter's failures.
    """
    memory = NotedMemory(encode)
    for name in conversations:
        found: list[dict[str, object]] = []
        for number, records in enumerate(sessions.get(name, ())):
            reply = adapter.reflect(
                "note_memory",
                f"{name}, session {number}",
                skills=list(skills),
                records=list(records),
            )
            if reply is not None:
                shown = [str(record["id"]) for record in records]
                valid = check_entries(reply.notes, Note, shown).valid
                found += [{"id": note.record, "text": note.text} for note in valid]
        if found:
            memory.notes[name] = found
            memory.vectors[name] = encode([str(note["text"]) for note in found])
    return memory


@dataclass(frozen=True, eq=False)
class MemorySkills:
    """Takes notes, tries tasks on them, and revises the skills by what was missed.

    Attributes
    ----------
    encode : callable
    sessions : mapping
        Of all conversations, those of the test included: their notes are taken with
        the final skills by `remember`.
    batch : int
        Tasks between two revisions.
    """

    encode: Encode
    sessions: Sessions
    batch: int = 10
    name: str = "rival:memory-skills"

    def learn(
        self, tasks: Sequence[Task], adapter: Adapter, rng: np.random.Generator
    ) -> "LearnedSkills":
        """The skills after all batches that the budget allows."""
        skills: tuple[Skill, ...] = FIRST
        for number, batch in enumerate(batches(tasks, self.batch)):
            homes = list(dict.fromkeys(task.conversation for task in batch))
            needed = sum(len(self.sessions.get(home, ())) for home in homes)
            if adapter.left < needed + len(batch) + 1:
                break
            memory = noted(skills, self.sessions, homes, adapter, self.encode)
            done = adapter.attempt(batch, memory)
            missed = [
                {**attempt.told(), "records": list(memory.evidence(attempt.task))}
                for attempt in done
                if attempt.score < 1
            ]
            if not missed:
                continue
            reply = adapter.reflect(
                "revise_memory_skills",
                f"batch {number}",
                skills=list(skills),
                attempts=missed,
            )
            if reply is not None:
                skills = tuple(skill.model_dump() for skill in reply.skills)
        return LearnedSkills(skills, NotedMemory(self.encode))

    def remember(
        self, learned: "LearnedSkills", conversations: Sequence[str], adapter: Adapter
    ) -> "LearnedSkills":
        """The same with notes of conversations, as the skills now tell."""
        memory = noted(
            learned.skills, self.sessions, conversations, adapter, self.encode
        )
        return LearnedSkills(learned.skills, memory)


@dataclass(frozen=True, eq=False)
class LearnedSkills:
    """Memory-construction skills, and the notes taken by them."""

    skills: tuple[Skill, ...]
    memory: NotedMemory

    def guidance(self, task: Task) -> str:
        """Nothing: all that was learnt is in the notes."""
        return self.memory.guidance(task)

    def evidence(self, task: Task) -> tuple[Mapping[str, object], ...]:
        """The notes most like the question."""
        return self.memory.evidence(task)
