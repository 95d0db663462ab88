"""Who speaks in the turns of an atom, and whom a question names."""

import re
import unicodedata
from collections.abc import Sequence

from skillmill.memory.atoms import ROLES
from skillmill.types import Atom

#: Speaker and words of a turn.
Spoken = tuple[str, str]


def spoken_turns(atom: Atom, speakers: Sequence[str]) -> list[Spoken] | None:
    """Speaker and words of each turn of an atom, in order.

    None where they cannot be told: a turn of several lines may hold one that looks
    like the beginning of another turn.
    """
    names = sorted({unicodedata.normalize("NFC", name) for name in speakers})
    found: list[list[str]] = []
    for line in atom.text.split("\n"):
        name, mark, words = line.partition(": ")
        if mark and name in names:
            found.append([name, words])
        elif found:
            found[-1][1] += f"\n{line}"
    if len(found) != len(atom.turns):
        return None
    return [(name, words) for name, words in found]


def named_speaker(text: str, speakers: Sequence[str]) -> str | None:
    """The only speaker whom a question names, by the first word of the name.

    None where it names nobody or several. Roles (`user`, `assistant`) are no names.
    """
    asked = unicodedata.normalize("NFC", text)
    named = []
    for speaker in speakers:
        name = unicodedata.normalize("NFC", speaker)
        first = name.split()[0].rstrip(".") if name.split() else ""
        if len(first) < 2 or name.casefold() in ROLES:
            continue
        if re.search(rf"(?<![\w-]){re.escape(first)}(?![\w-])", asked, re.IGNORECASE):
            named.append(name)
    return named[0] if len(named) == 1 else None


def only_asks(words: str) -> bool:
    """Whether a turn ends with a question, so that the answer is in the next one."""
    return words.rstrip().endswith(("?", "？", "؟"))
