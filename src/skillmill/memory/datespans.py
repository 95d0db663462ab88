"""Dates in a question, each as the days that a stretch of its text means.

The calendar, `last May`, `two weeks before 9 June` and the like come from
`find_dates`; here stand the rules that questions add to it: which year a month without
one is in, seasons, and parts of a period.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from skillmill.data.dates import parse_session_date
from skillmill.models.heuristics import periods
from skillmill.models.heuristics.dates import DateMention, find_dates
from skillmill.models.heuristics.numbers import COUNT, value_of
from skillmill.models.heuristics.periods import MONTHS, Period


@dataclass(frozen=True, slots=True)
class Span:
    """Days that `text[start:end]` means.

    `bounded`: both ends were given, as in `from May to July`. Without `dated` the
    year is a guess.
    """

    start: int
    end: int
    first: date
    last: date
    dated: bool = True
    bounded: bool = False

    @property
    def open(self) -> bool:
        """Whether one end is missing, as in `after May`."""
        return self.first == date.min or self.last == date.max


_MONTH = "|".join(name[:3] for name in MONTHS)
_LEAD = re.compile(
    r"(?:(?:in|since|until|till|by|of|for|during|early|late|mid|this|around)[ -])*",
    re.IGNORECASE,
)
#: What may stand before a month; `find_dates` is shown `in` instead, after which
#: "May" and "March" are months too and a year after the month stays with it.
_BEFORE_MONTH = re.compile(
    r"\b(?i:between|from|before|after|and|to|through|since|until|till|by|of|for"
    rf"|during|around|early|late|mid)(?=[ -](?:{_MONTH})[a-z]*\b)"
)
#: Without any other word "June" may be a person, and "in Jun" mostly is one.
_NAME_ALONE = re.compile(
    rf"(?:{'|'.join(MONTHS)})|(?:[a-z]+ )*(?!May)(?:{_MONTH})\.?", re.IGNORECASE
)
_BEFORE_DAY = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)?[-\u2013]"
    rf"(?=\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH}))",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:(?P<which>first|second|third|fourth|last|final|1st|2nd|3rd|4th)"
    r" (?P<unit>week|weekend|half|days|few days)(?: of| in)?"
    r"|(?P<third>early|beginning of|start of|mid|middle of|late|end of))"
    r"[ -](?:the )?(?:month of )?$",
    re.IGNORECASE,
)
_DAY_TO = re.compile(
    r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)? ?(?:-|\u2013|to|and|until|through) ?"
    r"(?:the )?$",
    re.IGNORECASE,
)
_TO_DAY = re.compile(
    r" ?(?:-|\u2013|to|until|through) ?(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    rf"(?!\w| (?:of )?(?:{_MONTH}))(?:,? (?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_SEASON = re.compile(
    r"\b(?:in|during|over|throughout) (?:the |that )?"
    r"(?P<season>spring|summer|autumn|fall|winter)\b(?!,? (?:of )?(?:19|20)\d\d)",
    re.IGNORECASE,
)
_RECENT = re.compile(
    rf"\bthe (?:last|past|previous) (?:(?P<count>{COUNT})|few|several)"
    r" (?P<unit>day|week|month|year)s\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?<![\w./-])\d{1,4}([./-])\d{1,2}\1\d{1,4}(?![\w/-])")

_WEEKS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2,
          "fourth": 3, "4th": 3}  # fmt: skip
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
#: Characters before a date that can belong to it.
REACH = 40
#: "the last few weeks": how many that is.
_FEW = 3


def date_spans(text: str, base: date | None) -> Iterator[Span]:
    """Give every date of a text, overlaps included, in any order.

    `base` is the day that relative dates count from; a relative date that lies ahead
    of it means nothing. None: only dates that stand for themselves; those without a
    year are placed anywhere and not `dated`.
    """
    masked = _BEFORE_DAY.sub(lambda match: " " * len(match[0]), text)
    masked = _BEFORE_MONTH.sub(lambda match: "in".rjust(len(match[0])), masked)
    for mention in find_dates(masked, base):
        period = _placed(mention, masked, base)
        named = _NAME_ALONE.fullmatch(masked, mention.start, mention.end)
        if period is not None and not named:
            yield _narrowed(mention, period, masked, text)
    for match in _SEASON.finditer(text):
        if base is not None:
            yield _span(match, _latest_season(match["season"].lower(), base))
    for match in _RECENT.finditer(text):
        if base is not None:
            yield _span(match, _recent(match, base))
    for match in _NUMBERS.finditer(text):
        day = parse_session_date(match[0])
        if day is not None:
            yield _span(match, periods.day(date.fromisoformat(day[:10])))


def before(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """Match a pattern that ends in `$` against the few words before a place."""
    return pattern.search(text, max(0, end - REACH), end)


def _span(match: re.Match[str], period: Period) -> Span:
    """Give the span of a match."""
    start, end = match.span()
    return Span(start, end, period.first, period.last)


def _placed(mention: DateMention, text: str, base: date | None) -> Period | None:
    """Find the year of a date that has none; None if it lies ahead or has no place."""
    period = mention.period
    written = text[mention.start : mention.end].lower()
    if base is None:
        return period
    if mention.relative or re.match(r"last|past|this past|previous", written):
        return period if period.first <= base else None
    if not period.dated:
        period = period.in_year(base.year)
        return period if period.first <= base else period.in_year(base.year - 1)
    return period


def _narrowed(mention: DateMention, period: Period, masked: str, text: str) -> Span:
    """Cut a period to the part of it that the words before it name."""
    lead = _LEAD.match(masked, mention.start, mention.end)
    start = lead.end() if lead and not mention.relative else mention.start
    part = before(_PART, text, start)
    day = before(_DAY_TO, text, start)
    bounded = False
    if part is not None:
        period = _part_of(period, part)
        start = part.start()
    elif day and period.days == 1 and 1 <= int(day["day"]) < period.last.day:
        period = replace(period, first=period.last.replace(day=int(day["day"])))
        start, bounded = day.start(), True
    ends = period.first, period.last
    return _to_day(Span(start, mention.end, *ends, period.dated, bounded), text)


def _to_day(span: Span, text: str) -> Span:
    """Read `June 3-8, 2023` to its end."""
    further = _TO_DAY.match(text, span.end)
    if span.first != span.last or not further:
        return span
    year = int(further["year"] or span.first.year)
    try:
        first = span.first.replace(year=year)
        last = first.replace(day=int(further["day"]))
    except ValueError:
        return span
    if last <= first:
        return span
    dated = span.dated or further["year"] is not None
    return Span(span.start, further.end(), first, last, dated, bounded=True)


def _part_of(period: Period, part: re.Match[str]) -> Period:
    """First week, second half, early, ... of a period."""
    whole = period.days
    if part["third"]:
        word = part["third"].lower()
        place = 0 if word[:2] in {"ea", "be", "st"} else 1 if word[:3] == "mid" else 2
        low, high = whole * place // 3, whole * (place + 1) // 3
    else:
        which, unit = part["which"].lower(), part["unit"].lower()
        size = -(-whole // 2) if unit == "half" else min(7, whole)
        number = _WEEKS.get(which, -1)
        low = whole - size if number < 0 else min(number * size, whole - 1)
        high = min(low + size, whole)
    first = period.first + timedelta(days=low)
    last = period.first + timedelta(days=max(high, low + 1) - 1)
    return replace(period, first=first, last=last)


def _latest_season(name: str, base: date) -> Period:
    """The latest season of a name that had begun by a day."""
    years = (base.year + 1, base.year, base.year - 1)
    found = (periods.season(name, year) for year in years)
    return next(season for season in found if season.first <= base)


def _recent(match: re.Match[str], base: date) -> Period:
    """`the last two weeks`: up to the last day, that day included."""
    count = value_of(match["count"]) if match["count"] else _FEW
    length = round((count or _FEW) * _UNIT_DAYS[match["unit"].lower()])
    first = base - timedelta(days=min(length, (base - date.min).days))
    return Period(first, base, match[0])
