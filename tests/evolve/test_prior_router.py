import numpy as np

from skillmill.evolve.prior_router import UtilityRouting, hash_vectors, picks

QUESTIONS = np.zeros((2, 3), dtype=np.float32)
A, B, C = np.eye(3, dtype=np.float32)


def trained():
    rewards = np.array([[1, 0], [0.5, 1]])
    return UtilityRouting().train(QUESTIONS, np.array([A, B]), rewards)


def test_every_question_goes_to_the_skill_with_the_best_mean():
    # Means .5 and .75.
    assert picks(trained(), QUESTIONS, np.array([A, B])).tolist() == [1, 1]
    assert picks(trained(), QUESTIONS, np.array([B, A])).tolist() == [0, 0]


def test_shares_add_up_to_one_and_an_unknown_skill_comes_last():
    shares = trained().probabilities(QUESTIONS, np.array([C, A, B]))
    assert shares[0].argsort().tolist() == [0, 1, 2]
    assert np.allclose(shares.sum(axis=1), 1)


def test_of_equal_skills_the_first_known_is_picked():
    router = UtilityRouting().train(QUESTIONS, np.array([B, A]), np.ones((2, 1)))
    assert picks(router, QUESTIONS, np.array([A, B])).tolist() == [1, 1]


def test_a_router_comes_back_from_bytes():
    again = UtilityRouting().load(trained().dump())
    assert again == trained()
    assert again.dump() == trained().dump()


def test_hash_vectors_tell_skills_apart():
    vectors = hash_vectors(["00" * 32, "0a" * 32])
    assert vectors.shape == (2, 16)
    assert vectors[1].tolist() == [10] * 16
    assert hash_vectors([]).shape == (0, 16)
