"""The days that a question is about, read from its words alone.

Nothing depends on the day it is run: what is relative counts from the last day of the
memory.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from skillmill.memory.datespans import Span, before, date_spans
from skillmill.models.heuristics.dates import EARLIEST_YEAR, LATEST_YEAR
from skillmill.models.heuristics.periods import Period

#: The first and the last day, both included, as ISO days.
Days = tuple[str, str]

_SIDE = re.compile(
    r"\b(?P<side>before|prior to|until|till|up to|by|after|since|from|following)"
    r" (?:the )?$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:between|from) (?:the )?$", re.IGNORECASE)
_TO = re.compile(
    r"\s*(?:,?\s*(?:and|to|until|till|through)\s+(?:the )?|[-\u2013]\s*)", re.IGNORECASE
)
#: Sides that leave out the date itself, and those that end there.
_EXCLUDING, _ENDING = {"before", "prior to", "after", "following"}, {
    "before", "prior to", "until", "till", "up to", "by",
}  # fmt: skip


def question_range(text: str, last_day: str | None) -> Days | None:
    """Days that a question asks about, None if it names no date.

    Parameters
    ----------
    text : str
        English.
    last_day : str or None
        ISO day on which it is asked, or else of the last session: what `last week`
        counts from. A month or season
        without a year is the latest one that had begun by then. None, or a year that
        nobody talks in: only dates with a year are read.

    Returns
    -------
    (first, last) or None
        ISO days, both included. `before` and `after` leave one end at 0001-01-01 or
        9999-12-31. Of several dates the ones that contain another are dropped and
        the rest is covered from the first day to the last.
    """
    base = date.fromisoformat(last_day[:10]) if last_day else None
    if base is not None and not EARLIEST_YEAR < base.year < LATEST_YEAR:
        base = None
    spans = sorted(date_spans(text, base), key=lambda span: (span.start, -span.end))
    spans = [
        _opened(span, text)
        for span in _joined(_apart(spans), text)
        if span.dated or base is not None
    ]
    return _covered(spans)


def widened(days: Days, before: int, after: int) -> Days:
    """Days from `before` days earlier to `after` days later, within the calendar.

    What happened on a day is often told some days later, so a range widened to the
    future finds more of what was said about it.
    """
    first, last = (date.fromisoformat(day) for day in days)
    first = date.min if (first - date.min).days < before else first - timedelta(before)
    last = date.max if (date.max - last).days < after else last + timedelta(after)
    return first.isoformat(), last.isoformat()


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Drop the spans that begin within an earlier one, as in `last week of June`."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _joined(spans: Sequence[Span], text: str) -> list[Span]:
    """Join two dates to the days between them: `from 3 May to 9 June 2023`."""
    joined: list[Span] = []
    for span in spans:
        earlier = joined[-1] if joined else None
        if earlier is None or not _TO.fullmatch(text, earlier.end, span.start):
            joined.append(span)
            continue
        linked = text[earlier.end : span.start].strip() in {"-", "\u2013"}
        if not linked and not before(_FROM, text, earlier.start):
            joined.append(span)
            continue
        first = earlier.first
        if span.dated and not earlier.dated:
            year = span.last.year - ((first.month, first.day) > (span.last.month, 31))
            first = Period(first, first, "").in_year(year).first
        low, high = min(first, span.last), max(first, span.last)
        dated = earlier.dated or span.dated
        joined[-1] = Span(earlier.start, span.end, low, high, dated, bounded=True)
    return joined


def _opened(span: Span, text: str) -> Span:
    """Turn `before 9 June` into all days before it."""
    side = before(_SIDE, text, span.start)
    word = side["side"].lower() if side else ""
    if not word or (span.bounded and word == "from"):
        return span
    step = timedelta(days=int(word in _EXCLUDING))
    if word in _ENDING:
        end = span.first - step if word in _EXCLUDING else span.last
        return replace(span, first=date.min, last=max(end, date.min + step))
    return replace(span, first=span.last + step if step else span.first, last=date.max)


def _covered(spans: Sequence[Span]) -> Days | None:
    """One range for all spans: closed ones are covered, open ones limit it."""
    closed = [
        span
        for span in spans
        if not span.open and not any(_within(other, span) for other in spans)
    ]
    opened = [span for span in spans if span.open]
    first = min((span.first for span in closed), default=date.min)
    last = max((span.last for span in closed), default=date.max)
    if not spans:
        return None
    low = max([first, *(span.first for span in opened)])
    high = min([last, *(span.last for span in opened)])
    if low > high:
        low, high = first, last
    return low.isoformat(), high.isoformat()


def _within(inner: Span, outer: Span) -> bool:
    """Tell whether a span lies in a longer one."""
    fits = outer.first <= inner.first and inner.last <= outer.last
    return fits and (inner.first, inner.last) != (outer.first, outer.last)
