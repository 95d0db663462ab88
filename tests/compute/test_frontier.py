import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.compute.frontier import (
    accepts,
    cannot_enter,
    frontier,
    race_order,
    utilities,
)

#: Few values, so that ties and covers are common.
REWARDS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def tables(draw, least=1, most=6):
    rows = draw(st.integers(least, most))
    columns = draw(st.integers(1, 5))
    row = st.lists(REWARDS, min_size=columns, max_size=columns)
    return np.array(draw(st.lists(row, min_size=rows, max_size=rows)))


def test_the_weakest_goes_first_and_what_nobody_covers_stays():
    # Means .5, .75, .5: row 2 is newest of the weakest and rows 0 and 1 cover it; then
    # row 0 is best on the first query.
    table = [[1, 0, 0.5], [0.75, 1, 0.5], [0.5, 0.5, 0.5]]
    assert frontier(table) == (0, 1)


def test_of_equal_skills_the_oldest_stays():
    assert frontier([[0.5, 1], [0.5, 1], [0.5, 1]]) == (0,)


def test_two_that_cover_the_best_drop_it_unless_the_best_is_kept():
    # Specialists of means .5 come first and stay, as each is alone at 1; then the
    # generalist of mean .8 is covered by both.
    table = [[1, 0], [0, 1], [0.8, 0.8]]
    assert frontier(table) == (0, 1)
    assert frontier(table, keep_best=True) == (0, 1, 2)


def test_the_best_of_equals_that_is_kept_is_the_oldest():
    table = [[1, 0, 0.5], [0, 1, 0.5], [0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
    assert frontier(table, keep_best=True) == (0, 1)


@pytest.mark.parametrize(
    ("table", "kept"), [(np.zeros((0, 3)), ()), (np.zeros((3, 0)), (0,)), ([[0]], (0,))]
)
def test_the_empty_table_and_the_one_without_queries(table, kept):
    assert frontier(table) == kept


@pytest.mark.parametrize("wrong", [[[1.5]], [[-0.1]], [[float("nan")]], [0.5]])
def test_a_reward_out_of_range_is_refused(wrong):
    with pytest.raises(ValueError, match="from 0 to 1"):
        frontier(wrong)


@given(tables(), st.booleans())
def test_no_query_loses_its_best_reward(table, keep_best):
    kept = list(frontier(table, keep_best=keep_best))
    assert (table[kept].max(axis=0) == table.max(axis=0)).all()


@given(tables(), st.booleans())
def test_a_frontier_is_its_own_frontier(table, keep_best):
    kept = frontier(table, keep_best=keep_best)
    again = frontier(table[list(kept)], keep_best=keep_best)
    assert again == tuple(range(len(kept)))


@given(tables(least=2), st.data())
def test_proposition_2_1_both_frontiers_never_lose_oracle_coverage(table, data):
    """Many steps on one validation table; the deploy frontier has its gate."""
    skills = list(range(len(table)))
    seeds = skills[: data.draw(st.integers(1, len(skills) - 1))]
    able, used = list(seeds), list(seeds)
    waiting = skills[len(seeds) :]

    def covered(rows):
        return table[rows].max(axis=0).mean()

    while waiting:
        count = data.draw(st.integers(1, len(waiting)))
        fresh, waiting = waiting[:count], waiting[count:]
        pool = sorted({*able, *fresh})
        after = [pool[row] for row in frontier(table[pool])]
        assert covered(after) >= covered(able)
        entered = [skill for skill in fresh if skill in after]
        pool = sorted({*used, *entered})
        candidate = [pool[row] for row in frontier(table[pool])]
        # Whatever the router does: taken, or nothing changes.
        if data.draw(st.booleans()):
            assert covered(candidate) >= covered(used)
            used = candidate
        able = after


@pytest.mark.parametrize(
    ("gain", "size", "taken"),
    [
        (0.02, 9, True),  # gamma is inclusive
        (0.0199, 9, False),  # a larger set must gain
        (-0.05, 3, True),  # xi is inclusive
        (-0.0501, 3, False),
        (-0.05, 4, False),
        (0.1 + 0.2 - 0.3 + 0.02, 9, True),  # noise makes no difference
    ],
)
def test_the_deploy_gate(gain, size, taken):
    assert accepts(gain, size=size, old_size=3, margin=0.02, tolerance=0.05) is taken


def test_a_candidate_that_a_stronger_skill_covers_cannot_enter():
    known = np.array([[1, 1, 0.5, 0]])  # mean .625
    assert cannot_enter(known, [0, None, 0.5, 0])  # at most .375, and 1 is reached
    assert not cannot_enter(known, [0, None, None, 0])  # may have 1 on the third
    assert not cannot_enter(known, [1, None, 0.5, 0.25])  # wins the last
    assert cannot_enter(known, [1, 1, 0.5, 0])  # a twin is newer


def test_a_stronger_candidate_may_enter_by_making_others_redundant():
    known = np.array([[1, 0.5], [0.5, 1]])
    # Of mean 1 at most, above both: they go before it.
    assert not cannot_enter(known, [1, None])


@given(tables(least=2), st.integers(1, 5), st.data(), st.booleans())
def test_racing_gives_the_frontier_of_the_full_evaluation(table, old, data, keep_best):
    old = min(old, len(table) - 1)
    known = table[:old]
    order = race_order(known)
    racing = []
    for row in range(old, len(table)):
        rolled = [None] * table.shape[1]
        stays = True
        for query in order:
            if cannot_enter(known, rolled):
                stays = False
                break
            rolled[query] = table[row, query]
        if stays and not cannot_enter(known, rolled):
            racing.append(row)
    rows = [*range(old), *racing]
    raced = tuple(rows[n] for n in frontier(table[rows], keep_best=keep_best))
    assert raced == frontier(table, keep_best=keep_best)


def test_a_race_starts_where_most_can_be_won():
    known = np.array([[1, 0.5, 0, 1], [1, 0, 0, 0.5]])
    # Best 1, .5, 0, 1; the first and last reach 1, the last by fewer.
    assert race_order(known) == [2, 1, 3, 0]


def test_a_mean_without_queries_is_zero():
    assert utilities(np.zeros((2, 0))).tolist() == [0, 0]
