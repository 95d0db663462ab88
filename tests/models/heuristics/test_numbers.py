import pytest

from skillmill.models.heuristics.numbers import numbers_in, value_of


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("7", 7), ("1,250", 1250), ("2.5", 2.5), ("twenty-one", 21), ("twice", 2),
        ("two hundred and five", 205), ("a hundred", 100), ("three thousand", 3000),
        ("a couple of", 2), ("dozen", 12), ("an", 1), ("zero", 0),
    ],
)  # fmt: skip
def test_a_number_has_a_value_in_digits_or_words(written, value):
    assert value_of(written) == value


@pytest.mark.parametrize("written", ["", "boat", "two boats", "1.2.3", "and"])
def test_what_is_no_number_has_none(written):
    assert value_of(written) is None


def test_numbers_of_a_text_come_in_order_with_their_place():
    text = "Two boats, 1,250 nails and twenty-one oars (B12)."
    found = numbers_in(text)
    assert [value for _, _, value in found] == [2, 1250, 21]
    assert [text[start:end] for start, end, _ in found] == [
        "Two",
        "1,250",
        "twenty-one",
    ]


def test_a_text_without_numbers_has_none():
    assert numbers_in("a boat") == []
    assert numbers_in("") == []
