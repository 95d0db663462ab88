import numpy as np
import pytest

from skillmill.evolve.table import RewardTable

TABLE = RewardTable(
    ("a", "b", "c"),
    ("q1", "q2", "q3", "q4"),
    [[1, 0, 0.5, 0], [1, 1, 0, 0], [0, 0, 1, 0]],
)


def test_oracle_best_single_and_unique_wins_by_hand():
    assert TABLE.profile().tolist() == [1, 1, 1, 0]
    assert TABLE.oracle_mean() == 0.75
    assert TABLE.utilities() == {"a": 0.375, "b": 0.5, "c": 0.25}
    assert TABLE.best_single() == "b"
    # q1 is shared, q4 has no winner.
    assert TABLE.unique_win_ratio() == {"a": 0, "b": 0.25, "c": 0.25}


def test_of_equal_skills_the_first_added_is_the_best():
    assert RewardTable(("z", "a"), ("q",), [[1], [1]]).best_single() == "z"


def test_a_table_grows_by_rows_and_is_not_changed():
    grown = TABLE.extended(["d"], [[0, 0, 0, 1]])
    assert grown.skills == ("a", "b", "c", "d")
    assert grown.oracle_mean() == 1
    assert TABLE.oracle_mean() == 0.75
    with pytest.raises(ValueError, match="read-only"):
        grown.rewards[0, 0] = 1


def test_some_rows_keep_the_order_of_the_table():
    assert TABLE.only(["c", "a"]).skills == ("a", "c")
    assert TABLE.row("c").tolist() == [0, 0, 1, 0]
    with pytest.raises(KeyError, match="'x' has no row"):
        TABLE.only(["x"])


def test_the_empty_tables():
    nothing = RewardTable.empty(["q"])
    assert nothing.oracle_mean() == 0
    assert nothing.extended([], []) is nothing
    with pytest.raises(ValueError, match="no best one"):
        nothing.best_single()
    without = RewardTable(("a",), (), np.zeros((1, 0)))
    assert without.utilities() == {"a": 0}
    assert without.unique_win_ratio() == {"a": 0}


def test_noise_in_the_seventh_decimal_makes_no_difference():
    table = RewardTable(("a", "b"), ("q",), [[0.1 + 0.2], [0.3]])
    assert table.best_single() == "a"
    assert table.unique_win_ratio() == {"a": 0, "b": 0}


@pytest.mark.parametrize(
    ("skills", "queries", "rewards", "message"),
    [
        (("a",), ("q",), [[1.1]], "1.1 for skill 'a' on query 'q'"),
        (("a",), ("q",), [[float("nan")]], "nan for skill"),
        (("a", "a"), ("q",), [[1], [1]], "skill 'a' comes twice"),
        (("a",), ("q", "q"), [[1, 1]], "query 'q' comes twice"),
        (("a",), ("q",), [[1, 1]], "expected rewards"),
    ],
)
def test_a_wrong_table_is_refused(skills, queries, rewards, message):
    with pytest.raises(ValueError, match=message):
        RewardTable(skills, queries, rewards)
