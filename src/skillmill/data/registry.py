"""A registry of skills without bodies: listings, used as distractors."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from skillmill.data.jsonrows import Row, read_rows
from skillmill.data.jsontext import clean_text, read_id, shown
from skillmill.data.loadreport import (
    Remark,
    ReportBuilder,
    outcome_of,
    source_name,
)
from skillmill.data.plaintext import content_hash, hidden_characters, one_line, unquote
from skillmill.types import LibrarySkill, LoadReport

Item = TypeVar("Item")

#: What a careless reader leaves of a description that was a YAML block.
_MARKER = re.compile(r"[|>][-+0-9]{0,2}|-{3}|\.{3}")


@dataclass(frozen=True, slots=True)
class Listing:
    """A row of a registry: a skill of kind `listing`, and the repository it is from."""

    skill: LibrarySkill
    repo: str


def load_registry(path: Path) -> tuple[list[Listing], LoadReport]:
    """Load a registry, ordered by id.

    Parameters
    ----------
    path : Path
        JSONL, or gzipped JSONL with a name that ends in `.gz`; rows with `id`,
        `name` and, where known, `description`, `category`, `tags`, `repo`.

    Returns
    -------
    listings : list of Listing
        A description that was only a YAML mark is `""`; quotes left around one
        are taken off; either with a warning.
    report : LoadReport
        A row that is no object, or without id or name, or with an id that an
        earlier row has, is failed.

    Raises
    ------
    InputError
        If the file is missing or unreadable, or no line of it is a JSON object.
    """
    name = source_name(path)
    report = ReportBuilder(name)
    listings: list[Listing] = []
    lines: dict[str, int] = {}
    for line, row in read_rows(path):
        report.found()
        listing, remarks = _read_row(row, line, lines)
        record = listing.skill.id if listing else None
        problems = [remark.at(path.name, record) for remark in remarks]
        report.item(outcome_of(problems))
        for problem in problems:
            report.add(problem)
        if listing:
            lines[listing.skill.id] = line
            listings.append(listing)
    return sorted(listings, key=lambda listing: listing.skill.id), report.build()


def choose_distractors(
    skills: Iterable[LibrarySkill],
    registry: Sequence[Listing],
    count: int | None,
    seed: int,
) -> list[LibrarySkill]:
    """Draw listings that are no skill of the library, in a seeded order.

    Left out are rows whose name, letter case aside, is a skill's name, its id or
    the last part of it (or of an alias), rows with such an id of their own, and rows
    of a repository called `skillsbench`. A smaller draw is the beginning of a larger
    one.

    Parameters
    ----------
    skills : iterable of LibrarySkill
        The library.
    registry : sequence of Listing
        In any order; the draw depends on the ids alone.
    count : int or None
        How many to draw at most, at least 0; None for all.
    seed : int
        Of `numpy.random.default_rng`.

    Raises
    ------
    ValueError
        If `count` is negative.
    """
    skills = list(skills)
    taken = {name.lower() for skill in skills for name in _names(skill)}
    ids = {name for skill in skills for name in (skill.id, *skill.aliases)}
    free = sorted(
        (
            listing.skill
            for listing in registry
            if listing.skill.name.lower() not in taken
            and listing.skill.id not in ids
            and "skillsbench" not in listing.repo.lower()
        ),
        key=lambda skill: skill.id,
    )
    return draw(free, count, seed)


def draw(items: Sequence[Item], count: int | None, seed: int) -> list[Item]:
    """The first `count` of some items (None: all) in a seeded order.

    Raises
    ------
    ValueError
        If `count` is negative.
    """
    if count is not None and count < 0:
        raise ValueError(f"count is {count}; expected at least 0, or None for all")
    order = np.random.default_rng(seed).permutation(len(items))
    return [items[position] for position in order[:count]]


def _names(skill: LibrarySkill) -> list[str]:
    ids = (skill.id, *skill.aliases)
    return [skill.name, *ids, *(each.rsplit("/", 1)[-1] for each in ids)]


def _read_row(
    row: Row, line: int, lines: Mapping[str, int]
) -> tuple[Listing | None, list[Remark]]:
    if isinstance(row, str):
        return None, [Remark(line, "bad-row", row, "failed")]
    identity = read_id(row.get("id"))
    name, remarks = _field(row, "name", line)
    fault = ""
    if identity is None:
        fault = f"expected an `id`, got {shown(row.get('id'))}"
    elif identity in lines:
        fault = f"the id {identity!r} is that of line {lines[identity]}; give it once"
    elif not name:
        fault = f"expected a `name`, got {shown(row.get('name'))}"
    if identity is None or fault:
        return None, [Remark(line, "bad-row", fault, "failed")]
    description, more = _field(row, "description", line)
    if not description:
        message = "no description, or only a YAML mark; the name stands alone"
        more.append(Remark(line, "missing-description", message))
    skill = LibrarySkill(
        id=identity,
        kind="listing",
        name=name,
        description=description,
        path="",
        department="",
        category=_plain(row.get("category")),
        tags=_tags(row.get("tags")),
        related=(),
        inputs=(),
        outputs=(),
        tools=(),
        part_of=None,
        body="",
        content_hash=content_hash(f"{name}\n{description}"),
    )
    return Listing(skill, _plain(row.get("repo"))), [*remarks, *more]


def _field(row: Mapping[str, object], key: str, line: int) -> tuple[str, list[Remark]]:
    """A text field on one line, cleaned, with a remark for each thing mended."""
    value = row.get(key)
    if not isinstance(value, str):
        return "", []
    cleaned = clean_text(value)
    remarks = [Remark(line, x.code, x.message) for x in hidden_characters(cleaned.text)]
    if cleaned.surrogates:
        message = f"`{key}` holds a lone surrogate; replaced by U+FFFD"
        remarks.append(Remark(line, "lone-surrogate", message))
    text = one_line(cleaned.text)
    if _MARKER.fullmatch(text):
        return "", remarks
    bare = unquote(text)
    if bare != text:
        bare = bare.rstrip("\\ ")
        message = f"quotes are left around `{key}`; taken off"
        remarks.append(Remark(line, "leftover-quote", message))
    return bare, remarks


def _plain(value: object) -> str:
    return one_line(value) if isinstance(value, str) else ""


def _tags(value: object) -> tuple[str, ...]:
    tags = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(tag for tag in map(_plain, tags) if tag))
