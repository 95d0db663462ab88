"""The scripts of the rules `tokens` and `rollouts`, called as functions."""

import importlib.util

import numpy as np
import pytest

from skillmill.interfaces.job import Counts
from skillmill.interfaces.memories import open_memory
from skillmill.models.encoder import EncoderSettings
from skillmill.skills.executor import execute
from skillmill.skills.primitives import PRIMITIVES
from skillmill.store import conversations, passages
from skillmill.store.artifact import reading, writing
from skillmill.store.atoms import save_atoms
from skillmill.store.tokens import load_tokens
from skillmill.types import Conversation, Session, Turn
from tests.conftest import REPOSITORY
from tests.interfaces.gardens import build, provenance
from tests.memory.records import garden_view
from tests.skills.programs import skill


def script(name):
    """Import a script; outside Snakemake its main part does not run."""
    file = REPOSITORY / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"script_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_rollouts_are_those_of_the_executor_in_whatever_parts(tmp_path, monkeypatch):
    shard = build(tmp_path)
    memory = open_memory(shard / "memory.sqlite", shard / "tokens.sqlite")
    skills = [
        skill(("dense_search", {"args": {"late": True}}), ("relation_expand", {})),
        skill(("lexical_search", {}), ("llm_process", {})),
    ]
    expected = {
        (context.id, one.path): execute(one, context, memory.views[home], 3).ranking
        for home, context in memory.questions
        for one in skills
    }
    rollouts = script("rollouts")
    for cells in (2**22, 1):
        monkeypatch.setattr("skillmill.skills.batch.CELLS", cells)
        found, skipped = rollouts.rollouts(memory, skills, 3, PRIMITIVES)
        assert skipped == {"llm_process: no language model is asked": 2}
        assert len(found) == len(expected)
        assert sorted(map(repr, found)) == sorted(map(repr, expected.values()))


class Lengths:
    """A token encoder: a row for each word, all along the length of the text."""

    def __init__(self):
        self.token_identity = {"name": "lengths", "pooling": "none"}

    def encode_tokens(self, texts):
        return [np.full((len(t.split()), 1), len(t), np.float16) for t in texts]


@pytest.fixture
def stores(tmp_path):
    """Conversations and atoms of the garden, one turn an atom, and one empty turn."""
    said = [(a.turns[0], *a.text.split(": ")) for a in garden_view().atoms]
    sessions = tuple(
        Session(n, None, None, tuple(Turn(*said[2 * n - 2 + i]) for i in (0, 1)))
        for n in (1, 2)
    )
    home = Conversation("garden", ("Ines", "Tom"), sessions)
    with writing(tmp_path / "c.sqlite", provenance("conversations")) as db:
        conversations.save_conversations(db, [home])
    with writing(tmp_path / "a.sqlite", provenance("atoms")) as db:
        save_atoms(db, garden_view().atoms)
        passages.save_passages(db, "question-tuned", [("garden/q0", 0, "Cold?")])
        passages.save_passages(db, "question", [("garden/q0", 0, "Cold, Tom?")])
    return tmp_path


def made_tokens(stores, output, counts):
    script("tokens").main(
        conversations_path=stores / "c.sqlite",
        atoms_path=stores / "a.sqlite",
        settings=EncoderSettings(),
        records=stores / "records",
        output=output,
        provenance=provenance("tokens"),
        counts=counts,
    )


def test_every_turn_and_tuned_question_gets_its_token_vectors(stores, monkeypatch):
    monkeypatch.setattr(
        "skillmill.models.encoder.load_token_encoder", lambda settings: Lengths()
    )
    counts = Counts()
    made_tokens(stores, stores / "t.sqlite", counts)
    assert (counts.computed, counts.reused, counts.total("ok")) == (5, 0, 5)
    with reading(stores / "t.sqlite", "tokens") as db:
        atoms, asked = load_tokens(db, "atom"), load_tokens(db, "question-tuned")
    texts = {a.id: a.text for a in garden_view().atoms}
    assert {key: len(rows) for key, rows in atoms.items()} == {
        (id, 0): len(text.split()) for id, text in texts.items()
    }
    assert asked["garden/q0", 0].tolist() == [[len("Cold?")]]
    again = Counts()
    made_tokens(stores, stores / "t2.sqlite", again)
    assert (again.computed, again.reused) == (0, 5)
    assert (stores / "t2.sqlite").read_bytes() == (stores / "t.sqlite").read_bytes()
