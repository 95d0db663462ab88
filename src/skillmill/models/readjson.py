"""Read a JSON value out of what a chat model wrote, and validate it.

Models fence JSON, talk around it, put raw newlines into strings, write Python for it,
and stop in the middle. All but the last is read; nothing is ever completed or guessed.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError

from skillmill.models.chat import Model
from skillmill.models.loosejson import respelled

_SHOWN_ERRORS = 5
_SHOWN_CHARACTERS = 60
_MOST_VALUES = 50
#: Brackets of one text that are tried as misspelled JSON: each is read to its end.
_MOST_RESPELLED = 20
#: What ends a model's reasoning, where a server leaves it in the text.
_REASONED = re.compile(
    r"</(?:think|thinking|thought|reasoning)>|\[/THINK\]|<\|message\|>", re.IGNORECASE
)

#: What may stand behind an opening bracket.
_IN_OBJECT = frozenset({'"', "'", "}", ""})
_IN_LIST = frozenset({*"\"'{[]-0123456789tfnTFN", ""})
#: A set of texts, as prose writes it; an object has a colon behind its first text.
_PYTHON_SET = re.compile(r"""\{\s*'[^']*'\s*[,}]""")


@dataclass(frozen=True, slots=True)
class Reading(Generic[Model]):
    """A validated value, or why there is none.

    `reason` is '' with a value, else `no-json` (there is no JSON in the text),
    `broken-json` (it does not parse, or stops in the middle), `invalid` (it is not
    what was asked for) or `ambiguous` (several values fit and differ).
    """

    value: Model | None
    reason: str
    message: str


class _BrokenError(ValueError):
    """JSON that begins well and then does not parse."""


def read_json(text: str, model: type[Model]) -> Reading[Model]:
    """Find the one value in a text that a model accepts.

    The whole text is tried first, then each outermost object or list in it, after
    the end of the model's reasoning if it is marked (`</think>`). Each is read as JSON,
    else as `loosejson.respelled` has it. Half surrogate pairs become U+FFFD. A text
    without JSON is the value itself for a model that may be one word (`bare_word`).
    """
    try:
        found = [_clean(value) for value in _values(text)]
    except _BrokenError as error:
        return Reading(None, "broken-json", str(error))
    except RecursionError:
        return Reading(None, "broken-json", "the JSON is nested too deeply")
    if not found:
        return _read_word(text, model)
    fitting: list[Model] = []
    problems: list[str] = []
    for value in found:
        try:
            fitting.append(model.model_validate(value))
        except ValidationError as error:
            problems.append(_explain(error))
    distinct = [value for n, value in enumerate(fitting) if value not in fitting[:n]]
    if not distinct:
        return Reading(None, "invalid", problems[-1])
    if len(distinct) > 1:
        return Reading(
            None, "ambiguous", f"{len(distinct)} different values fit, one was wanted"
        )
    return Reading(distinct[0], "", "")


def _read_word(text: str, model: type[Model]) -> Reading[Model]:
    """Read a reply without JSON, if the model may be one word."""
    if getattr(model, "bare_word", None) is not None:
        *_, said = _REASONED.split(text)
        with contextlib.suppress(ValidationError):
            return Reading(model.model_validate(mend_text(said).strip()), "", "")
    return Reading(None, "no-json", f"there is no JSON in {shorten(text)}")


def mend_text(text: str) -> str:
    """Replace half surrogate pairs by U+FFFD and join whole ones."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shorten(text: str) -> str:
    """Quote the beginning of a text."""
    cut = " ..." if len(text) > _SHOWN_CHARACTERS else ""
    return f"{text[:_SHOWN_CHARACTERS]!r}{cut}"


def _values(text: str) -> Iterator[Any]:
    """Give the JSON values of a text: itself, or the outermost ones in it."""
    whole = text.strip().lstrip("\ufeff")
    try:
        value, end = _DECODER.raw_decode(whole)
    except (ValueError, RecursionError):
        pass
    else:
        if end == len(whole):
            yield value
            return
    *_, said = _REASONED.split(text)
    place, count, misspelled = 0, 0, 0
    while (place := _next_opening(said, place)) >= 0:
        try:
            value, place = _decoded(said, place, misspelled < _MOST_RESPELLED)
        except json.JSONDecodeError as error:
            misspelled += 1
            if _is_prose(said, place, error):
                place += 1
                continue
            raise _BrokenError(f"the JSON breaks off: {error}") from error
        except ValueError as error:
            raise _BrokenError(f"the JSON cannot be read: {error}") from error
        yield value
        count += 1
        if count >= _MOST_VALUES:
            raise _BrokenError(f"there are more than {_MOST_VALUES} JSON values")


def _decoded(text: str, place: int, respell: bool) -> tuple[Any, int]:
    """Read the value at a place, as JSON or else respelled, and tell its end."""
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError:
        spelled = respelled(text, place) if respell else None
        if spelled is not None:
            with contextlib.suppress(json.JSONDecodeError):
                return _DECODER.decode(spelled[0]), spelled[1]
        raise


def _next_opening(text: str, start: int) -> int:
    """Find the next bracket that may open an object or a list; -1 if there is none."""
    for place in range(start, len(text)):
        if text[place] not in "{[":
            continue
        inside = text[place + 1 : place + 200].lstrip()[:1]
        opens = _IN_OBJECT if text[place] == "{" else _IN_LIST
        if inside in opens:
            return place
    return -1


def _is_prose(text: str, place: int, error: json.JSONDecodeError) -> bool:
    """Whether a bracket that does not parse is punctuation, as in `[0, 1)` or `{'x'}`.

    A list that goes on to the end of the text is one cut short. What looks like an
    object is one: looking inside a broken object would find a part of it and take
    that for the whole.
    """
    if _PYTHON_SET.match(text, place):
        return True
    at_end = not text[error.pos :].strip() or error.msg.startswith("Unterminated")
    return text[place] == "[" and not at_end


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its fields; one that is there twice must say the same."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields and fields[name] != value:
            raise ValueError(f"the field {shorten(name)} has two different values")
        fields[name] = value
    return fields


_DECODER = json.JSONDecoder(
    strict=False, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twice
)


def _clean(value: Any) -> Any:  # noqa: ANN401 whatever JSON holds
    """Mend the texts in a JSON value."""
    if isinstance(value, str):
        return mend_text(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {mend_text(key): _clean(item) for key, item in value.items()}
    return value


def _explain(error: ValidationError) -> str:
    """Say in one line what is wrong, field by field."""
    errors = error.errors(include_url=False, include_context=False)
    lines = []
    for item in errors[:_SHOWN_ERRORS]:
        place = ".".join(str(part) for part in item["loc"]) or "reply"
        lines.append(f"{place}: {item['msg']}, got {shorten(repr(item['input']))}")
    more = len(errors) - _SHOWN_ERRORS
    return "; ".join(lines) + (f"; and {more} more" if more > 0 else "")
