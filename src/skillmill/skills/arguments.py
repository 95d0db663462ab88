"""What a primitive may be told: names, types, defaults and limits."""

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

ArgumentKind = Literal[
    "choice", "count", "number", "share", "flag", "text", "names", "days"
]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a primitive.

    Attributes
    ----------
    kind : str
        `choice` (one of `choices`), `count` (whole number from 1), `number` (whole
        number from 0), `share` (number in [0, 1]), `flag` (true or false), `text`,
        `names` (list of texts, at least one) or `days` (two ISO days, the first not
        after the last).
    default : object
        What holds where a program says nothing; None: nothing, and a program may
        write null too.
    choices : tuple of str
        For `choice` alone.
    """

    kind: ArgumentKind
    default: object = None
    choices: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        return EXPECTED[self.kind]

    def accepts(self, value: object) -> bool:
        """Tell whether a value is of the right type and within the limits."""
        if value is None:
            return self.default is None
        if self.kind == "choice":
            return isinstance(value, str) and value in self.choices
        return CHECKS[self.kind](value)


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a finite number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value)


def is_count(value: object) -> bool:
    """Tell whether a value is a whole number from 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_text(value: object) -> TypeGuard[str]:
    """Tell whether a value is a text that says something and can be stored.

    Half a surrogate pair, which JSON can spell, has no UTF-8.
    """
    if not isinstance(value, str) or not value.strip():
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def is_days(value: object) -> TypeGuard[Sequence[str]]:
    """Tell whether a value is a pair of ISO days, the first not after the last."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return False
    return all(_is_day(day) for day in value) and value[0] <= value[1]


def _is_day(value: object) -> bool:
    """Tell whether a value is a day of the calendar as `2023-05-08`."""
    try:
        return datetime.date.fromisoformat(str(value)).isoformat() == value
    except ValueError:
        return False


def _is_names(value: object) -> bool:
    """Tell whether a value is a list of at least one text."""
    return isinstance(value, (list, tuple)) and bool(value) and all(map(is_text, value))


CHECKS: Mapping[str, Callable[[object], bool]] = {
    "count": is_count,
    "number": lambda value: is_count(value) or (type(value) is int and value == 0),
    "share": lambda value: is_number(value) and 0 <= value <= 1,
    "flag": lambda value: isinstance(value, bool),
    "text": is_text,
    "names": _is_names,
    "days": is_days,
}

EXPECTED: Mapping[str, str] = {
    "count": "a whole number from 1",
    "number": "a whole number from 0",
    "share": "a number from 0 to 1",
    "flag": "true or false",
    "text": "a text",
    "names": "a list of texts",
    "days": 'two ISO days such as ["2023-05-01", "2023-05-31"]',
}
