import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillmill.data.dates import LONGEST_DATE, date_in_words, parse_session_date


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56"),
        ("1:56 am on 8 May, 2023", "2023-05-08T01:56"),
        ("12:05 am on 31 December, 1999", "1999-12-31T00:05"),
        ("12:05 pm on 1 Jan 2024", "2024-01-01T12:05"),
        ("  9:00  PM on 29 february, 2024 ", "2024-02-29T21:00"),
        ("10:30 am on 3 Sept, 2022", "2022-09-03T10:30"),
    ],
)
def test_the_date_form_of_locomo_is_read_to_the_minute(text, iso):
    assert parse_session_date(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023/05/30 (Tue) 23:40", "2023-05-30T23:40"),
        ("2023/5/3", "2023-05-03T00:00"),
        ("2023.05.30 7:05", "2023-05-30T07:05"),
    ],
)
def test_the_date_form_of_longmemeval_is_read_to_the_minute(text, iso):
    assert parse_session_date(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023-05-08", "2023-05-08T00:00"),
        ("2023-05-08T13:56", "2023-05-08T13:56"),
        ("2023-05-08 13:56:59", "2023-05-08T13:56"),
        ("2023-05-08T13:56:00Z", "2023-05-08T13:56"),
        ("2023-05-08T13:56+09:00", "2023-05-08T13:56"),
        ("0099-05-08", "0099-05-08T00:00"),
    ],
)
def test_iso_dates_keep_their_wall_time(text, iso):
    assert parse_session_date(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Monday, 8 May 2023 at 13:56", "2023-05-08T13:56"),
        ("May 8th, 2023", "2023-05-08T00:00"),
        ("15/8/2023", "2023-08-15T00:00"),
        ("8/8/2023 5:30 pm", "2023-08-08T17:30"),
    ],
)
def test_another_complete_english_date_is_read(text, iso):
    assert parse_session_date(text) == iso


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "in 2024 days",
        "2 weeks before 2023",
        "May 2023",
        "8 May",
        "2023",
        "5/8/2023",
        "31 February, 2023",
        "2:00 pm on 31 June, 2023",
        "2023/02/30 (Thu) 10:00",
        "8. Mai 2023, nachmittags",
        "2023-05-08 " + "x" * LONGEST_DATE,
    ],
)
def test_what_is_no_complete_unambiguous_date_is_unknown(text):
    assert parse_session_date(text) is None


def test_a_24_hour_time_with_pm_keeps_its_hour():
    assert parse_session_date("13:05 pm on 8 May, 2023") == "2023-05-08T13:05"


def test_a_known_form_does_not_import_the_fallback(monkeypatch):
    monkeypatch.setitem(sys.modules, "dateparser", None)  # an import would fail
    assert parse_session_date("1:56 pm on 8 May, 2023") == "2023-05-08T13:56"
    with pytest.raises(ImportError):
        parse_session_date("May 8th, 2023")


@settings(deadline=None)  # the first example imports dateparser
@given(st.text(alphabet="0123456789/:-., apmonMaydT()Z+", max_size=40))
def test_any_text_gives_iso_minutes_or_none(text):
    result = parse_session_date(text + " 2023")
    assert result is None or (len(result) == 16 and result[10] == "T")


def test_a_day_in_words_has_no_padding():
    assert date_in_words("2023-05-08T13:56") == "8 May 2023"
    assert date_in_words("1999-12-31") == "31 December 1999"
