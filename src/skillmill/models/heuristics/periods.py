"""Spans of days: what a date expression refers to, and how to write it down."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

#: `calendar` would follow the machine's locale.
MONTHS = [
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
]
WEEKDAYS = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
]
#: First month of each season, northern hemisphere; winter begins in the year before.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
SATURDAY = 5
#: How small counts are written in an answer.
COUNT_WORDS = {
    2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight",
    9: "Nine", 10: "Ten",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` to `last`, both included.

    `written` is how an answer says it (`7 May 2023`, `The week before 12 April 2022`).
    Without `dated` the year was not given and is only assumed.
    """

    first: date
    last: date
    written: str
    dated: bool = True

    @property
    def days(self) -> int:
        """How many days it spans."""
        return (self.last - self.first).days + 1

    def in_year(self, number: int) -> "Period":
        """The same days of another year; 29 February becomes the 28th."""
        shift = number - self.first.year
        first, last = (
            moment.replace(
                year=moment.year + shift,
                day=28 if (moment.month, moment.day) == (2, 29) else moment.day,
            )
            for moment in (self.first, self.last)
        )
        return Period(first, last, self.written, self.dated)


def day(moment: date) -> Period:
    """One day, `7 May 2023`."""
    written = f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    return Period(moment, moment, written)


def month(year: int, number: int) -> Period:
    """A month; `number` may run over the year's ends (0 is last December)."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    last = date(year, number, monthrange(year, number)[1])
    return Period(date(year, number, 1), last, f"{MONTHS[number - 1]} {year}")


def year(number: int) -> Period:
    """A calendar year."""
    return Period(date(number, 1, 1), date(number, 12, 31), str(number))


def season(name: str, number: int) -> Period:
    """Three months; the winter of a year ends in its February."""
    start = SEASONS[name]
    first = month(number - (start == 12), start)
    last = month(first.first.year, start + 2)
    return Period(first.first, last.last, f"{name.capitalize()} {number}")


def week_from(base: date, steps: int) -> Period:
    """The seven days before (-1) or after (1) a day, or its calendar week (0)."""
    if steps == 0:
        first = base - timedelta(days=base.weekday())
    elif steps < 0:
        first = base + timedelta(days=7 * steps)
    else:
        first = base + timedelta(days=7 * steps - 6)
    return Period(first, first + timedelta(days=6), _beside("week", base, steps))


def weekend_from(base: date, steps: int) -> Period:
    """Saturday and Sunday before, of or after a day."""
    first = base + timedelta(days=SATURDAY - base.weekday() + 7 * steps)
    return Period(first, first + timedelta(days=1), _beside("weekend", base, steps))


def weekday_from(base: date, name: str, steps: int) -> Period:
    """The nearest such weekday before (-1) or after (1) a day, the day itself not."""
    gap = (WEEKDAYS.index(name) - base.weekday()) % 7
    moved = base + timedelta(days=(gap or 7) if steps > 0 else gap - 7)
    return Period(moved, moved, _beside(name, base, steps))


def days_from(base: date, count: int) -> Period:
    """The day that many days after (or before, if negative) a day."""
    return day(base + timedelta(days=count))


def _beside(unit: str, base: date, steps: int) -> str:
    """Write a period by its place beside a day."""
    place = "of" if steps == 0 else "before" if steps < 0 else "after"
    count = abs(steps)
    many = COUNT_WORDS.get(count, str(count))
    units = f"The {unit}" if count < 2 else f"{many} {unit}s"
    return f"{units} {place} {day(base).written}"
