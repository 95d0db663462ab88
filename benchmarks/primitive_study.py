"""The memories of a study and the programs that benchmarks compare on them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillmill.evaluate.groups import question_groups
from skillmill.interfaces.job import Counts
from skillmill.interfaces.memories import open_memory
from skillmill.interfaces.token_vectors import token_vectors
from skillmill.memory.tokens import token_index, turn_texts
from skillmill.memory.view import MemoryView
from skillmill.models.encoder import EncoderSettings, load_token_encoder
from skillmill.skills.batch import execute_batch
from skillmill.skills.state import QueryContext
from skillmill.store import artifact, conversations
from skillmill.store.atoms import load_question_atoms
from skillmill.types import Node, Question, RetrievalSkill

DEPTH = 20
LITERAL = {"form": "literal"}
NEIGHBOURS = ("relation_expand", {"relations": ("TemporalNeighbor",)}, 0.5)
DAYS = ("temporal_focus_expand", {"range": "question"}, 1.0)
DENSE, LATE = ("dense_search", {}, 1.0), ("dense_search", {"late": True}, 1.0)
LEXICAL, ENTITY = ("lexical_search", {}, 1.0), ("entity_search", {}, 1.0)

#: Name -> steps (primitive, arguments, weight).
PROGRAMS = {
    "dense literal": [("dense_search", LITERAL, 1.0)],
    "dense tuned": [DENSE],
    "dense late": [LATE],
    "lexical literal": [("lexical_search", LITERAL, 1.0)],
    "lexical tuned": [LEXICAL],
    "entity literal": [("entity_search", LITERAL, 1.0)],
    "entity tuned": [ENTITY],
    "D>L literal": [("dense_search", LITERAL, 1.0), ("lexical_search", LITERAL, 1.0)],
    "D>L": [DENSE, LEXICAL],
    "D>L>T": [DENSE, LEXICAL, DAYS],
    "D>L>N": [DENSE, LEXICAL, NEIGHBOURS],
    "fixed-best (D>L>T>N)": [DENSE, LEXICAL, DAYS, NEIGHBOURS],
    "late D>L>N": [LATE, LEXICAL, NEIGHBOURS],
    "fixed-best-late": [LATE, LEXICAL, DAYS, NEIGHBOURS],
}


@dataclass
class Study:
    """Memories with token vectors, questions about them, and what answers those."""

    views: Mapping[str, MemoryView]
    contexts: Mapping[str, tuple[QueryContext, ...]]
    questions: Mapping[str, Question]
    evidence: Mapping[str, tuple[str, ...]]

    @property
    def pooled(self) -> list[str]:
        """Questions with evidence that are not adversarial."""
        groups = question_groups(list(self.questions.values()), {})
        return [
            name
            for name in self.questions
            if ("all", "all") in groups[name] and self.evidence.get(name)
        ]


def read_study(folder: Path, records: Path) -> Study:
    """Open every shard of a study, encoding what has no token vectors yet."""
    with artifact.reading(folder / "conversations.sqlite", "conversations") as db:
        spoken = conversations.load_conversations(db)
        questions = {q.id: q for q in conversations.load_questions(db)}
    views: dict[str, MemoryView] = {}
    contexts: dict[str, list[QueryContext]] = defaultdict(list)
    evidence: dict[str, tuple[str, ...]] = {}
    for path in sorted(folder.glob("*/memory.sqlite")):
        tokens = path.with_name("tokens.sqlite")
        memory = open_memory(path, tokens if tokens.is_file() else None)
        views |= memory.views
        for home, context in memory.questions:
            contexts[home].append(context)
        with artifact.reading(path, "memory") as db:
            evidence |= load_question_atoms(db)
    encoder = load_token_encoder(EncoderSettings())
    for home, view in views.items():
        if view.tokens is not None or not view.atoms:
            continue
        texts = turn_texts(view.atoms, spoken)
        asked = [context.tuned_text for context in contexts[home]]
        found = token_vectors([*texts.values(), *asked], encoder, records, Counts())
        index = token_index(view.atoms, dict(zip(texts, found, strict=False)))
        views[home] = replace(view, tokens=index)
        contexts[home] = [
            replace(context, tokens=rows)
            for context, rows in zip(contexts[home], found[len(texts) :], strict=True)
        ]
    frozen = {home: tuple(mine) for home, mine in contexts.items()}
    return Study(views, frozen, questions, evidence)


def skill_of(name: str, steps: Sequence[tuple]) -> RetrievalSkill:
    """A skill of (primitive, arguments, weight) steps."""
    nodes = [
        Node(f"n{i}", primitive, args, "sum", weight)
        for i, (primitive, args, weight) in enumerate(steps)
    ]
    return RetrievalSkill(name, "", "", tuple(nodes), name)


def run(study: Study, steps: Sequence[tuple], budget: int = DEPTH) -> dict:
    """Rankings of a program by question."""
    skill = skill_of("x", steps)
    found = {}
    for home, queries in study.contexts.items():
        done = execute_batch(skill, queries, study.views[home], budget)
        found |= {ranking.query: ranking for ranking in done.rankings()}
    return found
