import numpy as np
import pytest

from skillmill.errors import StoreError
from skillmill.store.artifact import Provenance, digest, reading, writing
from skillmill.store.tokens import load_tokens, save_tokens

MATRICES = {
    ("b", 0): np.array([[1.0, 0.5], [0.25, -1]]),
    ("a", 10): np.zeros((0, 2)),
    ("a", 2): np.array([[3.0, 4.0]], dtype=np.float16),
}


def written(path, **kinds):
    with writing(path, Provenance("tokens", "one", "0", "c0de")) as db:
        for kind, matrices in kinds.items():
            save_tokens(db, kind, matrices)
    return path


def test_matrices_come_back_by_id_and_part_as_half_floats(tmp_path):
    path = written(tmp_path / "t.sqlite", atom=MATRICES, question={("q", 0): np.eye(2)})
    with reading(path, "tokens") as db:
        found, other = load_tokens(db, "atom"), load_tokens(db, "question")
        assert load_tokens(db, "skill") == {}
    assert list(found) == [("a", 2), ("a", 10), ("b", 0)]
    assert {key: matrix.tolist() for key, matrix in found.items()} == {
        key: matrix.tolist() for key, matrix in MATRICES.items()
    }
    assert {matrix.dtype.name for matrix in found.values()} == {"float16"}
    assert found["a", 10].shape == (0, 2)
    assert list(other) == [("q", 0)]


def test_equal_matrices_are_an_equal_file_in_whatever_order_they_came(tmp_path):
    one = written(tmp_path / "one.sqlite", atom=MATRICES)
    other = written(tmp_path / "other.sqlite", atom=dict(reversed(MATRICES.items())))
    assert one.read_bytes() == other.read_bytes()
    assert digest(one) == digest(other)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e6])
def test_a_number_that_is_none_as_a_half_float_is_refused_with_its_record_u59(
    tmp_path, bad
):
    with pytest.raises(StoreError, match="token vectors of atom 'a': expected finite"):
        written(tmp_path / "t.sqlite", atom={("a", 0): np.array([[bad, 1]])})
    assert not list(tmp_path.iterdir())


def test_a_matrix_of_another_shape_is_a_misuse(tmp_path):
    with pytest.raises(ValueError, match=r"a \(t, d\) matrix, got shape \(3,\)"):
        written(tmp_path / "t.sqlite", atom={("a", 0): np.ones(3)})


def test_vectors_of_two_lengths_are_refused_when_read(tmp_path):
    mixed = {("a", 0): np.ones((1, 2)), ("b", 0): np.ones((1, 3))}
    path = written(tmp_path / "t.sqlite", atom=mixed)
    with (
        reading(path, "tokens") as db,
        pytest.raises(StoreError, match="'b': expected 2 numbers a row, found 3"),
    ):
        load_tokens(db, "atom")
