"""Golden values were worked by hand; the formula stands beside each."""

import math

import pytest

from skillmill.compute.textscore import bleu1, f1_bag, f1_locomo, f1_set

ROWING = "rowing, chess, baking"


@pytest.mark.parametrize("score", [f1_bag, f1_set, bleu1])
def test_a_number_with_a_full_stop_is_that_number_u23(score):
    assert score("2022.", "2022") == 1.0


def test_the_three_f1_differ_on_one_answer_u31():
    """Bag: {chess, row} in {row, chess, bake}; set: "and" counts; LoCoMo: by parts."""
    assert f1_bag("chess and rowing", ROWING) == pytest.approx(2 * 2 / (2 + 3))
    assert f1_set("chess and rowing", ROWING) == pytest.approx(2 * 2 / (3 + 3))
    by_part = [2 / 3, 2 / 3, 0]  # the one predicted part has two words
    expected = sum(by_part) / 3
    assert f1_locomo("chess and rowing", ROWING, 1) == pytest.approx(expected)


def test_repeated_words_count_in_a_bag_and_not_in_a_set_u31():
    assert f1_bag("the cat", "the the cat") == 1.0  # articles are gone
    assert f1_set("the cat", "the the cat") == 1.0
    assert f1_bag("red", "red red roof") == pytest.approx(2 * 1 / (1 + 3))
    assert f1_set("red", "red red roof") == pytest.approx(2 * 1 / (1 + 2))


def test_words_are_compared_by_their_stem():
    assert f1_bag("She paints boats", "she painted a boat") == 1.0
    assert f1_set("paints", "painted") == 0.0
    assert bleu1("paints", "painted") == 0.0


def test_locomo_takes_the_best_part_for_each_gold_part():
    assert f1_locomo("baking, rowing, chess", ROWING, 1) == 1.0
    assert f1_locomo("rowing, chess", ROWING, 1) == pytest.approx(2 / 3)


def test_locomo_reads_an_open_answer_up_to_the_semicolon():
    assert f1_locomo("Likely no", "Likely no; he prefers trains", 3) == 1.0
    assert f1_locomo("Likely no", "Likely no; he prefers trains", 4) < 1.0


@pytest.mark.parametrize("category", [0, 5, 6])
def test_a_category_without_f1_is_refused(category):
    with pytest.raises(ValueError, match="categories 1 to 4"):
        f1_locomo("x", "x", category)


def test_bleu1_punishes_a_prediction_that_is_too_short():
    assert bleu1("a grey boat", "a grey boat") == 1.0
    assert bleu1("grey boat", "a grey boat") == pytest.approx(math.exp(1 - 3 / 2))
    assert bleu1("a grey grey boat sank", "a grey boat") == pytest.approx(3 / 5)


@pytest.mark.parametrize("score", [f1_bag, f1_set, bleu1])
def test_nothing_against_something_is_zero_and_against_nothing_one(score):
    assert score("", "boat") == 0.0
    assert score("boat", "") == 0.0
    assert score("", "") == 1.0


@pytest.mark.parametrize("score", [f1_bag, f1_set, bleu1])
def test_both_forms_of_an_accented_letter_are_one_word(score):
    assert score("cafe\u0301", "caf\u00e9") == 1.0
