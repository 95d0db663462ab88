"""Dates in English text, absolute or relative to the day it was said."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from skillmill.models.heuristics import periods
from skillmill.models.heuristics.numbers import COUNT, value_of
from skillmill.models.heuristics.periods import MONTHS, WEEKDAYS, Period

#: Years that a bare four-digit number may mean.
EARLIEST_YEAR, LATEST_YEAR = 1900, 2100
#: Where dates without a year are placed when nothing places them: a leap year.
SOME_DAY = date(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date expression of a text, `text[start:end]`, and the days it means.

    `relative` tells that the meaning hangs on the day it was said.
    """

    start: int
    end: int
    period: Period
    relative: bool


_MONTH_NAMES = {name[:3].lower(): n for n, name in enumerate(MONTHS, start=1)}
_DAY_NAMES = {name[:3].lower(): name for name in WEEKDAYS}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = (
    r"(?P<weekday>mon(?:day)?|tues?(?:day)?|wed(?:nesday|s)?|thur?s?(?:day)?"
    r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
_UNIT = r"(?P<unit>day|night|week|weekend|month|year)s?\b"
_PAST = r"(?:last|this past|past|previous)"
_COMING = r"(?:next|this coming|coming|the following)"

Resolve = Callable[[re.Match[str], date], Period | None]


def find_dates(text: str, base: date | None) -> list[DateMention]:
    """Find the date expressions of a text and resolve them.

    Parameters
    ----------
    text : str
        English.
    base : date or None
        The day it was said. Without it relative expressions are passed over, and a
        date without a year is placed in a leap year and marked not `dated`.

    Returns
    -------
    list of DateMention
        In the order of the text, without overlaps: of two that do, the longer one.
        Impossible dates (30 February) are passed over.
    """
    found = sorted(
        _all_mentions(text, base), key=lambda m: (m.start - m.end, m.start, m.relative)
    )
    kept: list[DateMention] = []
    for mention in found:
        if all(mention.end <= k.start or k.end <= mention.start for k in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _all_mentions(text: str, base: date | None) -> Iterator[DateMention]:
    """Give what each pattern finds, overlaps included."""
    for pattern, resolve in _ABSOLUTE:
        for match in pattern.finditer(text):
            period = _resolved(resolve, match, base or SOME_DAY)
            if period is not None and base is None and not period.dated:
                period = replace(period, written=period.written.rsplit(" ", 1)[0])
            if period is not None:
                yield DateMention(match.start(), match.end(), period, relative=False)
    if base is None:
        return
    for pattern, resolve in _RELATIVE:
        for match in pattern.finditer(text):
            period = _resolved(resolve, match, base)
            if period is not None:
                yield DateMention(match.start(), match.end(), period, relative=True)


def _resolved(resolve: Resolve, match: re.Match[str], base: date) -> Period | None:
    """Resolve a match; None where the calendar has no such day."""
    try:
        return resolve(match, base)
    except (ValueError, OverflowError):
        return None


def _calendar_day(match: re.Match[str], base: date) -> Period:
    """`7 May 2023`, `May 7th`, `2023-05-07`."""
    year, month = match["year"], match["month"]
    number = int(month) if month.isdigit() else _month_number(month)
    moment = date(int(year or base.year), number, int(match["day"]))
    return replace(periods.day(moment), dated=year is not None)


def _month_number(name: str) -> int:
    """Number of an English month, abbreviated or not."""
    return _MONTH_NAMES[name[:3].lower()]


def _month_of_year(match: re.Match[str], base: date) -> Period:
    """`May 2023`."""
    return periods.month(int(match["year"]), _month_number(match["month"]))


def _bare_month(match: re.Match[str], base: date) -> Period | None:
    """`in May`, `last May`: the nearest one the words allow."""
    name, lead = match["month"], (match["lead"] or "").lower()
    if name[:1].islower() or (not lead and name.lower() in {"may", "march"}):
        return None  # "may" and "march" are also verbs
    number, year = _month_number(name), base.year
    if lead.startswith(("last", "this past", "past")) and number >= base.month:
        year -= 1
    elif lead.startswith(("next", "coming", "this coming")) and number <= base.month:
        year += 1
    return replace(periods.month(year, number), dated=False)


def _whole_year(match: re.Match[str], base: date) -> Period | None:
    """`2019`."""
    number = int(match["year"])
    return periods.year(number) if EARLIEST_YEAR <= number <= LATEST_YEAR else None


def _season_of_year(match: re.Match[str], base: date) -> Period:
    """`summer of 2021`."""
    return periods.season(match["season"].lower(), int(match["year"]))


def _anchored(match: re.Match[str], base: date) -> Period | None:
    """`the week before 12 April 2022`, `two weekends before 8 August 2022`."""
    anchor = find_dates(match["anchor"], base)
    if len(anchor) != 1 or anchor[0].period.days != 1:
        return None
    side = match["side"].lower()
    sign = 0 if side in {"of", "on"} else -1 if side in {"before", "preceding"} else 1
    count = value_of(match["count"] or "one") or 1
    period = _moved(match, anchor[0].period.first, sign, int(count))
    written = " ".join(match[0].split())
    return period and Period(period.first, period.last, written, period.dated)


def _moved(match: re.Match[str], base: date, sign: int, count: int) -> Period | None:
    """Move by whole units from a day: -1 back, 1 on, 0 the unit it lies in."""
    named = match.groupdict()
    if named.get("weekday"):
        return periods.weekday_from(
            base, _DAY_NAMES[named["weekday"][:3].lower()], sign
        )
    unit, steps = named["unit"].lower(), sign * count
    if unit in {"day", "night"}:
        return periods.days_from(base, steps)
    if unit == "week":
        return periods.week_from(base, steps)
    if unit == "weekend":
        return periods.weekend_from(base, steps)
    if unit == "month":
        return periods.month(base.year, base.month + steps)
    return periods.year(base.year + steps)


def _said_day(match: re.Match[str], base: date) -> Period:
    """`yesterday`, `tonight`, `the day after tomorrow`."""
    said = " ".join(match[0].lower().split())
    shift = {"yesterday": -1, "last night": -1, "tomorrow": 1}
    step = next((s for word, s in shift.items() if word in said), 0)
    further = 2 if said.startswith("the day ") else 1
    return periods.days_from(base, step * further)


def _beside_now(match: re.Match[str], base: date) -> Period | None:
    """`last week`, `this weekend`, `next month`, `last Friday`."""
    lead = " ".join(match["lead"].lower().split())
    ahead = lead in {"next", "coming", "this coming", "the following"}
    sign = 1 if ahead else 0 if lead == "this" else -1
    if sign == 0 and match.groupdict().get("weekday"):
        sign = 1
    return _moved(match, base, sign, 1)


def _ago(match: re.Match[str], base: date) -> Period | None:
    """`two weeks ago`, `3 days later`, `in a month`."""
    count = value_of(match["count"])
    side = (match.groupdict().get("side") or "in").lower()
    sign = -1 if side in {"ago", "back", "earlier", "prior"} else 1
    if count is None or count != int(count):
        return None
    return _moved(match, base, sign, int(count))


def _vague(match: re.Match[str], base: date) -> Period:
    """`a few days ago`: kept in words, placed up to five units back."""
    unit, quantity = match["unit"].lower(), match["quantity"].lower()
    length = {"day": 1, "week": 7, "weekend": 7, "month": 31, "year": 365}.get(unit, 1)
    first = base - timedelta(days=5 * length)
    written = f"{quantity.capitalize()} {unit}s before {periods.day(base).written}"
    if unit == "year":
        written = f"{quantity.capitalize()} years ago"
    return Period(first, base - timedelta(days=length), written)


def _season_beside_now(match: re.Match[str], base: date) -> Period:
    """`last summer`, `this winter`."""
    name, lead = match["season"].lower(), match["lead"].lower()
    period = periods.season(name, base.year)
    if lead.endswith(("last", "past", "previous")) and period.last >= base:
        return periods.season(name, base.year - 1)
    if lead.startswith(("next", "coming")) and period.first <= base:
        return periods.season(name, base.year + 1)
    return period


def _compiled(pattern: str, resolve: Resolve) -> tuple[re.Pattern[str], Resolve]:
    """Compile a pattern that must not begin inside a word or a number."""
    return re.compile(rf"(?<![\w/-])(?<!\d\.){pattern}", re.IGNORECASE), resolve


_ANCHOR = (
    rf"(?P<anchor>(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(MONTHS)}),?"
    rf"(?: \d{{4}})?|(?:{'|'.join(MONTHS)}) \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    r"|\d{4}-\d\d-\d\d)"
)
_SIDE = r"(?P<side>before|preceding|after|following|of|on)"
_ABSOLUTE = [
    _compiled(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})\b", _calendar_day),
    _compiled(rf"{_DAY}(?: day)?(?: of)? {_MONTH}(?:,? {_YEAR})?", _calendar_day),
    _compiled(rf"{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?", _calendar_day),
    _compiled(rf"(?<!\d ){_MONTH},?(?: of)? {_YEAR}", _month_of_year),
    _compiled(
        rf"(?:(?P<lead>{_PAST}|{_COMING}|in|since|until|till|by|of|for|during|early"
        rf"|late|mid|this|around)[ -](?:early |late |mid-?)?)?(?<!\d ){_MONTH}",
        _bare_month,
    ),
    _compiled(rf"{_SEASON}(?: of|,)? {_YEAR}", _season_of_year),
    _compiled(_YEAR, _whole_year),
    _compiled(
        rf"(?:the )?(?:(?P<count>{COUNT}) )?(?:{_WEEKDAY}|{_UNIT}) {_SIDE} {_ANCHOR}",
        _anchored,
    ),
]
_RELATIVE = [
    _compiled(
        r"(?:(?:the day before )?yesterday|last night|today|tonight"
        r"|this (?:very )?(?:morning|afternoon|evening)|(?:the day after )?tomorrow)\b",
        _said_day,
    ),
    _compiled(
        rf"(?P<lead>{_PAST}|{_COMING}|this|on|the)(?: this)? {_WEEKDAY}",
        _beside_now,
    ),
    _compiled(rf"(?P<lead>{_PAST}|{_COMING}|this) {_UNIT}", _beside_now),
    _compiled(
        rf"(?P<count>{COUNT}) {_UNIT}"
        r" (?P<side>ago|back|earlier|prior|later|from now|from today)\b",
        _ago,
    ),
    _compiled(rf"in (?P<count>{COUNT}) {_UNIT}", _ago),
    _compiled(
        rf"(?P<quantity>a few|few|several|some) {_UNIT} (?:ago|back|earlier)\b", _vague
    ),
    _compiled(
        rf"(?P<lead>(?:the )?{_PAST}|{_COMING}|this) {_SEASON}", _season_beside_now
    ),
]
