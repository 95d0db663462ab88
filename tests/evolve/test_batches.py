import pytest

from skillmill.evolve.batches import batch_of

NAMES = [f"q{n}" for n in range(7)]


def steps(count, size, seed=(0, 0)):
    return [batch_of(NAMES, step, size, seed) for step in range(count)]


def test_one_pass_deals_every_question_once_the_last_batch_what_is_left():
    dealt = steps(3, 3)
    assert [len(batch) for batch in dealt] == [3, 3, 1]
    assert sorted(name for batch in dealt for name in batch) == NAMES
    assert dealt == [sorted(batch) for batch in dealt]


def test_a_second_pass_has_another_order():
    dealt = steps(6, 3)
    assert sorted(name for batch in dealt[3:] for name in batch) == NAMES
    assert dealt[3:] != dealt[:3]


def test_the_seed_decides_and_nothing_else():
    assert steps(3, 3) == steps(3, 3)
    assert steps(3, 3) != steps(3, 3, (0, 1))
    again = [batch_of(NAMES[::-1], step, 3, (0, 0)) for step in range(3)]
    assert again == steps(3, 3)


def test_a_batch_larger_than_all_holds_all():
    assert batch_of(NAMES, 5, 99, (0, 0)) == NAMES
    with pytest.raises(ValueError, match="at least one"):
        batch_of([], 0, 3, (0, 0))
