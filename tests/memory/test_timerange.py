"""Ranges read from questions; the memory ends on Sunday 22 October 2023."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.memory.timerange import question_range, widened
from skillmill.skills.arguments import is_days

LAST = "2023-10-22"
BEGIN, END = "0001-01-01", "9999-12-31"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        # Dates with a year.
        ("What broke on 8 May 2023?", "2023-05-08", "2023-05-08"),
        ("What broke on May 8th, 2023?", "2023-05-08", "2023-05-08"),
        ("What broke on 2023-05-08?", "2023-05-08", "2023-05-08"),
        ("What broke on 2023/05/08?", "2023-05-08", "2023-05-08"),
        ("What broke on 13.5.2023?", "2023-05-13", "2023-05-13"),
        ("What grew in July 2022?", "2022-07-01", "2022-07-31"),
        ("What grew in 2022?", "2022-01-01", "2022-12-31"),
        ("What grew in the summer of 2022?", "2022-06-01", "2022-08-31"),
        ("What grew in February 2024?", "2024-02-01", "2024-02-29"),
        # Without a year: the latest that had begun.
        ("What grew in June?", "2023-06-01", "2023-06-30"),
        ("In May, what grew?", "2023-05-01", "2023-05-31"),
        ("What grew in November?", "2022-11-01", "2022-11-30"),
        ("What broke around 9 June?", "2023-06-09", "2023-06-09"),
        ("What grew during the summer?", "2023-06-01", "2023-08-31"),
        ("What grew in winter?", "2022-12-01", "2023-02-28"),
        # Relative to the last day.
        ("What grew last May?", "2023-05-01", "2023-05-31"),
        ("What broke last year?", "2022-01-01", "2022-12-31"),
        ("What broke yesterday?", "2023-10-21", "2023-10-21"),
        ("What broke on Friday?", "2023-10-20", "2023-10-20"),
        ("What broke in the last two weeks?", "2023-10-08", "2023-10-22"),
        ("What broke over the past few days?", "2023-10-19", "2023-10-22"),
        # Parts.
        ("in the first week of June 2023", "2023-06-01", "2023-06-07"),
        ("in the second week of June 2023", "2023-06-08", "2023-06-14"),
        ("in the last week of June 2023", "2023-06-24", "2023-06-30"),
        ("in early June 2022", "2022-06-01", "2022-06-10"),
        ("in mid-July", "2023-07-11", "2023-07-20"),
        ("at the end of 2022", "2022-09-01", "2022-12-31"),
        ("in the second half of 2022", "2022-07-03", "2022-12-31"),
        ("in the first few days of March 2023", "2023-03-01", "2023-03-07"),
        ("at the start of last month", "2023-09-01", "2023-09-10"),
        ("in the week of 23 August 2023", "2023-08-21", "2023-08-27"),
        ("two weeks before 9 June 2023", "2023-05-26", "2023-06-01"),
        # From one to another.
        ("between May and July", "2023-05-01", "2023-07-31"),
        ("between 3 May and 9 June 2023", "2023-05-03", "2023-06-09"),
        ("from March to May 2022", "2022-03-01", "2022-05-31"),
        ("from early March until late May 2022", "2022-03-01", "2022-05-31"),
        ("from 28 December to 3 January 2023", "2022-12-28", "2023-01-03"),
        ("from November to January", "2022-11-01", "2023-01-31"),
        ("from 2021 to 2022", "2021-01-01", "2022-12-31"),
        ("between 3 and 8 June 2023", "2023-06-03", "2023-06-08"),
        ("from 3 to 8 June 2023", "2023-06-03", "2023-06-08"),
        ("on June 3-8, 2022", "2022-06-03", "2022-06-08"),
        ("on 3\u20138 June 2022", "2022-06-03", "2022-06-08"),
        ("from August 3rd to 5th", "2023-08-03", "2023-08-05"),
        # Open at one end.
        ("before May 2023", BEGIN, "2023-04-30"),
        ("until March", BEGIN, "2023-03-31"),
        ("by the end of June", BEGIN, "2023-06-30"),
        ("after 9 June 2023", "2023-06-10", END),
        ("after 3-8 June 2023", "2023-06-09", END),
        ("since August", "2023-08-01", END),
        ("from 5 May 2023 on", "2023-05-05", END),
        ("after 1 May 2023 and before 1 July 2023", "2023-05-02", "2023-06-30"),
        # Several dates.
        ("on May 5, 2023, the best day of 2023", "2023-05-05", "2023-05-05"),
        ("on May 5th and on June 9th, 2023", "2023-05-05", "2023-06-09"),
    ],
)
def test_a_date_in_a_question_is_a_range_of_days(text, first, last):
    assert question_range(text, LAST) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How long ago did the boiler break?",
        "May I ask who will march?",
        "What did June say?",  # a person
        "What did Tom make for Jun?",
        "What does the fall of the wall mean?",
        "What is planned for the summer?",  # told before it
        "What will happen next year?",  # ahead of the memory
        "Which 3 of 20 beans grew?",
        "What broke on 5/8/2023?",  # day and month may be swapped
        "\u05de\u05ea\u05d9 \u05e0\u05e9\u05d1\u05e8?",
    ],
)
def test_a_question_that_names_no_date_has_no_range(text):
    assert question_range(text, LAST) is None


def test_the_result_hangs_on_the_last_day_of_the_memory_and_on_no_other():
    assert question_range("in June", "2021-05-31") == ("2020-06-01", "2020-06-30")
    assert question_range("in June", "2021-06-01") == ("2021-06-01", "2021-06-30")
    assert question_range("last week", "2021-06-16") == ("2021-06-09", "2021-06-15")
    assert question_range("in June", "2021-06-01T09:30") == ("2021-06-01", "2021-06-30")


def test_without_a_last_day_only_dates_with_a_year_are_read():
    assert question_range("since 8 May 2023", None) == ("2023-05-08", END)
    assert question_range("from March to May 2022", None) == (
        "2022-03-01",
        "2022-05-31",
    )
    for text in ("in June", "last year", "on Friday", "during the summer"):
        assert question_range(text, None) is None


def test_a_leap_day_of_another_year_is_the_day_before():
    assert question_range("on February 29", LAST) is None
    assert question_range("on February 29, 2020", LAST) == ("2020-02-29", "2020-02-29")


def test_a_range_is_widened_on_both_sides_and_stops_at_the_calendar():
    assert widened(("2023-03-01", "2023-03-01"), 1, 7) == ("2023-02-28", "2023-03-08")
    assert widened(("2023-03-01", "2023-03-09"), 0, 0) == ("2023-03-01", "2023-03-09")
    assert widened((BEGIN, END), 30, 30) == (BEGIN, END)
    assert widened(("0001-01-05", "9999-12-30"), 9, 9) == (BEGIN, END)


WORDS = (
    "in on since until before after between from and to the of first last week month "
    "May march June 3 31 30th 2023 1999 0 summer early mid- late half yesterday ago 2 "
    "99999999999 - \u2013 , 2023-02-30 5/8/2023 next Friday weekend years past few"
)


@given(
    st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)
    | st.text(max_size=60),
    st.sampled_from([None, "2023-10-22", "0001-01-01", "9999-12-31", "2024-02-29"]),
)
@settings(max_examples=300, deadline=None)
def test_any_text_has_a_range_in_order_or_none(text, last_day):
    found = question_range(text, last_day)
    assert found is None or is_days(found)
