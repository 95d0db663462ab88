"""Dates of sessions as the files write them, made ISO 8601."""

import re
from datetime import datetime

#: English month names in order; `calendar` would follow the machine's locale.
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

#: Longer texts are no dates; the bound keeps the fallback cheap on prose.
LONGEST_DATE = 80

_LOCOMO = re.compile(
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}) ?(?P<half>[ap])m on"
    r" (?P<day>[0-9]{1,2}) (?P<month>[a-z]+),? (?P<year>[0-9]{4})",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[0-9]{4})[/.-](?P<month>[0-9]{1,2})[/.-](?P<day>[0-9]{1,2})"
    r"(?: \([a-z]{2,9}\))?(?: (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}))?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"[0-9]{4}")


def parse_session_date(text: str) -> str | None:
    """Give a session's date as ISO 8601 minutes, `2023-05-08T13:56`.

    Known forms are `1:56 pm on 8 May, 2023` (LoCoMo), `2023/05/30 (Tue) 23:40`
    (LongMemEval) and ISO 8601; other complete English dates go to dateparser.
    Wall time is kept as written: an offset is dropped, a missing time is 00:00.

    Parameters
    ----------
    text : str
        The date as written.

    Returns
    -------
    str or None
        None where day, month or year is missing, where day and month could be
        swapped (`5/8/2023`), and where the text is relative (`yesterday`): the
        result never depends on the day it is computed.
    """
    written = " ".join(text.split())
    if len(written) > LONGEST_DATE or not _YEAR.search(written):
        return None
    found = _locomo(written) or _year_first(written) or _iso(written)
    found = found or _other(written)
    if found is None:
        return None
    return found.replace(tzinfo=None).isoformat(timespec="minutes")


def date_in_words(iso: str) -> str:
    """Give the day of an ISO 8601 date or time in words, `8 May 2023`."""
    day = datetime.fromisoformat(iso)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _locomo(text: str) -> datetime | None:
    """Read `1:56 pm on 8 May, 2023`."""
    match = _LOCOMO.fullmatch(text)
    if match is None or not 1 <= int(match["hour"]) <= 12:
        return None
    names = [month[: len(match["month"])].lower() for month in MONTHS]
    month = match["month"].lower()
    if len(month) < 3 or month not in names:
        return None
    hour = int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)
    return _moment(
        match["year"], names.index(month) + 1, match["day"], hour, match["minute"]
    )


def _year_first(text: str) -> datetime | None:
    """Read `2023/05/30 (Tue) 23:40`, with or without weekday and time."""
    match = _YEAR_FIRST.fullmatch(text)
    if match is None:
        return None
    return _moment(
        match["year"],
        match["month"],
        match["day"],
        match["hour"] or 0,
        match["minute"] or 0,
    )


def _moment(*parts: str | int) -> datetime | None:
    """Join year, month, day, hour, minute; None where the calendar has no such."""
    year, month, day, hour, minute = (int(part) for part in parts)
    try:
        return datetime(year, month, day, hour, minute)
    except ValueError:
        return None


def _iso(text: str) -> datetime | None:
    """Read ISO 8601."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _other(text: str) -> datetime | None:
    """Read another complete English date, if both orders of day and month agree."""
    # Slow to import, and the known formats never need it.
    import dateparser  # noqa: PLC0415

    readings = {
        dateparser.parse(
            text,
            languages=["en"],
            settings={
                "DATE_ORDER": order,
                "PARSERS": ["absolute-time"],
                "STRICT_PARSING": True,
                "RELATIVE_BASE": datetime(2000, 1, 1),
                "RETURN_AS_TIMEZONE_AWARE": False,
            },
        )
        for order in ("DMY", "MDY")
    }
    return readings.pop() if len(readings) == 1 else None
