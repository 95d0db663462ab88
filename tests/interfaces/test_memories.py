import numpy as np
import pytest

from skillmill.errors import ModelError, StoreError
from skillmill.interfaces.memories import open_memory
from skillmill.store.artifact import writing
from skillmill.store.tokens import save_tokens
from tests.interfaces.gardens import ENCODER, build, provenance


def test_a_store_opens_as_the_memories_and_questions_it_holds(tmp_path):
    shard = build(tmp_path, tokens=False)
    memory = open_memory(shard / "memory.sqlite")
    assert list(memory.views) == ["garden"]
    assert memory.views["garden"].relations == ("Cause", "TemporalNeighbor")
    assert memory.views["garden"].tokens is None
    homes, contexts = zip(*memory.questions, strict=True)
    assert homes == ("garden", "garden")
    assert [context.id for context in contexts] == ["garden/q0", "garden/q1"]
    assert contexts[0].entities == {"noun": {"shed": 1}}
    assert contexts[0].tokens is None


def test_of_a_long_atom_the_nearest_part_counts_of_a_long_question_the_mean(tmp_path):
    """The atom at 0 degrees has a part at 180, the question at 180 one at 90."""
    more = [("atom", "garden/1/0", 1, 180), ("question", "garden/q1", 1, 90)]
    shard = build(tmp_path, more=more)
    memory = open_memory(shard / "memory.sqlite")
    view = memory.views["garden"]
    assert view.parts == (2, 1, 1, 1)
    asked = {context.id: context for _, context in memory.questions}
    assert asked["garden/q1"].vector == pytest.approx(-np.array([1, -1]) / 2**0.5)
    near = view.cosines(asked["garden/q1"].tuned_vector)
    assert near == pytest.approx([1, -0.5, 0, 1], abs=1e-6)


def test_the_days_of_each_question_are_read_as_it_opens(tmp_path):
    memory = open_memory(build(tmp_path) / "memory.sqlite")
    ranges = [context.time_range for _, context in memory.questions]
    assert ranges == [None, ("2024-04-01", "2024-04-30")]


def test_token_vectors_are_read_where_they_are_wanted(tmp_path):
    shard = build(tmp_path)
    memory = open_memory(shard / "memory.sqlite", shard / "tokens.sqlite")
    view = memory.views["garden"]
    assert view.tokens.offsets.tolist() == [0, 1, 2, 3, 4]
    assert view.tokens.vectors.dtype == np.float16
    context = memory.questions[0][1]
    assert context.tokens == pytest.approx(np.array([[0, 1]]), abs=1e-3)
    assert view.late([context.tokens]) == pytest.approx(
        np.array([[0, 0.866, 1, 0]]), abs=1e-3
    )


def test_token_vectors_of_another_encoder_are_refused_u38(tmp_path):
    shard = build(tmp_path, token_encoder=ENCODER | {"revision": "r2"})
    with pytest.raises(ModelError, match="revision 'r1' against 'r2'"):
        open_memory(shard / "memory.sqlite", shard / "tokens.sqlite")


def test_token_vectors_of_some_turns_alone_are_refused(tmp_path):
    shard = build(tmp_path)
    with writing(shard / "tokens.sqlite", provenance("tokens")) as db:
        from skillmill.store.vectors import save_encoder

        save_encoder(db, ENCODER)
        save_tokens(db, "atom", {("garden/1/0", 0): np.ones((1, 2))})
    with pytest.raises(StoreError, match="3 of 4 turns have no token vectors"):
        open_memory(shard / "memory.sqlite", shard / "tokens.sqlite")


def test_another_kind_of_store_is_refused(tmp_path):
    shard = build(tmp_path)
    with pytest.raises(StoreError, match="expected a 'memory' store"):
        open_memory(shard / "tokens.sqlite")
