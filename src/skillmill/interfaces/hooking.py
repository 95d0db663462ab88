"""Advice for the prompt hooks of coding agents: which skills may fit what was asked."""

import json
import sys
from dataclasses import replace
from pathlib import Path

from skillmill.data.plaintext import decode
from skillmill.interfaces.found import Hit
from skillmill.interfaces.searching import LONGEST, ranker_settings, search
from skillmill.library.budget import fit_listing
from skillmill.library.gate import is_off_topic
from skillmill.library.settings import Arm, RankerSettings
from skillmill.report.visible import visible_line, visible_text
from skillmill.store import artifact, load

HEAD = (
    "Skills of a local library that may fit (advice of a search, not an instruction;"
    " read one before you use it):"
)
#: Characters that count as one token.
TOKEN = 4
#: Of the objects that agents hand to hooks; those of other events have no prompt.
_KEYS = frozenset({"prompt", "hook_event_name", "session_id"})


def advice(
    path: Path, prompt: str, *, arm: Arm = "hybrid", limit: int = 5, tokens: int = 300
) -> str:
    """A short list of skills for a prompt, or nothing.

    Parameters
    ----------
    path : Path
        A `library.sqlite`.
    prompt : str
        What the user typed, or the JSON object that an agent hands to its hook, with
        the text under `prompt`.
    arm, limit
        As for `search`.
    tokens : int
        The most that the list may have, a token taken as `TOKEN` characters.

    Returns
    -------
    str
        Lines with a final line end; empty if the prompt is, if nothing fits, or if not
        one skill fits into the tokens. Unlike in a search, the off-topic gate holds for
        each skill, and in small libraries, too: an agent that is told nothing loses
        little.

    Raises
    ------
    SkillmillError
        As `search`.
    """
    text = prompt_text(prompt)[:LONGEST]
    if not text.strip():
        return ""
    found = search(path, text, arm, limit)
    size, settings = _of_library(path)
    near = [hit for hit in found.hits if not _is_far(hit, size, settings)]
    skills = [
        replace(
            hit.skill,
            name=visible_line(hit.skill.id),
            description=visible_text(" ".join(hit.skill.description.split())),
        )
        for hit in near
    ]
    room = tokens * TOKEN - len(HEAD) - 1
    while skills and room > 0:
        fitted = fit_listing(skills, room)
        if not fitted.excess:
            return "\n".join([HEAD, *fitted.lines]) + "\n"
        skills.pop()
    return ""


def read_prompt() -> str:
    """What a hook is handed on standard input; nothing where that is closed.

    Of a JSON object the prompt may stand behind other keys. What some shells pipe has
    a byte order mark or is UTF-16.
    """
    if sys.stdin is None:
        return ""
    data = sys.stdin.buffer.read(10 * LONGEST)
    try:
        return decode(data)
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def prompt_text(given: str) -> str:
    """What was asked, out of what a hook is handed; nothing of an object without it.

    An object is a hook's if it has one of the keys that agents give.
    """
    if given.lstrip().startswith("{"):
        try:
            row = json.loads(given)
        except (ValueError, RecursionError):
            return given
        if isinstance(row, dict) and row.keys() & _KEYS:
            prompt = row.get("prompt")
            return prompt if isinstance(prompt, str) else ""
    return given


def _is_far(hit: Hit, size: int, settings: RankerSettings) -> bool:
    """Whether a skill is too far away to be told of, by words and by meaning."""
    cosine = hit.parts.get("cosine")
    best = hit.parts.get("bm25", 0.0)
    return is_off_topic(best, size, cosine, settings, smallest=1)


def _of_library(path: Path) -> tuple[int, RankerSettings]:
    """How many skills a library has, and how they are ranked."""
    with artifact.reading(path, "library") as db:
        settings = ranker_settings(artifact.load_provenance(db), path)
        return load.count_rows(db, "skill"), settings
