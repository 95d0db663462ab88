"""Said on Thursday 25 May 2023, unless a test says otherwise."""

from datetime import date

import pytest

from skillmill.models.heuristics import periods
from skillmill.models.heuristics.dates import find_dates

THURSDAY = date(2023, 5, 25)


def only(text, base=THURSDAY):
    found = find_dates(text, base)
    assert len(found) == 1, [text[m.start : m.end] for m in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "written", "first", "last"),
    [
        ("I rowed yesterday", "24 May 2023", "2023-05-24", "2023-05-24"),
        ("we sailed last night", "24 May 2023", "2023-05-24", "2023-05-24"),
        ("this morning it rained", "25 May 2023", "2023-05-25", "2023-05-25"),
        ("the day before yesterday", "23 May 2023", "2023-05-23", "2023-05-23"),
        ("the day after tomorrow", "27 May 2023", "2023-05-27", "2023-05-27"),
        ("three days ago", "22 May 2023", "2023-05-22", "2023-05-22"),
        ("in a week", "The week after 25 May 2023", "2023-05-26", "2023-06-01"),
        ("last week", "The week before 25 May 2023", "2023-05-18", "2023-05-24"),
        ("this week", "The week of 25 May 2023", "2023-05-22", "2023-05-28"),
        ("two weeks ago", "Two weeks before 25 May 2023", "2023-05-11", "2023-05-17"),
        ("last weekend", "The weekend before 25 May 2023", "2023-05-20", "2023-05-21"),
        ("last Friday", "The Friday before 25 May 2023", "2023-05-19", "2023-05-19"),
        ("last Thurs", "The Thursday before 25 May 2023", "2023-05-18", "2023-05-18"),
        ("next Thursday", "The Thursday after 25 May 2023", "2023-06-01", "2023-06-01"),
        ("on Monday", "The Monday before 25 May 2023", "2023-05-22", "2023-05-22"),
        ("last month", "April 2023", "2023-04-01", "2023-04-30"),
        ("in two months", "July 2023", "2023-07-01", "2023-07-31"),
        ("six months ago", "November 2022", "2022-11-01", "2022-11-30"),
        ("last year", "2022", "2022-01-01", "2022-12-31"),
        ("a couple of years ago", "2021", "2021-01-01", "2021-12-31"),
        ("in June", "June 2023", "2023-06-01", "2023-06-30"),
        ("last June", "June 2022", "2022-06-01", "2022-06-30"),
        ("next March", "March 2024", "2024-03-01", "2024-03-31"),
        ("last summer", "Summer 2022", "2022-06-01", "2022-08-31"),
        ("a few days ago", "A few days before 25 May 2023", "2023-05-20", "2023-05-24"),
    ],
)
def test_a_relative_date_is_resolved_from_the_day_it_was_said(
    text, written, first, last
):
    mention = only(text)
    assert mention.period.written == written
    assert str(mention.period.first) == first
    assert str(mention.period.last) == last


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("7 May 2023", "7 May 2023"),
        ("May 7th, 2023", "7 May 2023"),
        ("the 7th of May 2023", "7 May 2023"),
        ("2023-05-07", "7 May 2023"),
        ("Sept. 3, 2021", "3 September 2021"),
        ("May 2023", "May 2023"),
        ("2023", "2023"),
        ("autumn of 2021", "Autumn 2021"),
        ("on May 7", "7 May"),
        ("in May", "May"),
    ],
)
def test_an_absolute_date_needs_no_day(text, written):
    assert only(text, None).period.written == written


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("The week before 12 April 2022", "2022-04-05", "2022-04-11"),
        ("the Friday before 6 August 2022", "2022-08-05", "2022-08-05"),
        ("two weekends before 8 August 2022", "2022-07-30", "2022-07-31"),
        ("the day after May 7th, 2023", "2023-05-08", "2023-05-08"),
    ],
)
def test_a_period_beside_a_date_is_one_expression(text, first, last):
    mention = only(text, None)
    assert (str(mention.period.first), str(mention.period.last)) == (first, last)
    assert mention.period.written == text


@pytest.mark.parametrize(
    "text",
    ["", "I may go", "we march on", "room 2023b", "30 February",
     "a second later", "version 1.2023"],
)  # fmt: skip
def test_what_is_no_date_is_passed_over(text):
    assert find_dates(text, THURSDAY) == []


def test_without_a_day_relative_dates_are_passed_over():
    assert find_dates("yesterday, last week, two years ago", None) == []


def test_several_dates_come_in_the_order_of_the_text():
    text = "I left in March 2021 and came back yesterday."
    found = find_dates(text, THURSDAY)
    assert [text[m.start : m.end] for m in found] == ["March 2021", "yesterday"]
    assert [m.relative for m in found] == [False, True]


def test_a_leap_day_is_read_and_moves_to_the_28th_of_a_common_year():
    period = only("29 February", None).period
    assert (period.first.month, period.first.day) == (2, 29)
    assert period.in_year(2023).first == date(2023, 2, 28)


def test_weeks_months_and_weekends_run_over_the_turn_of_the_year():
    assert periods.month(2023, 0).written == "December 2022"
    assert periods.month(2023, 13).written == "January 2024"
    assert str(only("last weekend", date(2023, 1, 1)).period.first) == "2022-12-24"
    winter = periods.season("winter", 2023)
    assert (str(winter.first), str(winter.last)) == ("2022-12-01", "2023-02-28")


def test_the_first_and_last_year_of_the_calendar_do_not_break_it():
    assert find_dates("two years ago", date(1, 3, 1)) == []
    assert find_dates("in 3 years", date(9999, 3, 1)) == []
