import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.memory import tokens
from skillmill.memory.atoms import turn_pair_atoms
from skillmill.memory.tokens import TokenIndex, token_index, turn_texts
from skillmill.types import Conversation, Session, Turn
from tests.memory.records import atom

ATOMS = (atom(0, "a", turns=("t1", "t2")), atom(1, "b", turns=("t3",)))
VECTORS = {
    ("garden/1/1", 0): np.array([[7.0, 7]]),
    ("garden/1/0", 1): np.zeros((0, 2)),
    ("garden/1/0", 0): np.array([[1.0, 0], [0, 1]]),
    ("other/1/0", 0): np.array([[9.0, 9]]),
}


def test_vectors_stand_in_the_order_of_atoms_and_turns():
    index = token_index(ATOMS, VECTORS)
    assert index.vectors.tolist() == [[1, 0], [0, 1], [7, 7]]
    assert index.offsets.tolist() == [0, 2, 2, 3]
    assert index.turns == 3


def test_a_turn_without_vectors_is_told():
    lacking = {key: VECTORS[key] for key in VECTORS if key != ("garden/1/0", 1)}
    with pytest.raises(
        StoreError, match=r"1 of 3 turns .* is turn 1 of atom 'garden/1"
    ):
        token_index(ATOMS, lacking)


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 4], [0, 2, 1, 3], []])
def test_offsets_that_do_not_cut_the_vectors_are_refused(offsets):
    with pytest.raises(ValueError, match=r"do not cut \(3, 2\) into turns"):
        TokenIndex(np.ones((3, 2)), np.array(offsets, dtype=int))


def test_a_large_memory_is_searched_without_a_wide_copy_to_the_same_scores(monkeypatch):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(40, 8)).astype(np.float16)
    small = TokenIndex(vectors, np.arange(0, 41, 4))
    queries, starts = [rng.normal(size=(3, 8))], np.array([0, 2, 5, 10])
    expected = small.scores(queries, starts)
    monkeypatch.setattr(tokens, "WIDENED", 100)
    large = TokenIndex(vectors, small.offsets)
    assert (large.scores(queries, starts) == expected).all()
    assert (
        large.turn_scores(queries[0], 2, 5) == small.turn_scores(queries[0], 2, 5)
    ).all()


def test_the_text_of_a_turn_is_that_of_an_atom_of_one_turn():
    turns = (
        Turn("t1", "Ines", "Hello\nthere"),
        Turn("t2", "Tom", "Look", "a shed"),
        Turn("t3", "Ines", "Nice"),
    )
    home = Conversation("garden", ("Ines", "Tom"), (Session(1, None, None, turns),))
    away = Conversation("other", ("Ann",), (Session(1, None, None, turns[:1]),))
    atoms = turn_pair_atoms(home)
    assert turn_texts(atoms, [away, home]) == {
        ("garden/1/0", 0): "Ines: Hello\nthere",
        ("garden/1/0", 1): "Tom: Look [shares a shed]",
        ("garden/1/1", 0): "Ines: Nice",
    }
    with pytest.raises(StoreError, match="'garden/1/0' holds turn 't1', which its"):
        turn_texts(atoms, [away])
