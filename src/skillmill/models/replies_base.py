"""What all reply models share: lenience where it is harmless, and checks of ids."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WrapValidator,
    model_validator,
)

#: The longest explanation kept; what is longer is cut, since it decides nothing.
LONGEST_TEXT = 2_000

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Reply(BaseModel):
    """Base of all replies: unknown fields are ignored, text is trimmed.

    A bare non-empty list is taken for the field named by `bare`, since models often
    leave out the object around a list; so is a bare text or number for the field named
    by `bare_word`.
    """

    model_config = ConfigDict(
        extra="ignore",
        str_strip_whitespace=True,
        coerce_numbers_to_str=True,
        frozen=True,
    )
    bare: ClassVar[str | None] = None
    bare_word: ClassVar[str | None] = None

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:  # noqa: ANN401 - whatever a model wrote
        """Put a bare list, text or number into its field."""
        if cls.bare is not None and isinstance(value, list) and value:
            return {cls.bare: value}
        if cls.bare_word is not None and isinstance(value, str | int | float):
            return {cls.bare_word: value}
        return value


class Item(Reply):
    """One entry of a reply that names records by id in the fields `id_fields`.

    Two entries that agree in `key_fields` speak of the same thing; the first counts.
    """

    id_fields: ClassVar[tuple[str, ...]] = ()
    key_fields: ClassVar[tuple[str, ...]] = ()


def _shortened(value: object) -> object:
    """Cut a text to the longest kept."""
    return value[:LONGEST_TEXT] if isinstance(value, str) else value


def _collapsed(label: str) -> str:
    """Bring a label to its bare letters, `Hindered by` to `hinderedby`."""
    return re.sub(r"[\s_-]+", "", unicodedata.normalize("NFC", label)).casefold()


def label_of(*labels: str) -> BeforeValidator:
    """Validator that finds the label meant, whatever its case, blanks and hyphens.

    What is none of the labels is passed on as it came, for the type to refuse.
    """
    known = {_collapsed(label): label for label in labels}

    def find(value: object) -> object:
        return known.get(_collapsed(value), value) if isinstance(value, str) else value

    return BeforeValidator(find)


def entrywise() -> WrapValidator:
    """Validator that keeps an entry which is none as it came.

    For the items of a list: one bad entry then does not cost the others, and
    `check_entries` tells what is wrong with it.
    """

    def read(value: object, validated: Callable[[object], object]) -> object:
        try:
            return validated(value)
        except ValidationError:
            return value

    return WrapValidator(read)


def _slug(value: str) -> str:
    """Check a name of lower-case words and hyphens; blanks and case are mended."""
    name = re.sub(r"[\s_]+", "-", value.strip().lower())
    if not _SLUG.fullmatch(name):
        raise ValueError(f"expected a name of a-z, 0-9 and hyphens, got {value[:60]!r}")
    return name


#: An explanation or another text that decides nothing.
Text = Annotated[str, BeforeValidator(_shortened)]
#: An id, exactly as shown.
Id = Annotated[str, Field(min_length=1, max_length=300)]
#: A name such as `entity-chain`.
Slug = Annotated[str, AfterValidator(_slug), Field(max_length=80)]

Kind = TypeVar("Kind", bound=Item)


@dataclass(frozen=True, slots=True)
class Rejected:
    """An entry that is not used, as it came, and why."""

    entry: object
    reason: str


@dataclass(frozen=True, slots=True)
class Checked(Generic[Kind]):
    """The entries of a reply that can be used, and the others with a reason each.

    `unnamed` are the ids shown that no valid entry names, sorted.
    """

    valid: tuple[Kind, ...]
    rejected: tuple[Rejected, ...]
    unnamed: tuple[str, ...]


def check_entries(
    entries: Iterable[object],
    kind: type[Kind],
    shown: Collection[str],
    *,
    allow: Callable[[Kind], str | None] | None = None,
) -> Checked[Kind]:
    """Split the entries of a reply into those that can be used and the rest.

    Parameters
    ----------
    entries : iterable
        Validated entries, or raw JSON values of a reply that did not validate as a
        whole; then each entry is read on its own.
    kind : type of Item
        Its `id_fields` must hold ids that were shown.
    shown : collection of str
        The ids that were in the prompt.
    allow : function of an entry, optional
        Gives the reason why an entry that is otherwise fine cannot be used, or None.

    Returns
    -------
    Checked
        Both kinds in the order given, one reason for each rejected entry.
    """
    valid: list[Kind] = []
    rejected: list[Rejected] = []
    for entry in entries:
        item, reason = _read(entry, kind)
        if item is not None:
            reason = _fault(item, shown, valid) or (allow(item) if allow else None)
        if item is None or reason:
            rejected.append(Rejected(entry, reason or "not an entry"))
        else:
            valid.append(item)
    named = {str(getattr(item, name)) for item in valid for name in kind.id_fields}
    return Checked(tuple(valid), tuple(rejected), tuple(sorted({*shown} - named)))


def _read(entry: object, kind: type[Kind]) -> tuple[Kind | None, str | None]:
    """Validate one entry; None and the reason where it is not valid."""
    if isinstance(entry, kind):
        return entry, None
    try:
        return kind.model_validate(entry), None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "entry"
        return None, f"{field}: {first['msg']}"


def _fault(item: Kind, shown: Collection[str], before: Collection[Kind]) -> str | None:
    """Why a valid entry cannot be used; None if it can."""
    for name in item.id_fields:
        value = getattr(item, name)
        if value is not None and value not in shown:
            return f"{name} {str(value)[:60]!r} was not shown"
    key = [getattr(item, name) for name in item.key_fields]
    same = (o for o in before if key == [getattr(o, name) for name in o.key_fields])
    return "repeated: an entry before it names the same" if next(same, None) else None
