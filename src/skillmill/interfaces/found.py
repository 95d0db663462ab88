"""What a search of a library found, as rows for a machine and lines for a person."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skillmill.library.budget import shorten
from skillmill.report.visible import visible_line, visible_text
from skillmill.types import LibrarySkill, State

#: Characters of a description on a terminal.
WIDTH = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """One skill that was found, and what its score is made of."""

    rank: int
    skill: LibrarySkill
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to one query; `state` is `ok`, or `empty` with the `reason`."""

    query: str
    arm: str
    state: State
    reason: str | None
    hits: tuple[Hit, ...]


def hit_row(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """One hit as the documented JSON row."""
    row = {
        "rank": hit.rank,
        "skill": hit.skill.id,
        "name": hit.skill.name,
        "description": hit.skill.description,
        "kind": hit.skill.kind,
        "score": hit.score,
    }
    return row | ({"parts": dict(hit.parts)} if explain else {})


def found_rows(found: Found, *, explain: bool = False) -> Iterator[dict[str, Any]]:
    """One row for the query, one for each skill."""
    yield {
        "row": "query",
        "text": found.query,
        "arm": found.arm,
        "state": found.state,
        "reason": found.reason,
    }
    for hit in found.hits:
        yield {"row": "skill", **hit_row(hit, explain=explain)}


def found_lines(found: Found, *, explain: bool = False) -> Iterator[str]:
    """Lines for a terminal; nothing in them can move its cursor."""
    if found.state != "ok":
        yield f"{found.state}: {found.reason}"
    for hit in found.hits:
        skill = hit.skill
        yield f"{hit.rank:3d} {hit.score:7.4f}  {visible_line(skill.id)}"
        yield f"      {one_line(skill, WIDTH)}"
        if explain:
            told = "  ".join(f"{name} {value:.4f}" for name, value in hit.parts.items())
            yield f"      {told}"


def one_line(skill: LibrarySkill, width: int) -> str:
    """Name and description on a line of their own, cut and safe to print."""
    text = shorten(" ".join(skill.description.split()), width)
    return visible_text(f"{' '.join(skill.name.split())}: {text}")
