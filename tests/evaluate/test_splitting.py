"""Splits by size, worked by hand on invented conversations."""

import pytest

from skillmill.errors import InputError
from skillmill.evaluate.splitting import splits_of, surplus
from skillmill.types import ADVERSARIAL, Question

SIZES = {"train": 5, "val": 2, "test": 4}
DRAW = {"train": [], "val": [], "test": [], "questions": SIZES, "seed": 0}


def questions(**counts):
    """So many questions of each conversation."""
    return [
        Question(f"{home}/q{n}", home, "When?", 4, "now", "str", None, ("D1:1",))
        for home, count in counts.items()
        for n in range(count)
    ]


ASKED = questions(a=3, b=3, c=3, d=3, e=3)


def left(declared, asked):
    over = surplus(declared, asked)
    return [one for one in asked if one.id not in over]


def sizes(splits, asked):
    return {
        split: sum(one.conversation in names for one in asked)
        for split, names in splits.items()
    }


def test_without_sizes_splits_are_the_names_that_were_given():
    assert splits_of({"train": ["x"], "val": []}, []) == {"train": ("x",), "val": ()}
    assert surplus({"train": ["x"], "val": []}, ASKED) == frozenset()


@pytest.mark.parametrize("seed", range(5))
def test_drawn_splits_have_their_sizes_and_share_no_conversation(seed):
    declared = {**DRAW, "seed": seed}
    kept = left(declared, ASKED)
    found = splits_of(declared, kept)
    assert sizes(found, kept) == SIZES
    # 5 of 3 a conversation take two, 2 take one, 4 take two: all five.
    homes = [home for names in found.values() for home in names]
    assert sorted(homes) == ["a", "b", "c", "d", "e"]
    # What was left out is no reason to draw others.
    assert found == splits_of(declared, ASKED)
    assert surplus(declared, kept) == frozenset()


def test_another_seed_draws_others_and_the_same_the_same():
    drawn = [
        splits_of({**DRAW, "seed": seed}, ASKED)["train"] for seed in (0, 0, 1, 2, 3)
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1


def test_only_splits_that_are_asked_for_are_told_and_are_those_of_the_whole_draw():
    learning = {key: DRAW[key] for key in ("train", "val", "questions", "seed")}
    whole = splits_of(DRAW, ASKED)
    assert splits_of(learning, ASKED) == {s: whole[s] for s in ("train", "val")}


def test_adversarial_questions_neither_count_nor_leave():
    odd = [
        Question(f"{home}/x", home, "When?", ADVERSARIAL, None, "null", None, ())
        for home in "abcde"
    ]
    kept = left(DRAW, [*ASKED, *odd])
    assert set(odd) <= set(kept)
    assert sizes(splits_of(DRAW, kept), left(DRAW, ASKED)) == SIZES


def test_data_of_another_size_is_refused_with_both_sizes():
    with pytest.raises(InputError, match=r"5 for train, 2 for val, 4 for test.* has 6"):
        splits_of(DRAW, questions(a=3, b=3))
    # Eleven questions of two conversations are enough, but not for three splits.
    with pytest.raises(InputError, match="11 questions in 2 conversations, of which"):
        splits_of(DRAW, questions(a=6, b=5))


def test_named_conversations_are_checked_for_their_size():
    declared = {"train": ["a", "b"], "questions": {"train": 6, "val": 0, "test": 0}}
    assert splits_of(declared, ASKED) == {"train": ("a", "b")}
    declared["questions"]["train"] = 233
    with pytest.raises(InputError, match=r"233 for train.* have 6 \(a 3, b 3\)"):
        splits_of(declared, ASKED)
    with pytest.raises(InputError, match=r"have 3 \(a 3, z 0\)"):
        splits_of({**declared, "train": ["a", "z"]}, ASKED)
