import pytest

from skillmill.skills.arguments import EXPECTED, Argument, is_number

FORM = Argument("choice", "tuned", ("literal", "tuned"))


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        (FORM, "literal"),
        (Argument("count", 5), 1),
        (Argument("number", 1), 0),
        (Argument("number", 1), 14),
        (Argument("share", 0.3), 0),
        (Argument("share", 0.3), 1),
        (Argument("share", 0.3), 0.25),
        (Argument("flag", True), False),
        (Argument("text"), "a word"),
        (Argument("names"), ["Cause"]),
        (Argument("names"), ("Cause", "Want")),
        (Argument("days"), ["2024-02-29", "2024-02-29"]),
        (Argument("days"), ("2023-05-01", "2024-01-01")),
        (Argument("days"), None),
    ],
)
def test_a_value_of_the_right_type_is_accepted(argument, value):
    assert argument.accepts(value)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        (FORM, "Tuned"),
        (FORM, ["tuned"]),
        (FORM, None),
        (Argument("count", 5), 0),
        (Argument("count", 5), 2.0),
        (Argument("count", 5), True),
        (Argument("count", 5), "5"),
        (Argument("number", 1), -1),
        (Argument("number", 1), False),
        (Argument("number", 1), 0.0),
        (Argument("share", 0.3), 1.01),
        (Argument("share", 0.3), -0.1),
        (Argument("share", 0.3), float("nan")),
        (Argument("share", 0.3), True),
        (Argument("flag", True), 1),
        (Argument("text"), " "),
        (Argument("text"), "half \ud83d"),
        (Argument("names"), []),
        (Argument("names"), "Cause"),
        (Argument("names"), ["Cause", 3]),
        (Argument("days"), ["2024-02-29"]),
        (Argument("days"), ["2024-02-30", "2024-03-01"]),
        (Argument("days"), ["2024-03-02", "2024-03-01"]),
        (Argument("days"), ["20240301", "20240302"]),
        (Argument("days"), ["2024-W10-1", "2024-W10-2"]),
        (Argument("days"), [1, 2]),
        (Argument("days"), "2024-03-01"),
    ],
)
def test_a_value_of_another_type_or_beyond_the_limits_is_refused(argument, value):
    assert not argument.accepts(value)


def test_every_kind_says_what_it_expects():
    assert FORM.expected == "one of literal, tuned"
    for kind, words in EXPECTED.items():
        assert Argument(kind).expected == words


def test_infinity_and_truth_are_no_numbers():
    assert is_number(2)
    assert not is_number(float("inf"))
    assert not is_number(True)
